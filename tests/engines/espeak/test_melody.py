"""Who decides the pitch: the network, but eSpeak where pitch tells words apart."""

import numpy as np
import pytest

from engines.espeak.conversion import Conversion, ConversionParams
from engines.espeak.languages import CODES, language_of
from engines.espeak.speaker_model import SpeakerModel


def _contours(engine, text, code):
    """log F0 of what is spoken and of the source, where both are voiced."""
    speaker = SpeakerModel.of(engine.preset("heart").tensors)
    conversion = Conversion(
        text, ConversionParams(speaker, language_of(text, code), 1.0, 0.0), engine._prior, end_pause=False, hurried=False
    )
    spoken = conversion.frames(0, 200).f0
    source = conversion._source.f0(0, len(spoken))
    both = (spoken > 0) & (source > 0)
    return np.log(spoken[both]), np.log(source[both])


def test_tones_stay_as_espeak_speaks_them(engine):
    spoken, source = _contours(engine, "妈妈骑马，马慢，妈妈骂马。", "zh")
    assert np.corrcoef(spoken, source)[0, 1] > 0.999


@pytest.mark.parametrize(
    ("text", "code"), [("The children were playing in the garden.", "en"), ("Les enfants jouaient dans le jardin.", "fr")]
)
def test_elsewhere_the_melody_is_that_of_natural_speech(engine, text, code):
    spoken, source = _contours(engine, text, code)
    assert len(spoken) > 60 and np.corrcoef(spoken, source)[0, 1] < 0.98


def test_the_melody_of_a_question_is_another_than_that_of_a_statement(engine):
    stated, asked = (_contours(engine, f"The children were playing in the garden{mark}", "en")[0] for mark in ".?")
    n = min(len(stated), len(asked))
    assert np.abs(stated[:n] - asked[:n]).max() > 0.05


def test_languages_with_tones_are_known():
    assert [code for code in ("zh", "yue", "vi", "th", "ja", "en", "de") if language_of("", code).is_tonal] == [
        "zh",
        "yue",
        "vi",
        "th",
        "ja",
    ]
    assert {"zh", "vi", "th"} <= set(CODES)
