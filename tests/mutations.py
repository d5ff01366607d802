"""Mutations: what the tests notice. `python -m tests.mutations [words of names] [--root CHECKOUT]`.

It changes a line of the product, runs the tests that are to notice, and changes the next; the last line says how many were noticed.

A mutation is (place, old, new, tests). The place is a file or a folder; of the folder's files one has the old text, once, so that code may
move. It works on a copy, in a folder that is gone afterwards.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE, STORE = "tests/studio/prompts/test_cache.py", "tests/studio/speakers/test_store.py"
EDIT, YIELDS = "tests/studio/speakers/test_speaker_edit.py", "tests/studio/running/test_yield_points.py"
PINS, SAVED = "tests/studio/prompts/test_cache_pins.py", "tests/studio/speakers/test_store_prompts.py"
WORKER, BATCHES = "tests/studio/running/test_engine_worker.py", "tests/studio/running/test_batched_steps.py"
TIMELINE = "tests/studio/test_timeline.py"
LAWS, SEEN, CONFIG = "tests/engines/test_decoder_laws.py", "tests/parity/qwen3_tts", "tests/engines/kit/weights/test_config_reading.py"
DECODE, PRESSES = "tests/engines/kit/decode", "tests/ui/gradio/test_sessions.py"
STATES, RUNAWAY, LOOP = f"{DECODE}/test_prepared_states.py", f"{DECODE}/test_runaway.py", f"{DECODE}/test_frame_loop.py"
PUBLISHED, STATISTICS, MODEL = "tests/listening/statistics/test_published.py", "tests/listening/statistics", "tests/listening/model"
PROMPTS, SPEAKERS, RUNNING = "studio/prompts", "studio/speakers", "studio/running"
SCRIPTS, EDITS, UNDO = "studio/scripts/keep", "tests/spoken_scripts/keep/test_edits.py", "tests/spoken_scripts/keep/test_undo.py"
LINE_TAKES, WHOSE = "tests/spoken_scripts/keep/test_takes.py", "tests/spoken_scripts/keep/test_workspaces.py"
QUEUED, GONE = "tests/spoken_scripts/keep/test_queue.py", "tests/spoken_scripts/keep/test_speakers.py"
SHARED, FOUND = "tests/spoken_scripts/keep/test_shared_file.py", "tests/spoken_scripts/keep/test_found_words.py"
DECODER, READING, COUNTING = "engines/kit/decode", "engines/kit/weights", "studio/listening/statistics"


@dataclass(frozen=True)
class Mutation:
    place: str
    old: str
    new: str
    tests: tuple[str, ...]


def m(place: str, old: str, new: str, *tests: str) -> Mutation:
    return Mutation(place, old, new, tests)


MUTATIONS = {
    "cache: forgetting spares flights": m(PROMPTS, "flight.owners.discard(owner)\n            orph", "pass\n            orph", CACHE),
    "cache: a hit is not used last": m(PROMPTS, "self._entries.move_to_end(key)\n", "pass\n", CACHE),
    "cache: what all wait for is made twice": m(PROMPTS, "= self._flights.get(key)", "= None", CACHE),
    "cache: a pin may be evicted": m(PROMPTS, "if key != spare and not entry.pinned]", "if key != spare]", PINS),
    "cache: who went is an owner": m(PROMPTS, "flight.owners if owner in self._live_generations", "flight.owners", CACHE),
    "cache: bytes are not given back": m(PROMPTS, "self._bytes -= prompt.storage_bytes", "pass", CACHE),
    "store: an immutable voice is overwritten": m(SPEAKERS, 'self._policy == "immutable"', "False", STORE),
    "store: one voice too many": m(SPEAKERS, ">= self._most_speakers", "> self._most_speakers", STORE),
    "store: a taken name is given": m(SPEAKERS, "old.speaker.key and speaker.key in self", "old.speaker.key and None in self", EDIT),
    "store: prompts of other words stay": m("studio/storage", "if other is not None and replace(", "if 0 and replace(", SAVED),
    "store: another's prompt is read": m("studio/storage", "check_identity(key, prompt)\n        return prompt", "return prompt", SAVED),
    "worker: each is charged the whole": m(RUNNING, "(now - ended) / (len(jobs) - len(over))", "now - ended", BATCHES),
    "worker: an error ends the thread": m(RUNNING, "yield from ((job, error) for job in left)", "raise", WORKER, BATCHES),
    "worker: more than a step serves": m(RUNNING, "[: self._width]", "", BATCHES),
    "worker: who hung up is served": m(RUNNING, "if job.stream.closed]", "if False]", WORKER, BATCHES),
    "worker: silence is speech": m(RUNNING, "if not stream.playback.audio_seconds:", "if False:", WORKER, YIELDS),
    "streaming: the end comes before the rest": m(RUNNING, "if chunk is None and self._end is not", "if self._end is not", WORKER, YIELDS),
    "streaming: a full queue is not waited for": m(RUNNING, "self._queued_samples < self._most_ahead_samples", "True", WORKER),
    "streaming: a late chunk is no gap": m(RUNNING, "underrun_seconds += now -", "underrun_seconds += 0 * now *", TIMELINE),
    "streaming: pieces do not grow": m(DECODER, "min(2 * size, self", "min(size, self", "tests/engines/fish_speech"),
    "streaming: a newcomer waits for pieces": m(DECODER, "or batched_decoder.owes_first_sound", "", LOOP),
    "streaming: a newcomer waits for the turn": m(RUNNING, "if self._has_newcomer and", "if 0 and", BATCHES),
    "streaming: a first sound waits for a turn": m(RUNNING, "in self._stepped(jobs):", "in list(self._stepped(jobs)):", BATCHES),
    "page: a press is dropped": m("studio/ui/gradio", '{"trigger_mode": "multiple"}', '{"trigger_mode": "once"}', PRESSES),
    "decode: a later key is seen": m("engines/kit/nn", "> positions[..., None]\n", "> positions[..., None] + 1\n", SEEN),
    "decode: a row is given twice": m(DECODER, "if row not in taken)", "if True)", LAWS),
    "decode: who comes back has another's state": m(DECODER, "self._restore(slot)\n", "pass\n", LAWS),
    "decode: a frame more than asked": m(DECODER, "if stream.n_frames >= stream", "if stream.n_frames > stream", LAWS),
    "decode: all fail with one": m(DECODER, "one for one in streams if one.failure is None", "*streams", LAWS),
    "decode: the codec keeps another's sound": m(DECODER, ".copy_(stream.codec)", "", LAWS),
    "decode: silence does not end": m(DECODER, "AUDIBLE_SECONDS > SILENCE", "AUDIBLE_SECONDS > 9 * SILENCE", RUNAWAY),
    "decode: states are not bounded": m(DECODER, "while self._bytes > self.most_bytes:", "while 0:", STATES),
    "configuration: truth is a number": m(READING, "if isinstance(value, bool) or not isinstance(", "if not isinstance(", CONFIG),
    "configuration: scaling is passed over": m(READING, "bool(WORDS & set(key", "bool(set() & set(key", CONFIG),
    "configuration: a list of others": m(READING, "list) or not all(_fits(one, item) for one in value)", "list)", CONFIG),
    "statistics: a tie counts": m(COUNTING, "if vote.score != tie]", "]", STATISTICS),
    "statistics: one tail is twice as likely": m(COUNTING, "min(1.0, 2 * one_sided(", "min(1.0, one_sided(", PUBLISHED, STATISTICS),
    "statistics: few listeners are as good as many": m(COUNTING, " * (n_equal / (n_equal - 1)) ** 0.5", "", STATISTICS),
    "statistics: intervals are one-sided": m("studio/crossed", "k + 1 - step, tail))", "k + 1 - step, 2 * tail))", STATISTICS, MODEL),
    "scripts: an old edit is done": m(SCRIPTS, 'revision != row["revision"]', "False", EDITS),
    "scripts: an undone step stays": m(SCRIPTS, "n_done + (1 if redo else -1)", "n_done", EDITS, UNDO),
    "scripts: a step forgets the order": m(SCRIPTS, "tuple(behind), tuple(sorted(moved - here))", "(), ()", EDITS, UNDO),
    "scripts: places fall together": m(SCRIPTS, "if room > n else None", "", "tests/spoken_scripts/keep/test_order.py", UNDO),
    "scripts: steps are kept for good": m(SCRIPTS, "n_done + 1 - MOST_STEPS)", "-1)", EDITS),
    "scripts: deleted lines go at once": m(SCRIPTS, "AND NOT EXISTS (SELECT 1 FROM held", "AND EXISTS (SELECT 1 FROM held", LINE_TAKES),
    "scripts: a sound goes that others have": m(f"{SCRIPTS}/transactions.py", "fetchone() is None:", "fetchone() != 1:", LINE_TAKES),
    "scripts: the chosen take makes room": m(SCRIPTS, "NOT IN (lines.chosen, ?, ?)", "NOT IN ('', ?, ?)", LINE_TAKES),
    "scripts: sounds have no bound": m(SCRIPTS, "+ n_bytes) > most_bytes", "+ n_bytes) > 1 << 62", LINE_TAKES),
    "scripts: a damaged sound is played": m("studio/audio", "hashlib.sha256(data).hexdigest() != sha256", "False", LINE_TAKES),
    "scripts: a said line waits still": m(SCRIPTS, "max(0, n_takes - 1)", "n_takes", QUEUED),
    "scripts: another's is there": m(SCRIPTS, 'workspace not in (None, row["workspace"])', "False", WHOSE),
    "scripts: one too many": m(SCRIPTS, "fetchone()[0] >= most:", "fetchone()[0] > most:", WHOSE),
    "scripts: a deleted voice speaks on": m(SCRIPTS, 'if not is_live(row["generation"])', "if False", GONE),
    "scripts: all of that name go": m(SCRIPTS, 'if not is_live(row["generation"])', "", GONE),
    "scripts: undo brings an old name": m(SCRIPTS, '_renamed(snapshot.members or "[]", before, after)', 'snapshot.members', GONE),
    "scripts: words within words": m(SCRIPTS, "and (not is_whole or", "and (True or", FOUND),
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="words of the names of those that are tried; all where there are none")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout, whose code and tests are tried")
    asked = parser.parse_args()
    chosen = {name: one for name, one in MUTATIONS.items() if not asked.names or any(word in name for word in asked.names)}
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(asked.root, Path(folder) / "copy")
        noticed = [tell(name, one, copy) for name, one in chosen.items()]
    print(f"{sum(noticed)} of {len(noticed)} noticed")
    return not all(noticed)


def copied(root: Path, folder: Path) -> Path:
    """The tracked files of a checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, encoding="utf-8").stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, folder / name)
    return folder


