"""Streams of Fish: cut anywhere and in fixed shapes, they are the same speech. What they share with others: ../test_lane_laws.py."""

import numpy as np
import pytest

from tests.engines.fish_speech.opened import FRAME, FRAMES, TEXT, learned, opened, reference, say, spoken

TOLERANCE = 2e-5


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (3, 2), (64, 64)])
def test_however_it_is_cut_it_is_the_same_speech(first, largest):
    given = {"initial_codec_chunk_frames": first, "codec_chunk_frames": largest}
    cut = [chunk for chunk in spoken(opened(), TEXT, learned(), **given) if len(chunk)]
    sizes = [len(chunk) // FRAME for chunk in cut]
    assert sizes[0] == min(first, FRAMES)
    assert max(sizes[1:], default=1) <= largest
    assert np.abs(np.concatenate(cut) - reference()).max() <= TOLERANCE
    assert len(reference()) == FRAMES * FRAME


def test_the_first_packet_has_two_frames_and_between_frames_others_have_their_turn():
    sizes = [len(chunk) // FRAME for chunk in spoken(opened(), TEXT, learned())]
    assert sizes[:3] == [0, 0, 2]
    assert [size for size in sizes if size] == [2, 4, 6]
    assert sizes.count(0) >= FRAMES


def test_fixed_shapes_change_no_sample_that_can_be_heard():
    for given in ({}, {"temperature": 0.0}, {"initial_codec_chunk_frames": 7}):
        assert np.abs(say(opened(fixed_shapes=True), TEXT, learned(), **given) - reference(**given)).max() <= TOLERANCE, given
