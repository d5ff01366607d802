"""Voices of Debian's package `flite`: slt, rms and awb, built at Carnegie Mellon from the CMU Arctic recordings of these names."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import soundfile

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from engines.espeak.training.voices.texts import SENTENCES
from engines.espeak.training.voices.training_voice import TrainingVoice

__all__ = ["flite_voice", "read_aloud"]

_N_SENTENCES = 200  # vocoded speech: more of it teaches little


def flite_voice(name: str) -> TrainingVoice:
    """The flite voice of that name, which reads the first sentences of ours."""
    return TrainingVoice(name, "en", False, lambda: _read(name))


def _read(name: str) -> Iterator[tuple[str, Clip]]:
    for text in SENTENCES[:_N_SENTENCES]:
        yield text, read_aloud(name, text)


def read_aloud(voice: str, text: str) -> Clip:
    """The text as a flite voice reads it. Raises EngineUnavailable where there is no flite."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        try:
            subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
        except FileNotFoundError as error:
            raise EngineUnavailable(command="apt-get install flite", sentence="engine_library_absent", detail="flite of Debian") from error
        samples, rate = soundfile.read(path, dtype="float32")
    return Clip(samples, rate)
