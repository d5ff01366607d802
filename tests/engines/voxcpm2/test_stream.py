"""Streams of VoxCPM2: cut anywhere and in fixed shapes, they are the same speech. What they share with others: ../test_lane_laws.py."""

import numpy as np
import pytest

from tests.engines.voxcpm2.opened import PATCH, PATCHES, TEXT, learned, opened, reference, say, spoken

TOLERANCE = 2e-5


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (3, 2), (16, 16)])
def test_however_it_is_cut_it_is_the_same_speech(first, largest):
    cut = [chunk for chunk in spoken(opened(), TEXT, learned(), first_chunk_patches=first, chunk_patches=largest) if len(chunk)]
    sizes = [len(chunk) // PATCH for chunk in cut]
    assert sizes[0] == min(first, PATCHES)
    assert max(sizes[1:], default=1) <= largest
    assert np.array_equal(np.concatenate(cut), reference())
    assert len(reference()) == PATCHES * PATCH


def test_the_first_patch_comes_at_once_and_between_patches_others_have_their_turn():
    sizes = [len(chunk) // PATCH for chunk in spoken(opened(), TEXT, learned())]
    assert sizes[:2] == [0, 1]
    assert [size for size in sizes if size] == [1, 2, 4]
    assert sizes.count(0) >= PATCHES


@pytest.mark.parametrize("mode", ["reference", "continuation", "both"])
def test_fixed_shapes_change_no_sample_that_can_be_heard(mode):
    assert np.abs(say(opened(fixed_shapes=True), TEXT, learned(), mode=mode) - reference(mode=mode)).max() <= TOLERANCE
