"""The speaker encoder: one embedding per clip, whatever its length and whoever else is in the batch."""

from functools import cache

import pytest
import torch
from torch import Tensor

from engines.kit.codec.ecapa_tdnn import EcapaTdnn
from engines.kit.codec.mel import LogMel
from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts.config import Qwen3Config
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder


@cache
def encoder() -> EcapaTdnn:
    with torch.device("meta"):
        network = EcapaTdnn(Qwen3Config.read(tiny_folder()).speaker_encoder).double().requires_grad_(False)
    with Checkpoint(tiny_folder()) as checkpoint:
        checkpoint.load_into(network, "speaker_encoder.")
    return network


def mel(seconds: float = 1.0, **how) -> Tensor:
    return LogMel()(torch.from_numpy(made_clip(seconds, **how).samples.copy())[None]).double()


@pytest.mark.parametrize("seconds", [0.2, 1.0, 3.0])
def test_an_embedding_is_as_wide_as_the_talker_for_every_length(seconds):
    embedding = encoder()(mel(seconds))
    assert embedding.shape == (1, 48)
    assert embedding.isfinite().all()


def test_two_speakers_are_told_apart():
    low, high = encoder()(mel(pitch_hz=100)), encoder()(mel(pitch_hz=230))
    assert (low - high).abs().max() > 1e-4 * low.abs().max()


def test_rows_of_a_batch_do_not_meet():
    low, high = mel(pitch_hz=100), mel(pitch_hz=230)
    both = encoder()(torch.cat([low, high]))
    assert (both - torch.cat([encoder()(low), encoder()(high)])).abs().max() < 1e-12


def test_a_sound_that_never_changes_has_an_embedding():
    """Its deviation is zero, whose root's argument is kept above zero."""
    assert encoder()(torch.zeros(1, 30, 128, dtype=torch.float64)).isfinite().all()


def test_the_order_of_frames_is_heard():
    there = mel()
    assert not torch.allclose(encoder()(there), encoder()(there.flip(1)))
