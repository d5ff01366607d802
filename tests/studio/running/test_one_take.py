"""One take out of several: a speech whose speakers die at any boundary is what one that lived would have spoken, bit for bit."""

import gc
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from engines.contract.contract import YIELD_POINT
from engines.contract.speech_end import SpeechEnd
from engines.errors import EngineError, EngineFailed, PromptInvalid
from studio.running.one_take import OneTake, SpeakerLost, TakeDiffers

SAMPLES = np.random.default_rng(1).uniform(-1, 1, 1000).astype(np.float32)
END = SpeechEnd("capped", "It was cut.")
SIZE = 100  # of a block
N_BLOCKS = len(SAMPLES) // SIZE
MOST = 3


class Take:
    """Speaks samples in blocks, and dies after `n_blocks` of them; None lives."""

    def __init__(self, n_blocks: int | None = None, size: int = SIZE, samples: np.ndarray = SAMPLES, error: Exception | None = None):
        self.n_blocks, self.size, self.samples, self.error = n_blocks, size, samples, error
        self.n_spoken, self.closed = 0, False
        self.chunks = None

    def __call__(self) -> Iterator[np.ndarray]:
        self.chunks = self._spoken()  # kept here, so that it is not closed by being forgotten
        return self.chunks

    def _spoken(self) -> Iterator[np.ndarray]:
        try:
            for start in range(0, len(self.samples), self.size):
                if self.n_spoken == self.n_blocks:
                    raise self.error or SpeakerLost("killed")
                yield self.samples[start : start + self.size].copy()
                yield YIELD_POINT
                self.n_spoken += 1
            if self.n_blocks is not None:
                raise self.error or SpeakerLost("killed")
            return END
        finally:
            self.closed = True


def one_by_one(*takes: Take) -> Callable[[], Iterator[np.ndarray]]:
    coming = iter(takes)

    def take() -> Iterator[np.ndarray]:
        return next(coming)()

    return take


def heard_of(*takes: Take, most: int = MOST) -> tuple[list[np.ndarray], SpeechEnd | Exception]:
    """Chunks that are not empty, and how it ended."""
    speech, heard = OneTake().spoken(one_by_one(*takes), most), []
    while True:
        try:
            chunk = next(speech)
        except StopIteration as end:
            return heard, end.value
        except (SpeakerLost, TakeDiffers, EngineError) as error:
            return heard, error
        if len(chunk):
            heard.append(chunk)


def assert_whole(heard: list[np.ndarray], end: object) -> None:
    np.testing.assert_array_equal(np.concatenate(heard), SAMPLES)
    assert end is END


@pytest.mark.parametrize("size", [SIZE, 70, 130, len(SAMPLES)])
def test_a_death_at_any_boundary_is_not_heard_however_the_other_cuts_its_blocks(size):
    for n_blocks in range(N_BLOCKS + 1):
        assert_whole(*heard_of(Take(n_blocks), Take(size=size)))


def test_a_second_death_at_any_boundary_before_or_after_the_first_is_not_heard_either():
    for first in range(N_BLOCKS + 1):
        for second in range(N_BLOCKS + 1):
            assert_whole(*heard_of(Take(first), Take(second), Take()))


def test_when_all_that_may_be_asked_have_died_it_says_so_after_what_was_heard():
    for n_blocks in range(N_BLOCKS + 1):
        heard, end = heard_of(Take(n_blocks), Take(0), Take(n_blocks))
        assert isinstance(end, SpeakerLost)
        assert sum(map(len, heard)) == n_blocks * SIZE


@pytest.mark.parametrize("place", [0, SIZE - 1, 3 * SIZE, 5 * SIZE - 1])
def test_one_bit_that_comes_otherwise_ends_it_and_nothing_of_that_take_is_heard(place):
    other = SAMPLES.copy()
    other.view(np.uint32)[place] ^= 1
    heard, end = heard_of(Take(5), Take(samples=other))
    assert isinstance(end, TakeDiffers)
    np.testing.assert_array_equal(np.concatenate(heard), SAMPLES[: 5 * SIZE])


def test_what_is_other_only_after_what_was_heard_is_one_speech_of_the_last_speaker():
    other = SAMPLES.copy()
    other[5 * SIZE :] *= -1
    heard, end = heard_of(Take(5), Take(samples=other))
    np.testing.assert_array_equal(np.concatenate(heard), other)
    assert end is END


def test_a_take_that_ends_before_what_was_heard_differs():
    for n_samples in (0, SIZE, 5 * SIZE - 1):
        heard, end = heard_of(Take(5), Take(samples=SAMPLES[:n_samples]))
        assert isinstance(end, TakeDiffers)
        assert sum(map(len, heard)) == 5 * SIZE


def test_a_refusal_of_what_was_spoken_before_differs_and_an_error_of_what_is_new_is_its_own():
    refused = PromptInvalid("made by another revision")
    assert isinstance(heard_of(Take(5), Take(0, error=refused))[1], TakeDiffers)
    assert isinstance(heard_of(Take(5), Take(4, error=refused))[1], TakeDiffers)
    failed = EngineFailed("It failed.")
    assert heard_of(Take(5), Take(5, error=failed))[1] is failed
    assert heard_of(Take(0), Take(0, error=refused))[1] is refused


def test_who_hangs_up_while_it_is_spoken_again_ends_that_take():
    first, again = Take(5), Take()
    speech = OneTake().spoken(one_by_one(first, again), MOST)
    while not again.n_spoken:
        next(speech)
    assert next(speech) is YIELD_POINT
    assert again.n_spoken < 5
    speech.close()
    assert first.closed and again.closed
    assert again.n_spoken < 5


@pytest.mark.slow
def test_nothing_of_the_sound_is_kept():
    kept: list[weakref.ref] = []

    def take() -> Iterator[np.ndarray]:
        for start in range(0, len(SAMPLES), SIZE):
            chunk = SAMPLES[start : start + SIZE].copy()
            kept.append(weakref.ref(chunk))
            yield chunk
            del chunk
        return END

    whole = OneTake()
    speech = whole.spoken(take, MOST)
    for _ in range(N_BLOCKS):
        assert len(next(speech)) == SIZE
    gc.collect()
    assert sum(reference() is not None for reference in kept) <= 1  # the one that is being handed on
    assert whole.n_samples == len(SAMPLES)
