"""The VAE's encoder: its formulas' numbers, a window that is obeyed, names, and memory that does not grow with the clip."""

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from engines.pocket_tts.vae import vae_encoder
from engines.pocket_tts.vae.vae_encoder import FRAMES_AT_ONCE, VaeEncoder
from tests.engines.pocket_tts.vae.random_vae import CONFIG, filled, noise, plain_encoded


@pytest.fixture(scope="module")
def made() -> tuple[VaeEncoder, dict[str, Tensor]]:
    encoder = VaeEncoder(CONFIG)
    tensors = filled(encoder)
    encoder.prepare_weights()
    return encoder, tensors


@pytest.fixture(scope="module")
def encoder(made) -> VaeEncoder:
    return made[0]


class _LargestTensor(TorchFunctionMode):
    n_bytes = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        tensors = [tensor for tensor in (out if isinstance(out, tuple | list) else [out]) if isinstance(tensor, Tensor)]
        self.n_bytes = max([self.n_bytes] + [tensor.untyped_storage().nbytes() for tensor in tensors])
        return out


@pytest.mark.parametrize("n_samples", [1, 1920, 4 * 1920 + 17, (FRAMES_AT_ONCE + 2) * 1920 - 1])
def test_it_computes_what_the_formulas_say(made, n_samples):
    """The longest is cut into pieces, and eight windows long."""
    encoder, tensors = made
    samples = noise(n_samples, seed=3)
    expected = plain_encoded(tensors, samples)
    assert expected.shape == (-(-n_samples // 1920), CONFIG.inner_dim)
    torch.testing.assert_close(encoder.encode(samples), expected, atol=1e-5, rtol=1e-5)


def test_names_are_those_of_the_makers():
    layers = [f"encoder_transformer.transformer.layers.{number}." for number in range(2)]
    leaves = ["norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias", "linear1.weight", "linear2.weight"]
    leaves += ["self_attn.in_proj.weight", "self_attn.out_proj.weight", "layer_scale_1.scale", "layer_scale_2.scale"]
    convolutions = [f"{number}.conv" for number in (0, 3, 6, 9, 11)] + [f"{n}.block.{index}.conv" for n in (1, 4, 7) for index in (1, 3)]
    expected = {layer + leaf for layer in layers for leaf in leaves}
    expected |= {f"encoder.model.{name}.{leaf}" for name in convolutions for leaf in ("weight", "bias")}
    assert set(VaeEncoder(CONFIG).state_dict()) == expected | {"downsample.conv.conv.weight"}


def test_what_lies_before_all_windows_makes_no_difference(encoder):
    """A latent sees 32 rows behind its end; each of two layers sees 19 more, and the convolutions less than 7 rows: 77 of 120 samples."""
    samples, frames = noise(12 * 1920, seed=4), encoder.encode(noise(12 * 1920, seed=4))
    reach = 77 * 120
    samples[: 12 * 1920 - reach] += noise(12 * 1920 - reach, seed=5)
    changed = encoder.encode(samples)
    torch.testing.assert_close(changed[-1], frames[-1], atol=1e-6, rtol=0)
    assert (changed[6] - frames[6]).abs().max() > 1e-3


def test_a_change_is_heard_from_its_frame_on(encoder):
    samples, frames = noise(6 * 1920, seed=4), encoder.encode(noise(6 * 1920, seed=4))
    samples[4 * 1920] += 1
    changed = encoder.encode(samples) != frames
    assert not changed[:4].any() and changed[4:].all()


@pytest.mark.parametrize("frames_at_once", [1, 3, 50])
def test_pieces_make_no_difference(encoder, monkeypatch, frames_at_once):
    samples = noise(10 * 1920, seed=6)
    expected = encoder.encode(samples)
    monkeypatch.setattr(vae_encoder, "FRAMES_AT_ONCE", frames_at_once)
    torch.testing.assert_close(encoder.encode(samples), expected, atol=1e-6, rtol=1e-6)


def test_memory_does_not_grow_with_the_clip(encoder):
    largest = []
    for n_pieces in (1, 3):
        with _LargestTensor() as watched:
            encoder.encode(noise(n_pieces * FRAMES_AT_ONCE * 1920))
        largest.append(watched.n_bytes)
    assert largest[0] == largest[1]
