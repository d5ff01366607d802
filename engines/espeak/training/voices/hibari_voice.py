"""The voice "heart" of PyPI's package `hibari-tts`: a small network that reads English at 24 kHz nearly as a person does."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from engines.espeak.training.voices.drawn_sentences import drawn_sentences
from engines.espeak.training.voices.texts import SENTENCES
from engines.espeak.training.voices.training_voice import INSTALL, TrainingVoice

__all__ = ["SEED", "hibari_voice", "open_hibari", "spoken_with_pitch"]

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
        raise EngineUnavailable(
            command=INSTALL, sentence="engine_library_absent", detail=f"hibari-tts of PyPI, or its onnxruntime ({error})"
        ) from error
    return Hibari(voice="heart", threads=1)


def spoken_with_pitch(hibari: Any, sentence: str) -> tuple[np.ndarray, np.ndarray, int]:
    """(T,) float32 at 24 kHz, as `hibari` reads one sentence; (F,) Hz, the F0 that its network gave; samples between two of these."""
    from hibari import dsp

    (phonemes,) = hibari.phonemize(sentence)
    given = {"ids": np.asarray([hibari.ids(phonemes)], np.int64), "speed": np.asarray([1.0], np.float32)}
    outputs = [output[0] for output in hibari.sess.run(None, given)]
    samples = dsp.synth(*outputs, np.random.default_rng(SEED)).astype(np.float32)
    return samples, np.asarray(outputs[-1], np.float64), dsp.HOP


def _read() -> Iterator[tuple[str, Clip]]:
    hibari = open_hibari()
    for text in (*SENTENCES, *drawn_sentences(_DRAWN)):
        yield text, Clip(hibari(text, seed=SEED), hibari.sample_rate)