def tell(name: str, mutation: Mutation, copy: Path) -> bool:
    path = place_of(mutation, copy)
    if path is None:
        print(f"NO PLACE  {name}: {mutation.old!r} stands not once below {mutation.place}", flush=True)
        return False
    by = noticed_by(mutation, copy, path)
    print(f"{'noticed' if by else 'MISSED ':8}  {name} ({path.relative_to(copy)}){': ' + by if by else ''}", flush=True)
    return bool(by)


def place_of(mutation: Mutation, copy: Path) -> Path | None:
    """The file that has the old text, once."""
    place = copy / mutation.place
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    found = [file for file in files for _ in range(file.read_text(encoding="utf-8").count(mutation.old))]
    return found[0] if len(found) == 1 else None


def noticed_by(mutation: Mutation, copy: Path, path: Path) -> str:
    """The first test that fails; "" where none does."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        words = ("-m", "pytest", "-q", "-x", "--timeout=60", "-p", "no:cacheprovider", *mutation.tests)
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
        ran = subprocess.run([sys.executable, *words], cwd=copy, env=environment, capture_output=True, encoding="utf-8", check=False)
    finally:
        path.write_text(text, encoding="utf-8")
    failed = [line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0].partition(" ")[2] if failed else "time" if ran.returncode not in (0, 4, 5) else ""


if __name__ == "__main__":
    sys.exit(main())
