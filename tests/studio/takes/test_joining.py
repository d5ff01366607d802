"""A take that is put together again has the silences and levels that it had, and no click where parts meet."""

import numpy as np

from studio.takes.joining import JoinedPart, put_together

RATE = 8_000


def words(hz: float, seconds: float, level: float = 0.3, *, before: float = 0.05, behind: float = 0.2) -> np.ndarray:
    """int16 between silences of a noise that nobody hears. It begins and ends at its loudest, as a click would."""
    tone = level * np.cos(2 * np.pi * hz * np.arange(round(seconds * RATE)) / RATE)
    noise = np.random.default_rng(round(hz)).uniform(-0.002, 0.002, round(before * RATE) + len(tone) + round(behind * RATE))
    noise[round(before * RATE) : round(before * RATE) + len(tone)] += tone
    return np.rint(noise * 32768).astype(np.int16)


def sounding(samples: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.abs(samples) > 0.004 * 32768)


FIRST = [words(200, 1.0), words(210, 0.8, behind=0.35), words(220, 0.6)]


def test_parts_that_stay_are_the_same_samples():
    samples, starts = put_together([JoinedPart(one) for one in FIRST], RATE)
    assert np.array_equal(samples, np.concatenate(FIRST)) and starts == (0, len(FIRST[0]), len(FIRST[0]) + len(FIRST[1]))


def test_another_rendition_stands_between_the_silences_of_the_first_whatever_silence_it_has():
    for before, behind in ((0.0, 0.0), (0.3, 0.0), (0.003, 0.6)):
        said = words(300, 1.3, before=before, behind=behind)
        samples, starts = put_together([JoinedPart(FIRST[0]), JoinedPart(FIRST[1], said), JoinedPart(FIRST[2])], RATE)
        part = samples[starts[1] : starts[2]]
        heard, first = sounding(part), sounding(FIRST[1])
        assert abs(heard[0] - first[0]) <= 1 and abs(len(part) - heard[-1] - (len(FIRST[1]) - first[-1])) <= 1
        assert np.array_equal(samples[: starts[1]], FIRST[0]) and np.array_equal(samples[starts[2] :], FIRST[2])


def test_no_join_jumps_more_than_the_words_and_no_level_changes():
    said = words(300, 1.3, level=0.1)
    samples, starts = put_together([JoinedPart(FIRST[0], said), JoinedPart(None, said, round(0.25 * RATE)), JoinedPart(FIRST[2])], RATE)
    quiet = np.abs(samples) < 0.004 * 32768
    jumps = np.abs(np.diff(samples.astype(int)))
    assert jumps[quiet[:-1] & quiet[1:]].max() < 0.006 * 32768
    loudest = np.abs(samples[: starts[1]]).max()
    assert abs(int(loudest) - int(np.abs(said).max())) <= 1
    assert starts[2] - starts[1] == (0.01 + 1.3 + 0.25) * RATE  # with the onset that stays before words
