"""Who decides the pitch: the network, but eSpeak where pitch tells words apart."""

import numpy as np
import pytest

from engines.contract.options import resolve_options
from engines.espeak import PACKAGE
from engines.espeak.prior.espeak_frames import PacedFrames
from engines.espeak.speaker.speaker_model import SpeakerModel
from engines.espeak.synthesis import TimbreMapping, TimbreParams
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import CODES, language_of


def _contours(engine, text, code):
    """log F0 of what is spoken and of the source, where both are voiced."""
    speaker = SpeakerModel.of(engine.preset("heart").tensors)
    conversion = TimbreMapping(
        text, TimbreParams(speaker, language_of(text, code), 1.0, 0.0), engine._prior, end_pause=False, hurried=False
    )
    spoken = conversion.frames(0, 200).f0
    source = conversion._heard.source.f0(0, len(spoken))
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


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("vi", "Tôi rất thích uống cà phê vào buổi sáng."),
        ("vi-vn-x-central", "Cuốn sách này rất thú vị, tôi đã đọc ba lần rồi."),
        ("vi-vn-x-south", "Cuốn sách này rất thú vị, tôi đã đọc ba lần rồi."),
        ("yue", "今日天氣好好，我哋去公園行下。"),
        ("yue-latn-jyutping", "gam1 jat6 tin1 hei3 hou2 hou2."),
        ("zh", "他每天早上六点起床，然后去跑步。"),
        ("cmn-latn-pinyin", "qing3 wen4 zui4 jin4 de5 di4 tie3 zhan4 zai4 na3 li3?"),
        ("hak", "kin1 ngit5 tien1 hi4 ho3."),
        ("th", "วันนี้อากาศดีมาก"),
        ("my", "သူ မနက်တိုင်း ခြောက်နာရီမှာ အိပ်ရာထတယ်။"),
        ("shn", "မႂ်ႇသုင်ၶႃႈ ၵိၼ်ၶဝ်ႈယဝ်ႉႁႃႉ"),
        ("ja", "わたしはまいあさコーヒーをのみます。"),
    ],
)
def test_a_melody_of_tones_lies_about_the_speakers_own_pitch_and_is_as_loud_as_others(engine, code, text):
    language = language_of(text, code)
    source = PacedFrames.of(espeak_library.speak(text, language.voice), engine._prior, language)
    melody = source.melody(0, source.n_frames)[source.f0(0, source.n_frames) > 0]
    assert abs(np.median(melody)) < 0.8, "deviations of the speaker's log F0"
    assert np.abs(melody).max() <= 4, "what lies further is no tone"
    samples = np.concatenate(list(engine.stream(text, engine.preset("heart"), resolve_options(PACKAGE.info.options, {"language": code}))))
    assert 20 * np.log10(samples.std()) > -27
