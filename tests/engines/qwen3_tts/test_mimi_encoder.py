"""The Mimi encoder: a frame for every begun 80 ms, no look ahead, the same codes in pieces of any length, no unwanted codebook."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.codec import mimi_encoder
from engines.kit.codec.mimi_encoder import MimiEncoder
from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts.config import Qwen3Config
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder

FRAME = 1920  # samples


def unloaded(n_codebooks: int = 16) -> MimiEncoder:
    with torch.device("meta"):
        return MimiEncoder(Qwen3Config.read(tiny_folder()).codec.encoder_config, n_codebooks).double()


@cache
def encoder(n_codebooks: int = 16) -> MimiEncoder:
    network = unloaded(n_codebooks)
    with Checkpoint(tiny_folder() / "speech_tokenizer") as checkpoint:
        checkpoint.load_into(network, "encoder.", packs=network.packs, ignore=network.UNUSED)
    network.prepare_weights()
    return network


def samples(n: int, seed: int = 0) -> Tensor:
    return torch.from_numpy(made_clip(n / 24_000, seed=seed).samples.copy())[None, None].double()


@pytest.mark.parametrize("n", [1, 959, 1920, 1921, 3000, 12 * 1920, 12 * 1920 + 1])
def test_there_is_a_frame_for_every_begun_one(n):
    codes = encoder().encode(samples(n))
    assert codes.shape == (-(-n // FRAME), 16)
    assert codes.dtype == torch.int64
    assert 0 <= codes.min() <= codes.max() < 2048


def test_the_future_cannot_change_the_past():
    clip, other = samples(30 * FRAME), samples(30 * FRAME, seed=1)
    other[..., : 14 * FRAME] = clip[..., : 14 * FRAME]
    codes, others = encoder().encode(clip), encoder().encode(other)
    assert torch.equal(codes[:14], others[:14])
    assert not torch.equal(codes[14:], others[14:])


def test_a_last_part_of_a_frame_is_heard():
    clip = samples(5 * FRAME + 400)
    other = clip.clone()
    other[..., 5 * FRAME :] = 0.5
    assert not torch.equal(encoder().encode(clip)[5], encoder().encode(other)[5])


def test_the_last_convolution_continues_its_edges():
    """Where all others see zeros. 11 rows for 6 frames: one is missing at the right."""
    clip = samples(5 * FRAME + 400)
    rows, last = encoder()._attend(clip), encoder().downsample
    assert rows.shape[1] == 11
    padded = F.pad(rows.transpose(1, 2), (2, 1), mode="replicate")
    reduced = F.conv1d(padded, last.taps.unflatten(1, (4, -1)).transpose(1, 2), stride=2).transpose(1, 2)
    codes = torch.cat([quantizer(reduced) for quantizer in encoder().quantizer.values()], dim=2)[0]
    assert torch.equal(encoder().encode(clip), codes)


@pytest.mark.parametrize("frames", [1, 5, 1000])
def test_pieces_give_what_the_whole_gives(frames, monkeypatch):
    clip = samples(31 * FRAME + 700)
    codes = encoder().encode(clip)
    monkeypatch.setattr(mimi_encoder, "FRAMES_AT_ONCE", frames)
    assert torch.equal(encoder().encode(clip), codes)


def test_a_frame_remembers_the_whole_clip():
    """As upstream without flash attention: the window in the config (20 rows, 10 frames) is not obeyed."""
    clip = samples(40 * FRAME)
    other = clip.clone()
    other[..., :FRAME] = 0.3
    assert not torch.equal(encoder()._attend(clip)[:, -1], encoder()._attend(other)[:, -1])


def test_fewer_codebooks_are_the_first_of_more():
    clip = samples(20 * FRAME)
    assert torch.equal(encoder(4).encode(clip), encoder().encode(clip)[:, :4])


def test_only_the_codebooks_that_are_wanted_are_in_memory():
    assert [len(quantizer.codebooks) for quantizer in encoder().quantizer.values()] == [1, 15]


def test_every_tensor_of_the_checkpoint_is_known():
    """18 codebooks stored, 16 wanted: what is not loaded is named, so that a stranger would be noticed."""
    network = unloaded()
    assert "quantizer.acoustic_residual_vector_quantizer.layers.16.*" in network.UNUSED
    assert "quantizer.acoustic_residual_vector_quantizer.layers.14.*" not in network.UNUSED
    with Checkpoint(tiny_folder() / "speech_tokenizer") as checkpoint, pytest.raises(CheckpointInvalid) as refused:
        checkpoint.load_into(network, "encoder.", packs=network.packs, ignore=network.UNUSED[:2])
    assert "4 unexpected" in refused.value.fact
    assert "layers.15.codebook.embed_sum" in refused.value.fact
