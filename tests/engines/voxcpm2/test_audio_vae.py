"""The AudioVAE: any cut into pieces gives the same audio, nothing looks ahead, and its state is all that it remembers."""

from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor, nn

from engines.voxcpm2 import audio_vae
from engines.voxcpm2.audio_vae import AudioVaeDecoder, AudioVaeEncoder, VaeState
from engines.voxcpm2.config import AudioVaeConfig

SIZES = {
    "released rates": AudioVaeConfig(encoder_dim=4, latent_dim=6, decoder_dim=64),
    "odd rates": AudioVaeConfig(encoder_dim=3, encoder_rates=(3, 5, 2), latent_dim=5, decoder_dim=24, decoder_rates=(5, 3, 4)),
}
CONFIG = SIZES["odd rates"]
FRAME, HOP = 60, 30  # samples per latent that come out and that go in


def noise(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def made(network: nn.Module, dtype: torch.dtype) -> nn.Module:
    """Every parameter random, matrices so that signals keep their size."""
    for index, (name, parameter) in enumerate(network.requires_grad_(False).named_parameters()):
        drawn = noise(*parameter.shape, seed=index)
        is_matrix = name.endswith(".weight") and "_embed" not in name
        parameter.copy_(0.45 * drawn / parameter[0].numel() ** 0.5 if is_matrix else 1 + 0.1 * drawn if "alpha" in name else 0.5 * drawn)
    network.to(dtype).prepare_weights()
    return network


@cache
def decoder(size: str = "odd rates", dtype: torch.dtype = torch.float64) -> AudioVaeDecoder:
    return made(AudioVaeDecoder(SIZES[size]), dtype)


@cache
def encoder(size: str = "odd rates") -> AudioVaeEncoder:
    return made(AudioVaeEncoder(SIZES[size]), torch.float64)


def latents(n: int, batch: int = 1, seed: int = 0, network: AudioVaeDecoder | None = None) -> Tensor:
    like = (network or decoder()).model[0].taps
    return noise(batch, n, like.shape[1], seed=seed, dtype=like.dtype)


def decoded(network: AudioVaeDecoder, rows: Tensor, sizes: int | list[int] | None = None) -> tuple[Tensor, VaeState]:
    audio, state = [], network.initial_state(len(rows))
    for part in rows.split(sizes or rows.shape[1], dim=1):
        samples, state = network.decode(part, state)
        audio.append(samples)
    return torch.cat(audio, dim=1), state


def differ(one: VaeState, other: VaeState) -> float:
    return max((a - b).abs().max().item() for a, b in zip(one.tensors, other.tensors, strict=True))


@pytest.mark.parametrize(("size", "dtype", "tolerance"), [("odd rates", torch.float64, 1e-13), ("released rates", torch.float32, 4e-7)])
def test_pieces_give_what_the_whole_gives(size, dtype, tolerance):
    network = decoder(size, dtype)
    rows = latents(15, batch=2, network=network)
    audio, state = decoded(network, rows)
    assert audio.shape == (2, 15 * SIZES[size].decoder_hop)
    assert 0.02 < audio.std() < audio.abs().max() < 1
    for sizes in (1, 2, 3, 4, 5, 6, 7, 8, [11, 1, 3], [1, 13, 1]):
        samples, after = decoded(network, rows, sizes)
        assert (samples - audio).abs().max() < tolerance, sizes
        assert differ(after, state) < 10 * tolerance, sizes


def test_the_future_cannot_change_the_past():
    rows, other = latents(20), latents(20, seed=1)
    other[:, :10] = rows[:, :10]
    (before, after), (same, differs) = (decoded(decoder(), x)[0].split(10 * FRAME, dim=1) for x in (rows, other))
    assert torch.equal(before, same)
    assert not torch.allclose(after[:, :FRAME], differs[:, :FRAME])


def test_a_latent_reaches_far_beyond_the_pieces():
    """Else the tests of pieces would pass without a state."""
    rows, other = latents(16), latents(16)
    other[:, 0] += 1
    late = slice(13 * FRAME, None)
    assert (decoded(decoder(), rows)[0] - decoded(decoder(), other)[0])[:, late].abs().max() > 1e-9


@pytest.mark.parametrize("n", [1, 4, 12, 40])
def test_the_state_after_latents_is_that_of_decoding_them(n):
    rows = latents(n, batch=2)
    assert differ(decoder().state_after(rows), decoded(decoder(), rows)[1]) < 1e-13


def test_the_state_after_latents_decodes_hardly_any_of_them():
    n_rows = []
    hook = decoder().model[-1].register_forward_pre_hook(lambda _, given: n_rows.append(given[0].shape[1]))
    decoder().state_after(latents(12))
    decoded(decoder(), latents(2))
    hook.remove()
    assert n_rows == [6, 2 * FRAME]  # what the last convolution remembers; all that it decodes


def test_streams_of_a_batch_do_not_meet_and_may_have_begun_at_different_times():
    early, late = decoder().state_after(latents(3)), decoder().state_after(latents(17, seed=1))
    both = early.of(torch.cat(pair) for pair in zip(early.tensors, late.tensors, strict=True))
    rows = latents(4, batch=2, seed=2)
    together, _ = decoder().decode(rows, both)
    for index, state in enumerate((early, late)):
        assert (decoder().decode(rows[index : index + 1], state)[0] - together[index]).abs().max() < 1e-13


def test_decoding_leaves_the_state_that_it_read_alone():
    state = decoder().state_after(latents(5))
    before = state.copy()
    first, _ = decoder().decode(latents(3, seed=4), state)
    assert differ(state, before) == 0
    assert torch.equal(decoder().decode(latents(3, seed=4), state)[0], first)


def test_many_latents_are_decoded_in_bounded_pieces(monkeypatch):
    expected, _ = decoded(decoder(), latents(11))
    monkeypatch.setattr(audio_vae, "MOST_LATENTS_AT_ONCE", 4)
    n_rows = []
    hook = decoder().model[0].register_forward_pre_hook(lambda _, given: n_rows.append(given[0].shape[1]))
    audio, _ = decoded(decoder(), latents(11))
    hook.remove()
    assert n_rows == [4, 4, 3]
    assert (audio - expected).abs().max() < 1e-13


@pytest.mark.parametrize(("rate", "bucket"), [(16_000, 0), (20_000, 0), (20_001, 1), (40_000, 2), (48_000, 3)])
def test_the_output_rate_picks_its_row_of_the_tables_and_no_other_counts(rate, bucket):
    """A limit belongs to the range below it, as in torch.bucketize."""
    assert torch.bucketize(rate, torch.tensor(CONFIG.sr_bin_boundaries)) == bucket
    network = AudioVaeDecoder(replace(CONFIG, out_sample_rate=rate))
    tables = [table.weight for layer in network.sr_cond_model.values() for table in (layer.scale_embed, layer.bias_embed)]
    for table in tables:
        assert len(table) == 4
    made(network, torch.float64)
    for layer, (scale, bias) in zip(network.sr_cond_model.values(), zip(tables[::2], tables[1::2], strict=True), strict=True):
        rows = noise(1, 3, scale.shape[1])
        assert torch.allclose(layer(rows), rows * scale[bucket] + bias[bucket], rtol=0, atol=1e-14)
    assert torch.allclose(decoded(network, latents(2))[0], decoded(decoder(), latents(2))[0]) == (bucket == 3)


@pytest.mark.parametrize("at_once", [1, 3, 25])
def test_a_clip_is_encoded_alike_in_pieces_of_any_size(at_once, monkeypatch):
    samples = noise(2, 8 * HOP)
    expected = encoder().encode(samples)
    assert expected.shape == (2, 8, CONFIG.latent_dim)
    monkeypatch.setattr(audio_vae, "LATENTS_ENCODED_AT_ONCE", at_once)
    assert (encoder().encode(samples) - expected).abs().max() < 1e-13
    assert (encoder().encode(samples[1:]) - expected[1:]).abs().max() < 1e-13


def test_a_latent_is_encoded_before_what_comes_next_is_heard():
    samples, other = noise(1, 9 * HOP), noise(1, 9 * HOP, seed=1)
    other[:, : 5 * HOP] = samples[:, : 5 * HOP]
    one, two = encoder().encode(samples), encoder().encode(other)
    assert torch.equal(one[:, :5], two[:, :5])
    assert not torch.allclose(one[:, 5], two[:, 5])


@pytest.mark.parametrize("n_samples", [0, HOP - 1, 2 * HOP + 1])
def test_samples_that_are_no_whole_latents_are_refused(n_samples):
    with pytest.raises(ValueError, match=f"{n_samples} samples: they must be a multiple of {HOP}"):
        encoder().encode(noise(1, n_samples))
