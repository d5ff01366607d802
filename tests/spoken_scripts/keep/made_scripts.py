"""Scripts of a few lines, and takes of a few samples."""

import time
from types import SimpleNamespace

import numpy as np

from studio.audio.kept_takes import KeptTakes
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText, ScriptLine
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.scripts.script.take import LineTake
from studio.scripts.scripts import Scripts
from studio.workspace import EVERYBODY

__all__ = ["CAST", "SAMPLE_RATE", "Maker", "add_take", "read_of", "sound_of", "state_of", "texts_of"]

SAMPLE_RATE = 8_000
CAST = (CastMember(), CastMember(name="ANNA", voice="Ann"), CastMember(name="BOB", voice="Bob"))


class Maker:
    """Stands for the studio of somebody who makes scripts: no more of it is asked here."""

    def __init__(self, workspace: str = EVERYBODY):
        self.workspace = workspace
        self.transcriber = SimpleNamespace(is_here=False)


def read_of(*texts: str, cast: tuple[CastMember, ...] = CAST, title: str = "A play", **more) -> ReadScript:
    """Lines of the narrator; "ANNA: Hello." is one of hers, "# One" a heading."""
    return ReadScript(ScriptHead(title=title), tuple(map(_line_of, texts)), cast, "text", **more)


def texts_of(scripts: Scripts, script_id: str) -> list[str]:
    """All of a script, in order."""
    return [line.written.text for line in scripts.lines(script_id)]


def state_of(scripts: Scripts, script_id: str) -> tuple[object, ...]:
    """All that an undo is about."""
    script = scripts.script(script_id)
    return script.head, script.cast, script.dictionary, tuple(scripts.lines(script_id)), script.n_lines, script.n_characters


def sound_of(number: int, n_samples: int = 400) -> np.ndarray:
    """(T,) int16, another one for each number."""
    return np.random.default_rng(number).integers(-9_000, 9_000, n_samples).astype(np.int16)


def add_take(scripts: Scripts, script_id: str, line_id: str, number: int, *, choose: bool = True, **facts) -> ScriptLine:
    """A take whose sound is `sound_of(number)`, called t<number>."""
    return scripts._store.add_take(script_id, line_id, kept_take(scripts._takes, script_id, number, **facts), choose=choose)


def kept_take(takes: KeptTakes, script_id: str, number: int, **facts) -> LineTake:
    samples = sound_of(number)
    sha256, n_bytes = takes.keep(script_id, samples, SAMPLE_RATE)
    about = {"engine": "fake", "voice": "Ann", "generation_id": "g1", **facts}
    return LineTake(f"t{number}", "key", sha256, len(samples) / SAMPLE_RATE, SAMPLE_RATE, n_bytes, time.time(), **about)


def _line_of(text: str) -> LineText:
    if text.startswith("# "):
        return LineText(text=text[2:], kind="heading")
    who, colon, said = text.partition(": ")
    return LineText(who=who, text=said) if colon and who.isupper() else LineText(text=text)
