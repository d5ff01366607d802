"""How long the store of scripts takes: `python -m studio.measure.scripts.script_edits [--lines 5000] [--repeats 20] [--folder FOLDER]`.

A script of so many lines, each with a take of a second and words with times, on the disk of FOLDER (a temporary one without). Printed are
milliseconds: the median and the longest of the repeats. Every edit is on disk when it returns.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from studio.scripts.keep.store import ScriptStore
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import DeleteLines, InsertLines, MoveLines, PutLine, RenameMember
from studio.scripts.script.line import LineText
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.scripts.script.take import LineTake
from studio.scripts.scripts_folder import ScriptsFolder
from studio.speech.timed_words import TimedWord

__all__ = ["script_of", "timed"]

SAMPLE_RATE = 24_000
TEXT = "The train leaves at a quarter to eight, and nobody who is on it knows where it will end."  # as long as lines of books are


def script_of(n_lines: int) -> ReadScript:
    """Half of it the narrator's, half Ann's; every hundredth line is a heading."""
    lines = (LineText(text=f"{n}. {TEXT}", who="ANN" if n % 2 else "", kind="line" if n % 100 else "heading") for n in range(n_lines))
    return ReadScript(ScriptHead(title="A book"), tuple(lines), (CastMember(), CastMember(name="ANN", voice="Ann")), "text")


def timed(verb: Callable[[int], object], repeats: int) -> tuple[float, float]:
    """(median, longest) in ms. verb(number of the repeat)."""
    taken = []
    for number in range(repeats):
        begun = time.perf_counter()
        verb(number)
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken), max(taken)


def _measure(folder: Path, n_lines: int, repeats: int) -> None:
    kept = ScriptsFolder(folder)
    store, read = kept.store, script_of(n_lines)
    script = kept.create(read, "").id
    _tell("create", timed(lambda n: kept.create(read, ""), 5))
    ids = store.line_ids(script)
    sound = (np.sin(np.arange(SAMPLE_RATE) / 20) * 9_000).astype(np.int16)
    takes = iter([kept.takes.keep(script, np.roll(sound, n), SAMPLE_RATE) for n in range(repeats)])
    _tell("keep a take", timed(lambda n: store.add_take(script, ids[n], _take(n, *next(takes)), choose=True), repeats))
    sha256, n_bytes = kept.takes.keep(script, sound, SAMPLE_RATE)
    store.add_takes(script, [(line, _take(repeats + n, sha256, n_bytes), True) for n, line in enumerate(ids)])
    middle = n_lines // 2
    _tell("list 200 in the middle, with takes", timed(lambda n: store.lines(script, middle, 200), repeats))
    _tell("list all, with takes", timed(lambda n: store.lines(script), 5))
    _tell("what has changed since", timed(lambda n: store.changes(script, store.script(script).token), repeats))
    _tell("count what is said", timed(lambda n: store.counts(script), repeats))
    _tell("chapters", timed(lambda n: store.chapters(script), repeats))
    _edits(store, script, repeats)
    _tell("copy", timed(lambda n: store.copy(script, "", ScriptHead(title=f"Copy {n}")), 3))
    kept.close()


def _edits(store: ScriptStore, script: str, repeats: int) -> None:
    ids, last = store.line_ids(script), len(store.line_ids(script)) - 1
    put = [PutLine(line=ids[7], written=LineText(text=f"written anew {n}")) for n in range(repeats)]
    _tell("edit one", timed(lambda n: store.edit(script, [put[n]]), repeats))
    move = [MoveLines(lines=(ids[last - n],), after=ids[3]) for n in range(repeats)]
    _tell("move one", timed(lambda n: store.edit(script, [move[n]]), repeats))
    insert = InsertLines(after=ids[2], lines=(LineText(text="new"),))
    store.edit(script, [DeleteLines(lines=ids[10 : 10 + repeats])])  # room for what comes
    _tell("insert one at the same spot", timed(lambda n: store.edit(script, [insert]), repeats))
    rename = [RenameMember(name="ANN", to="ANNA"), RenameMember(name="ANNA", to="ANN")]
    _tell("rename a name of half of the lines", timed(lambda n: store.edit(script, [rename[n % 2]]), 6))
    _tell("undo that", timed(lambda n: store.undo(script), 6))
    half = store.line_ids(script)[::2]
    _tell("delete half", timed(lambda n: store.edit(script, [DeleteLines(lines=half)]), 1))
    _tell("undo that", timed(lambda n: store.undo(script), 1))


def _take(number: int, sha256: str, n_bytes: int) -> LineTake:
    words = tuple(TimedWord(n / 20, (n + 1) / 20, word, word, 0, 1) for n, word in enumerate(TEXT.split()))
    about = {"voice": "Ann", "generation_id": "g", "words": words, "peaks": tuple(range(48))}
    return LineTake(f"take{number}", "0" * 64, sha256, 1.0, SAMPLE_RATE, n_bytes, time.time(), "fake", **about)


def _tell(what: str, figures: tuple[float, float]) -> None:
    print(f"{what:<36}{figures[0]:>9.1f}{figures[1]:>9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    print(f"{f'ms, {asked.lines} lines':<36}{'median':>9}{'longest':>9}")
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        _measure(Path(folder), asked.lines, asked.repeats)


if __name__ == "__main__":
    main()
