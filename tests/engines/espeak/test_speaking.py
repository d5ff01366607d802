"""Streams: equal to the whole however cut, indifferent to each other and to the future, at the speed and pitch asked for."""

import gc
import threading

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from engines.errors import EngineUnavailable, LanguageUnsupported, TextUnspeakable
from engines.espeak import PACKAGE
from engines.kit.phonemes import espeak_library
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import SAMPLE_RATE

TEXT = "The lazy dog of Dr. Smith pays 3.5 dollars. Why? It could!"


@pytest.fixture(scope="module")
def whole(prompt, say) -> np.ndarray:
    return say(prompt, TEXT)


@pytest.mark.parametrize("blocks", [(0.05, 0.05), (0.07, 0.5), (0.2, 0.2), (0.33, 0.13), (2.0, 2.0)], ids=str)
def test_streamed_equals_whole_whatever_the_blocks(prompt, say, whole, blocks):
    streamed = say(prompt, TEXT, first_block_seconds=blocks[0], block_seconds=blocks[1])
    assert len(streamed) == len(whole)
    assert np.abs(streamed - whole).max() <= 1e-5


@pytest.mark.parametrize("speed", [0.6, 1.7])
def test_streamed_equals_whole_at_other_speeds(prompt, say, speed):
    text = "Why did he pay 3.5 dollars? Because he could!"
    streamed, whole = (say(prompt, text, speed=speed, first_block_seconds=f, block_seconds=b) for f, b in ((0.07, 0.11), (2.0, 2.0)))
    assert len(streamed) == len(whole)
    assert np.abs(streamed - whole).max() <= 1e-5


def test_blocks_have_the_sizes_asked_for(engine, prompt):
    options = resolve_options(PACKAGE.info.options, {"first_block_seconds": 0.1, "block_seconds": 0.25})
    sizes = [len(block) / SAMPLE_RATE for block in engine.stream(TEXT, prompt, options)]
    assert sizes[0] == pytest.approx(0.1, abs=0.01)
    assert sizes[1:-2] == pytest.approx([0.25] * (len(sizes) - 3), abs=0.01)


def test_the_future_cannot_change_the_past(prompt, say):
    one, other = (say(prompt, f"This is the beginning. {rest}") for rest in ("And so it ends.", "Nobody knows what comes next, though!"))
    same = np.nonzero(one[: len(other)] != other[: len(one)])[0][0]
    assert same > len(say(prompt, "This is the beginning."))


def test_there_is_no_step_at_block_borders(engine, prompt, whole):
    options = resolve_options(PACKAGE.info.options, {"block_seconds": 0.05})
    borders = np.cumsum([len(block) for block in engine.stream(TEXT, prompt, options)])[:-1]
    curvature = np.abs(np.diff(whole, 2))
    assert np.median(curvature[borders - 1]) < 3 * np.median(curvature)


def test_interleaved_streams_equal_each_alone(engine, prompt, say):
    german = {"language": "de", "seed": 3}
    texts = [("Hello, how are you today? I am fine.", {}), ("Guten Tag. Wie geht es Ihnen?", german)]
    alone = [say(prompt, text, **options) for text, options in texts]
    streams = [engine.stream(text, prompt, resolve_options(PACKAGE.info.options, options)) for text, options in texts]
    heard: list[list[np.ndarray]] = [[], []]
    while any(streams):
        for k, stream in enumerate(streams):
            block = next(stream, None) if stream else None
            if block is None:
                streams[k] = None
            else:
                heard[k].append(block)
    for parts, expected in zip(heard, alone, strict=True):
        assert np.array_equal(np.concatenate(parts), expected)


def test_the_seed_draws_the_noise(prompt, say, whole):
    assert np.array_equal(say(prompt, TEXT, seed=0), whole)
    other = say(prompt, TEXT, seed=2**63 - 1)
    assert len(other) == len(whole)
    assert not np.allclose(other, whole, atol=1e-3)


