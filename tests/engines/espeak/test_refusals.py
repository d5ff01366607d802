"""Clips and transcripts that cannot be used are refused with the right reason; those that can are not."""

import numpy as np
import pytest

from engines.clips.clip import Clip, Transcript
from engines.errors import ClipUnusable, PromptInvalid, TranscriptMismatch
from engines.kit.signal.clip_analysis import inspect_clip

RATE = 16_000
TIME = np.arange(6 * RATE) / RATE
RANDOM = np.random.default_rng(0)


def harmonics(hz: float, count: int, time: np.ndarray = TIME) -> np.ndarray:
    return sum(np.sin(2 * np.pi * hz * k * time) / k for k in range(1, count + 1))


def tune(chords: list[tuple[float, ...]], decay: float) -> np.ndarray:
    beat = TIME[: RATE // 2]
    shape = np.exp(-decay * beat) * np.minimum(1, 100 * beat)
    notes = [sum(harmonics(hz, 5, beat) for hz in chord) * shape for chord in chords]
    return np.concatenate(notes * 3)


def with_noise(vocoded: Clip, snr_db: float) -> Clip:
    power = np.mean(np.square(vocoded.samples))
    noise = np.random.default_rng(1).standard_normal(len(vocoded.samples)) * np.sqrt(power * 10 ** (-snr_db / 10))
    return Clip((vocoded.samples + noise).astype(np.float32) * 0.5, vocoded.sample_rate)


NO_SPEECH = {
    "white noise": 0.2 * RANDOM.standard_normal(len(TIME)),
    "modulated noise": 0.2 * RANDOM.standard_normal(len(TIME)) * (0.5 + 0.5 * np.sin(2 * np.pi * 4 * TIME)),
    "tone": 0.3 * np.sin(2 * np.pi * 220 * TIME),
    "mains hum": 0.1 * harmonics(50, 7),
    "chords": 0.05 * tune([(262, 330, 392), (220, 262, 330), (175, 220, 262), (196, 247, 294)], 3),
    "melody": 0.1 * tune([(262,), (294,), (330,), (392,)], 6),
    "clicks": np.where(np.arange(len(TIME)) % 4000 == 0, 0.9, 0) + 1e-4 * RANDOM.standard_normal(len(TIME)),
}


def refusal(engine, samples: np.ndarray, rate: int = RATE) -> ClipUnusable:
    with pytest.raises(ClipUnusable) as caught:
        engine.extract(Clip(np.asarray(samples, np.float32), rate))
    assert caught.value.hint
    return caught.value


def test_a_clip_under_a_second_is_refused(engine, vocoded):
    error = refusal(engine, vocoded.samples[: vocoded.sample_rate // 2], vocoded.sample_rate)
    assert error.code == "clip_too_short"
    assert error.fact.startswith("Only 500 ms. 1 s are needed")


def test_an_empty_clip_is_refused(engine):
    assert refusal(engine, np.zeros(0)).code == "clip_too_short"


def test_a_clip_over_half_a_minute_is_refused(engine, vocoded):
    assert refusal(engine, np.tile(vocoded.samples, 4), vocoded.sample_rate).code == "clip_too_long"


@pytest.mark.parametrize("level", [0.0, 1e-5])
def test_a_silent_clip_is_refused(engine, level):
    assert refusal(engine, np.full(2 * RATE, level)).code == "clip_silent"


@pytest.mark.parametrize("kind", NO_SPEECH)
def test_a_clip_without_speech_is_refused(engine, kind):
    assert refusal(engine, NO_SPEECH[kind]).code == "clip_no_speech"


@pytest.mark.parametrize("snr_db", [2, 0])
def test_speech_in_loud_noise_is_refused(engine, vocoded, snr_db):
    assert refusal(engine, with_noise(vocoded, snr_db).samples, vocoded.sample_rate).code == "clip_noisy"


@pytest.mark.parametrize("snr_db", [8, 15, 30])
def test_speech_in_some_noise_is_accepted_and_its_noise_measured(engine, vocoded, snr_db):
    facts = engine.extract(with_noise(vocoded, snr_db)).facts
    assert abs(facts["snr_db"] - snr_db) < 2


def test_heavily_clipped_speech_is_refused_and_slightly_clipped_speech_is_not(engine, vocoded):
    error = refusal(engine, (vocoded.samples * 40).clip(-1, 1), vocoded.sample_rate)
    assert error.code == "clip_clipped"
    with pytest.raises(ClipUnusable) as declared:  # before the engine is open: the same check of the same samples
        engine.info.sound_check(Clip((vocoded.samples * 40).clip(-1, 1), vocoded.sample_rate))
    assert (declared.value.fact, declared.value.code) == (error.fact, error.code)
    slightly = Clip((vocoded.samples * 6).clip(-1, 1), vocoded.sample_rate)
    assert 0.005 < engine.extract(slightly).facts["clipped_share"] < 0.2


def test_the_words_of_another_clip_are_refused(engine, vocoded, texts):
    other = " ".join(texts("en")[:3])
    with pytest.raises(TranscriptMismatch) as caught:
        engine.extract(vocoded, Transcript(other, "en"))
    assert "leave them out" in caught.value.hint


@pytest.mark.parametrize("words", ["Hi.", "and so on and so forth " * 60])
def test_a_transcript_much_too_short_or_long_is_refused(engine, vocoded, words):
    with pytest.raises(TranscriptMismatch, match="a second"):
        engine.extract(vocoded, Transcript(words, "en"))


def test_inspection_measures_and_never_raises(vocoded):
    quality = inspect_clip(vocoded)
    assert quality.seconds == pytest.approx(vocoded.seconds)
    assert 7 < quality.speech_seconds < vocoded.seconds
    assert quality.snr_db > 25
    assert quality.clipped_share < 0.001
    assert quality.bandwidth_hz > 7000
    assert 120 < quality.f0_hz < 180
    for samples in (np.zeros(0), np.zeros(10), np.zeros(RATE), np.ones(30), NO_SPEECH["clicks"], np.eye(1, RATE)[0]):
        inspect_clip(Clip(np.asarray(samples, np.float32), RATE))


def test_a_prompt_of_another_engine_is_refused(engine, prompt, say):
    from dataclasses import replace

    with pytest.raises(PromptInvalid):
        say(replace(prompt, engine="other"), "Hello.")
