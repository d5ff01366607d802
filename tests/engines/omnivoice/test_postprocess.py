"""SentencePostprocessor: the official post-processing of a whole sentence, sample by sample, in whatever pieces it comes, and as early as
it can be.
"""

import numpy as np
import pytest

from engines.omnivoice.postprocess import SentencePostprocessor
from tests.engines.omnivoice.made_signals import FINISHINGS, RATE, cut_up, digest, golden_digests, made_noise, made_signal, made_signals

PAD = FADE = 2_400  # samples


def finished(pieces: list[np.ndarray], rms: float | None, removes_silences: bool = True, is_first: bool = False) -> np.ndarray:
    finishing = SentencePostprocessor(RATE, rms, is_first=is_first, removes_silences=removes_silences)
    return np.concatenate([*map(finishing.feed, pieces), finishing.finish()])


def speech(seconds: float, level: float = 0.4) -> np.ndarray:
    return (level * made_noise(round(seconds * RATE), 1)).astype(np.float32)


@pytest.mark.parametrize(("rms", "removes_silences"), FINISHINGS)
def test_a_finished_sentence_is_the_official_packages_in_whatever_pieces_it_comes(rms, removes_silences):
    wholes = []
    for seed, signal in enumerate(made_signals()):
        wholes.append(finished([signal], rms, removes_silences))
        assert np.array_equal(finished(cut_up(signal, seed), rms, removes_silences), wholes[-1]), seed
    assert all(whole.dtype == np.float32 for whole in wholes)
    assert digest(wholes) == golden_digests()[f"finished/{rms}/{removes_silences}"]


def test_the_first_sentence_of_a_speech_lacks_the_pad_before_it_and_nothing_else():
    for signal in (speech(1.0), speech(0.01), made_signal(3)):
        later, first = (finished([signal], 0.05, is_first=is_first) for is_first in (False, True))
        assert not later[:PAD].any() and np.array_equal(later[PAD:], first)


def test_a_sentence_that_is_silent_throughout_gives_no_sound_and_no_pads():
    for rms in (None, 0.05):
        assert not len(finished([np.zeros(RATE, np.float32)], rms))
        assert not len(finished([], rms))


def test_speech_goes_out_but_for_what_may_fade():
    finishing = SentencePostprocessor(RATE, 0.05, is_first=True)
    given = [len(finishing.feed(piece)) for piece in np.split(speech(1.0), 25)]  # of 960 samples
    assert given[:4] == [0] * 4 and given[4] == 5 * 960 - FADE  # no fade is shorter where there are two of them
    assert given[5:] == [960] * 20
    assert len(finishing.finish()) == FADE + PAD


def test_the_pad_between_two_sentences_goes_out_with_the_first_sound_of_the_second():
    finishing = SentencePostprocessor(RATE, 0.05, is_first=False)
    assert len(finishing.feed(np.zeros(960, np.float32))) == 0
    assert len(finishing.feed(speech(0.02))) == PAD
    assert len(finishing.feed(speech(0.02))) == 0


def test_without_a_recording_to_go_by_all_waits_for_the_peak():
    finishing = SentencePostprocessor(RATE, None, is_first=True)
    assert not len(finishing.feed(speech(1.0, level=0.2)))
    assert np.abs(finishing.finish()).max() == pytest.approx(0.5, abs=1e-3)


def test_a_quiet_recording_makes_quiet_speech_and_a_loud_one_leaves_it():
    middle = slice(FADE, -FADE - PAD)
    spoken = {rms: finished([speech(1.0)], rms, is_first=True)[middle] for rms in (0.05, 0.1, 0.4)}
    assert np.allclose(spoken[0.05], spoken[0.1] / 2) and np.array_equal(spoken[0.1], spoken[0.4])


def test_what_goes_out_is_within_full_scale_and_what_came_in_is_left_as_it_is():
    signal = speech(1.0, level=1.5)
    before = signal.copy()
    for removes_silences in (True, False):
        assert np.abs(finished([signal], 0.2, removes_silences)).max() <= 1
    assert np.array_equal(signal, before)
