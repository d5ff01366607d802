"""The voice "nsh" of Debian's package `festvox-ru`: a man who read 620 Russian sentences for a voice of Festival, at 16 kHz."""

import re
from collections.abc import Iterator
from pathlib import Path

import soundfile

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from engines.espeak.training.voices.training_voice import TrainingVoice

__all__ = ["festvox_voice", "readable"]

FOLDER = Path("/usr/share/festival/voices/russian/msu_ru_nsh_clunits")
_LINE = re.compile(r'\( *(\S+) *"(.*)" *\)')
_MOST_SECONDS = 13.0  # of one recording: longer ones go astray more often when they are aligned
_MOST_SECONDS_IN_ALL = 3600.0


def festvox_voice(folder: Path = FOLDER) -> TrainingVoice:
    """The Russian reader, an hour of him."""
    return TrainingVoice("nsh", "ru", True, lambda: _read(folder))


def readable(text: str) -> str:
    """A line of the package's list as eSpeak reads it well.

    A "+" marks the stress of the vowel behind it and is left out: eSpeak spells it, and its Russian voice takes an acute accent for no
    stress. A dash behind a comma is left out too: one pause, not two. The commas stay, many more than Russian writes: they are his pauses.
    """
    text = text.replace("+", "").replace(":", ",")
    return re.sub(r"\s+-\s+", " ", re.sub(r"(?<=\w)\s+-\s+", ", ", text))


def _read(folder: Path) -> Iterator[tuple[str, Clip]]:
    if not folder.is_dir():
        raise EngineUnavailable(
            command="apt-get install festvox-ru", sentence="engine_library_absent", detail="the voice nsh of Debian's festvox-ru"
        )
    seconds = 0.0
    for name, text in _LINE.findall((folder / "etc" / "txt.done.data").read_text(encoding="utf-8")):
        samples, rate = soundfile.read(folder / "wav" / f"{name}.wav", dtype="float32")
        if len(samples) <= _MOST_SECONDS * rate and seconds < _MOST_SECONDS_IN_ALL:
            seconds += len(samples) / rate
            yield readable(text), Clip(samples, rate)
