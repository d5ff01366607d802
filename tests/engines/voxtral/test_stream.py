"""Streams of Voxtral: cut anywhere and in fixed shapes, they are the same speech. What they share with others: ../test_lane_laws.py."""

import numpy as np
import pytest

from engines.voxtral.batched_decoder import VoxtralRows
from tests.engines.voxtral.opened import FRAME, FRAMES, TEXT, learned, opened, reference, say, spoken

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


def test_the_first_packet_is_one_frame_of_80_ms_and_between_frames_others_have_their_turn():
    sizes = [len(chunk) / 24_000 for chunk in spoken(opened(), TEXT, learned())]
    assert sizes[:2] == [0.0, 0.08]
    assert [round(size / 0.08) for size in sizes if size] == [1, 2, 4, 5]
    assert sizes.count(0.0) >= FRAMES


def test_fixed_shapes_change_no_sample_that_can_be_heard():
    for voice, given in ((0, {}), (1, {"initial_codec_chunk_frames": 7})):
        expected = reference(seed_of_voice=voice, **given)
        assert np.abs(say(opened(fixed_shapes=True), TEXT, learned(voice), **given) - expected).max() <= TOLERANCE, given


@pytest.mark.parametrize(("fixed_shapes", "host_lag_frames"), [(False, 0), (True, 1)])
def test_a_stream_that_outgrows_its_row_goes_on_beside_one_that_does_not(monkeypatch, fixed_shapes, host_lag_frames):
    monkeypatch.setattr(VoxtralRows, "KEY_SIZES", (40, 48))  # the prompts have 41 and 34 rows, 53 and 46 at the end
    monkeypatch.setattr(VoxtralRows, "ROW_SIZES", (4, 32))
    engine = opened(fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames, width=2)
    streams, own = [spoken(engine, TEXT, learned(voice)) for voice in (0, 1)], set()
    heard = []
    for pair in zip(*streams, strict=True):
        heard.append(np.stack(pair))
        own |= {stream.row for stream in engine._batched_decoder._slots.seated if stream.own_keys}
    assert len(own) == 1
    for voice, samples in enumerate(np.concatenate(heard, axis=1)):
        assert np.abs(samples - reference(seed_of_voice=voice)).max() <= TOLERANCE, voice
