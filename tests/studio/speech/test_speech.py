"""A speech is heard at the rate asked for and within full scale, kept as it was heard, and never shorter than it should be in silence."""

import io
import threading

import numpy as np
import pytest
import soundfile

from studio.audio.level_meter import soft_limited
from studio.errors import NoAudio
from studio.speech.request import SpeechRequest
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, SAMPLE_RATE, FakeEngine

TEXT = "A text of a few chunks."


class Made(FakeEngine):
    """Makes the given chunks, whatever the text."""

    def __init__(self, *chunks: np.ndarray):
        super().__init__()
        self._chunks = chunks

    def stream(self, text, prompt, options):
        yield from self._chunks


def tone(peak: float) -> np.ndarray:
    return (peak * np.sin(2 * np.pi * 440 * np.arange(CHUNK_SAMPLES) / SAMPLE_RATE)).astype(np.float32)


def polled(speech) -> np.ndarray:
    """All of it by `poll`, as async doors read."""
    parts = []
    while True:
        samples, over = speech.poll()
        if over:
            return np.concatenate(parts)
        if samples is not None:
            parts.append(samples)


each_way = pytest.mark.parametrize("read", [polled, lambda speech: speech.read_all()], ids=["polled", "iterated"])


@each_way
@pytest.mark.parametrize("sample_rate", [8_000, None, 48_000])
def test_what_is_kept_is_what_was_heard_at_the_rate_that_was_asked_for(open_studio, read, sample_rate):
    studio = open_studio(Made(tone(0.5), tone(3.0), tone(0.95)))
    with studio.speak(SpeechRequest(TEXT, sample_rate=sample_rate, keep=True)) as speech:
        heard = read(speech)
    rate = sample_rate or SAMPLE_RATE
    assert (speech.sample_rate, speech.n_samples) == (rate, len(heard))
    assert abs(len(heard) - 3 * CHUNK_SAMPLES * rate / SAMPLE_RATE) <= 2
    assert np.abs(heard).max() <= 1.0
    studio.history.settle()
    [entry] = studio.history.entries()
    kept, kept_rate = soundfile.read(io.BytesIO(studio.history.audio(entry.id)), dtype="int16")
    assert (kept_rate, entry.sample_rate) == (rate, rate)
    assert entry.seconds == pytest.approx(len(heard) / rate) == speech.seconds
    assert np.array_equal(kept, np.clip(np.rint(heard * np.float32(32_768)), -32_768, 32_767).astype(np.int16))


def test_what_is_too_loud_is_limited_once(open_studio):
    loud = tone(1.2)
    with open_studio(Made(loud)).speak(SpeechRequest(TEXT)) as speech:
        heard = speech.read_all()
    assert np.array_equal(heard, soft_limited(loud))
    assert not np.array_equal(heard, soft_limited(heard))


def test_a_chunk_is_handed_out_before_the_next_one_is_made(open_studio):
    steps = threading.Semaphore(1)
    studio = open_studio(FakeEngine(before_chunk=lambda index: steps.acquire(timeout=60)))
    with studio.speak(SpeechRequest(TEXT)) as speech:
        assert len(next(speech)) == CHUNK_SAMPLES
        assert speech.poll() == (None, False)
        steps.release()
        assert len(next(speech)) == CHUNK_SAMPLES
    steps.release()


@each_way
@pytest.mark.parametrize("sample_rate", [None, 8_000])
def test_a_speech_that_holds_no_sample_is_an_error_for_as_long_as_it_is_read(open_studio, read, sample_rate):
    studio = open_studio(Made(np.zeros(1, np.float32)) if sample_rate else Made(np.zeros(0, np.float32), tone(0.1)[:0]))
    with studio.speak(SpeechRequest(TEXT, sample_rate=sample_rate)) as speech:
        for _ in range(2):
            with pytest.raises(NoAudio):
                read(speech)


def test_a_failure_is_told_to_whoever_reads_on(open_studio):
    """Or a chunk of no numbers would be a hole in the speech, and not its end."""
    studio = open_studio(Made(tone(0.5), np.full(CHUNK_SAMPLES, np.nan, np.float32), tone(0.5)))
    with studio.speak(SpeechRequest(TEXT, keep=True)) as speech:
        assert len(next(speech)) == CHUNK_SAMPLES
        for _ in range(2):
            with pytest.raises(NoAudio, match="not numbers"):
                next(speech)
        with pytest.raises(NoAudio, match="not numbers"):
            polled(speech)
    studio.history.settle()
    [entry] = studio.history.entries()
    assert (entry.ended, entry.seconds) == ("failed", CHUNK_SAMPLES / SAMPLE_RATE)
