"""Silence removal: bit for bit what the official package makes of made signals, in every cut, and nothing held back that is certain."""

import numpy as np
import pytest

from engines.omnivoice.silence import SilenceRemover, remove_silence
from tests.engines.omnivoice.made_signals import RATE, SETTINGS, cut_up, digest, golden_digests, made_noise, made_signals

RECORDING = (200, 100, 200)
SPEECH = (500, 100, 100)


def removed_in_pieces(signal: np.ndarray, setting: tuple[int, int, int], seed: int = 0) -> np.ndarray:
    remover = SilenceRemover(RATE, *setting)
    return np.concatenate([*map(remover.feed, cut_up(signal, seed)), remover.finish()])


def noise(seconds: float, level: float = 0.5, seed: int = 1) -> np.ndarray:
    return (level * made_noise(round(seconds * RATE), seed)).astype(np.float32)


def alike_samples(one: np.ndarray, other: np.ndarray) -> int:
    """How many they begin with alike."""
    n = min(len(one), len(other))
    return int(np.flatnonzero(np.append(one[:n] != other[:n], True))[0])


def constant(level: int, milliseconds: float) -> np.ndarray:
    """level: of 32768."""
    return np.full(round(RATE * milliseconds / 1000), level / 32768, np.float32)


def joined(*stretches: tuple[int, float]) -> np.ndarray:
    return np.concatenate([constant(level, milliseconds) for level, milliseconds in stretches])


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_what_is_left_is_the_official_packages_to_the_last_bit(setting):
    sounds = [remove_silence(signal, RATE, *setting) for signal in made_signals()]
    assert all(sound.dtype == np.float32 for sound in sounds)
    assert digest(sounds) == golden_digests()["/".join(map(str, ("removed", *setting)))]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_no_cut_into_pieces_changes_a_bit(setting):
    for seed, signal in enumerate(made_signals()):
        assert np.array_equal(removed_in_pieces(signal, setting, seed), remove_silence(signal, RATE, *setting)), seed


def test_single_samples_are_pieces_as_well():
    signal = joined((0, 12.3), (900, 15), (0, 45), (900, 10.6))
    remover = SilenceRemover(RATE, 20, 5, 7)
    got = np.concatenate([*(remover.feed(sample) for sample in signal[:, None]), remover.finish()])
    assert 0 < len(got) < len(signal) and np.array_equal(got, remove_silence(signal, RATE, 20, 5, 7))


def test_silence_ends_one_step_of_sixteen_bits_above_103():
    """-50 dBFS is 103.6 of 32768, and the level of a slice a whole number."""
    for level, n_left in ((103, 0), (104, 1000)):
        assert len(remove_silence(constant(level, 1000), RATE, *SPEECH)) == n_left * 24
    half_louder = np.where(np.arange(RATE) % 2, 103, 104).astype(np.float32) / 32768  # a root of 103.501 is cut to 103
    assert not len(remove_silence(half_louder, RATE, *SPEECH))


def test_a_pause_is_cut_to_the_most_of_it_that_is_kept_and_a_shorter_one_stays():
    for pause, left in ((900, 900), (1000, 1000), (1010, 1000), (5000, 1000)):
        assert len(remove_silence(joined((3000, 300), (0, pause), (3000, 300)), RATE, *SPEECH)) == 24 * (600 + left), pause


def test_both_ends_are_cut_to_what_was_asked_for():
    signal = joined((0, 700), (3000, 300), (0, 700))
    assert len(remove_silence(signal, RATE, *RECORDING)) == 24 * (100 + 300 + 200)


def test_what_is_silent_throughout_leaves_nothing_unless_it_is_shorter_than_a_pause():
    assert not len(remove_silence(constant(0, 500), RATE, *SPEECH))
    assert len(remove_silence(constant(0, 499), RATE, *SPEECH)) == 24 * 100
    assert not len(remove_silence(np.zeros(0, np.float32), RATE, *SPEECH))


