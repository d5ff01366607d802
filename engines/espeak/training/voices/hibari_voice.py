"""The voice "heart" of PyPI's package `hibari-tts`: a small network that reads English at 24 kHz nearly as a person does."""

from collections.abc import Iterator
from typing import Any

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from engines.espeak.training.voices.drawn_sentences import drawn_sentences
from engines.espeak.training.voices.texts import SENTENCES
from engines.espeak.training.voices.training_voice import TrainingVoice

__all__ = ["SEED", "hibari_voice", "open_hibari"]

SEED = 0  # of its noise
_DRAWN = 1600  # sentences, some two hours: what a network has not heard it predicts far worse (studio/measure/DIARY.md)


def hibari_voice() -> TrainingVoice:
    """Hibari's voice "heart", the one inside the package, which reads all sentences of ours and some that are drawn."""
    return TrainingVoice("heart", "en", True, _read)


def open_hibari() -> Any:
    """Reads a text when called. Raises EngineUnavailable where it is not installed."""
    try:
        from hibari import Hibari
    except ImportError as error:
        fact = f"The voice heart cannot be loaded: PyPI's package hibari-tts, or its onnxruntime, is not installed ({error})."
        raise EngineUnavailable(fact, "make natural", sentence="engine_library_absent") from error
    return Hibari(voice="heart", threads=1)


def _read() -> Iterator[tuple[str, Clip]]:
    hibari = open_hibari()
    for text in (*SENTENCES, *drawn_sentences(_DRAWN)):
        yield text, Clip(hibari(text, seed=SEED), hibari.sample_rate)