@pytest.mark.parametrize("speed", [0.25, 0.5, 2.0, 4.0])
def test_speed_scales_the_duration_and_keeps_the_pitch(prompt, say, whole, speed):
    samples = say(prompt, TEXT, speed=speed)
    assert len(samples) * speed == pytest.approx(len(whole), rel=0.05 * max(1, speed / 2))
    medians = [median_pitch(s) for s in (samples, whole)]
    assert abs(np.log2(medians[0] / medians[1])) < 1 / 12


def median_pitch(samples: np.ndarray) -> float:
    f0 = ClipAnalysis.of(Clip(samples[: 20 * SAMPLE_RATE], SAMPLE_RATE)).f0
    return float(np.median(f0[f0 > 0]))


@pytest.mark.parametrize("semitones", [-5.0, 4.0, 12.0])
def test_semitones_move_the_pitch_and_not_the_duration(prompt, say, whole, semitones):
    samples = say(prompt, TEXT, pitch_semitones=semitones)
    assert len(samples) == len(whole)
    assert abs(12 * np.log2(median_pitch(samples) / median_pitch(whole)) - semitones) < 1


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "zh"])
def test_the_languages_speak_at_the_usual_level(prompt, say, texts, language):
    for text in texts(language)[:1]:
        samples = say(prompt, text, language=language)
        assert np.isfinite(samples).all()
        assert np.abs(samples).max() <= 1
        assert 1 < len(samples) / SAMPLE_RATE < 10
        assert -26 < 20 * np.log10(samples.std()) < -17


def test_every_declared_language_speaks(engine, prompt):
    for language in PACKAGE.info.languages:
        options = resolve_options(PACKAGE.info.options, {"language": language, "first_block_seconds": 0.4})
        stream = engine.stream("Ana papa 12", prompt, options)
        samples = next(stream)
        stream.close()
        assert len(samples) > 0.3 * SAMPLE_RATE, language
        assert 20 * np.log10(samples.std()) > -30, language


def test_without_a_language_the_script_decides(prompt, say):
    assert np.array_equal(say(prompt, "你好吗？"), say(prompt, "你好吗？", language="zh"))


def test_a_long_text_starts_by_speaking_no_more_than_its_first_sentence(engine, prompt, monkeypatch, texts):
    spoken = []
    speak = espeak_library.speak
    monkeypatch.setattr(espeak_library, "speak", lambda text, *rest, **named: spoken.append(text) or speak(text, *rest, **named))
    text = " ".join(texts("en") * 14)
    stream = engine.stream(text, prompt, resolve_options(PACKAGE.info.options, {}))
    assert not spoken
    next(stream)
    assert spoken == [texts("en")[0]]
    stream.close()
    assert spoken == [texts("en")[0]]


def test_closing_stops_and_leaves_no_thread_and_the_engine_usable(engine, prompt, say, whole):
    before = threading.active_count()
    stream = engine.stream(" ".join([TEXT] * 20), prompt, resolve_options(PACKAGE.info.options, {}))
    next(stream)
    stream.close()
    assert next(stream, None) is None
    assert threading.active_count() == before
    assert np.array_equal(say(prompt, TEXT), whole)


def test_sentences_keep_a_pause_between_them(prompt, say):
    joined, apart = say(prompt, "Hello there everyone"), say(prompt, "Hello there. Everyone")
    assert len(apart) > len(joined) + 0.2 * SAMPLE_RATE


def test_what_cannot_be_spoken_is_refused(prompt, say):
    with pytest.raises(TextUnspeakable):
        say(prompt, "?!...")
    with pytest.raises(LanguageUnsupported):
        from engines.kit.phonemes.languages import language_of

        language_of("x", "tlh")


def test_it_opens_on_the_cpu_in_float32_only(tmp_path):
    for asked in ({"device": "cuda:0"}, {"dtype": "bfloat16"}, {"checkpoint": str(tmp_path / "none.safetensors")}):
        with pytest.raises(EngineUnavailable):
            PACKAGE.open(**asked)


def test_texts_of_many_lengths_leave_no_types_behind():
    def n_types() -> int:
        gc.collect()
        return sum(issubclass(type(one), type) for one in gc.get_objects())

    espeak_library.speak("warm", "en")
    before = n_types()
    for n in range(1, 9):
        espeak_library.speak("a " * n, "en")
    assert n_types() == before