def test_half_a_millisecond_at_the_end_is_completed_and_less_is_left_out():
    for n_samples, n_left in ((24_011, 24_000), (24_012, 24_000), (24_013, 24_024), (24_036, 24_048)):
        assert len(remove_silence(np.full(n_samples, 0.1, np.float32), RATE, *SPEECH)) == n_left


def test_speech_is_given_out_as_it_comes():
    signal = noise(2.0)
    remover = SilenceRemover(RATE, *SPEECH)
    given = [len(remover.feed(piece)) for piece in np.split(signal, 50)]
    assert sum(given) == len(signal) and min(given) == 960


def test_a_pause_is_given_out_as_far_as_it_stays_whatever_follows_and_the_rest_with_the_sound_behind_it():
    """At least 100 ms of it stay where nothing follows, and of 1.2 s no more than 1 s where sound does."""
    remover = SilenceRemover(RATE, *SPEECH)
    assert len(remover.feed(noise(1.0))) == RATE
    assert 24 * 100 <= len(remover.feed(constant(0, 1200))) < 24 * 110  # by chunks of 10 ms
    assert len(remover.feed(noise(0.1))) > 24 * (1000 - 110)


def test_what_is_given_out_is_what_all_that_may_follow_leaves_alike():
    """What may follow: the end, silence of any length, sound behind it. Quiet noise tells the samples of silences apart."""
    hum = noise(3.5, 20 / 32768)
    endings = [hum[: 24 * ms] for ms in (*range(11), 200, 205, 400, 600)]
    endings += [np.concatenate([hum[: 24 * ms], noise(0.2, seed=ms)]) for ms in (0, 5, 200, 400, 600)]
    held = []
    for made in made_signals():
        signal = (made + hum[: len(made)])[: len(made) // 24 * 24]
        given = len(SilenceRemover(RATE, *RECORDING).feed(signal))
        wholes = [remove_silence(np.concatenate([signal, ending]), RATE, *RECORDING) for ending in endings]
        alike = min(alike_samples(wholes[0], whole) for whole in wholes[1:])
        held.append(alike - given)  # the endings are not all that there are: one may hide some samples of a chunk
    assert min(held) >= 0 and max(held) < 240


def test_a_sound_that_two_slices_share_does_not_part_a_silence():
    """Neither has enough of it to be heard there, so that one ends where the other begins; the slice between them does."""
    blips = joined((0, 99), (400, 2), (0, 99))
    signal = np.concatenate([constant(3000, 50), blips, constant(3000, 50)])
    for left in (remove_silence(signal, RATE, 20, 0, 0), removed_in_pieces(signal, (20, 0, 0))):
        assert len(left) == 24 * (50 + 20 + 20 + 50) and np.abs(left).max() == np.float32(3000 / 32768)
        assert 400 / 32768 not in left


def test_the_last_chunk_at_an_end_may_be_short_and_needs_less_to_be_heard():
    for signal, left in ((joined((0, 20), (150, 4)), 4), (joined((150, 5), (0, 8)), 3)):
        assert len(remove_silence(signal, RATE, 0, 0, 0)) == len(removed_in_pieces(signal, (0, 0, 0))) == 24 * left


def test_a_single_millisecond_of_sound_ends_a_short_pause():
    remover = SilenceRemover(RATE, *SPEECH)
    pieces = noise(1.0), constant(0, 304), constant(9000, 1)
    assert sum(len(remover.feed(piece)) for piece in pieces) == sum(map(len, pieces))


def test_other_rates_have_their_own_milliseconds_and_unequal_ones_are_refused():
    signal = np.repeat(joined((0, 700), (3000, 300), (0, 700)), 2)
    assert len(remove_silence(signal, 48_000, *RECORDING)) == 48 * 600
    for rate in (22_050, 8_000):
        with pytest.raises(ValueError, match=f"not at {rate}"):
            SilenceRemover(rate, *RECORDING)
    for setting in ((15, 0, 0), (200, -1, 0)):
        with pytest.raises(ValueError, match="whole steps of 10 ms"):
            SilenceRemover(RATE, *setting)
