"""A stand-in for the package faster-whisper 1.2, with the names and arguments of its interface that the studio uses.

`install` puts it where the package would be, with weights in a folder; it hears what it is told to hear.
"""

import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

__all__ = ["Hearsay", "install"]

WORDS = "red green blue"


class Hearsay:
    """What the stand-in hears, and what it was asked. before_segment: runs before each sentence; may wait, or raise."""

    def __init__(self, folder: Path):
        self.checkpoint = str(folder)
        self.sentences: tuple[str, ...] = (f" {WORDS}",)
        self.language = "en"
        self.loaded: list[dict[str, object]] = []
        self.asked: list[dict[str, object]] = []
        self.heard: list[np.ndarray] = []
        self.models: list[object] = []  # weak references, a test's own
        self.before_segment: Callable[[], None] = lambda: None


def install(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Hearsay:
    """folder: where its weights are made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("model.bin", "tokenizer.json"):
        (folder / name).touch()
    hearsay = Hearsay(folder)
    module = ModuleType("faster_whisper")
    module.__spec__ = ModuleSpec("faster_whisper", None, is_package=True)
    module.__spec__.submodule_search_locations.append(str(folder))
    module.WhisperModel = _model_of(hearsay)
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    return hearsay


def _model_of(hearsay: Hearsay) -> type:
    class WhisperModel:
        supported_languages = ("en", "de", "jw", "zh")

        def __init__(self, model_size_or_path: str, **named):  # device, compute_type, cpu_threads, local_files_only, files
            hearsay.loaded.append({"folder": model_size_or_path} | named)
            hearsay.models.append(self)

        def transcribe(self, audio, language=None, **how):  # condition_on_previous_text, vad_filter, initial_prompt
            asked = {"language": language} | how
            hearsay.asked.append(asked)
            hearsay.heard.append(audio)
            return _segments(hearsay), SimpleNamespace(language=language or hearsay.language)

    return WhisperModel


def _segments(hearsay: Hearsay) -> Iterator[SimpleNamespace]:
    for sentence in hearsay.sentences:
        hearsay.before_segment()
        yield SimpleNamespace(text=sentence)
