"""The VAE's decoder: its formulas' numbers, any cut and any company bit for bit, and a state that stays as large as it is."""

import copy
import threading

import pytest
import torch
from torch import Tensor

from engines.pocket_tts.vae import codec_matrix
from engines.pocket_tts.vae.scratch import Scratch
from engines.pocket_tts.vae.vae_decoder import MOST_FRAMES_AT_ONCE, VaeDecoder, VaeDecoderState
from tests.engines.pocket_tts.vae.random_vae import CONFIG, filled, noise, plain_decoded

FRAMES = 9  # more than are decoded at once; the window of 7 rows is passed within the first
STD, MEAN = noise(CONFIG.latent_dim, seed=91).abs() + 0.5, noise(CONFIG.latent_dim, seed=92)


def made(*, least_packed: int = codec_matrix.LEAST_PACKED_WEIGHTS) -> tuple[VaeDecoder, dict[str, Tensor]]:
    decoder = VaeDecoder(CONFIG)
    tensors = filled(decoder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec_matrix, "LEAST_PACKED_WEIGHTS", least_packed)
        decoder.prepare_weights(STD, MEAN)
    return decoder, tensors


@pytest.fixture(scope="module")
def decoder() -> VaeDecoder:
    return made()[0]


@pytest.fixture(scope="module")
def latents() -> Tensor:
    return noise(2, FRAMES, CONFIG.latent_dim, seed=7)


@pytest.fixture(scope="module")
def whole(decoder, latents) -> Tensor:
    return decoder.decode(latents, decoder.initial_state(2))[0]


def decoded_in(decoder: VaeDecoder, latents: Tensor, *lengths: int) -> Tensor:
    state, audio = decoder.initial_state(len(latents)), []
    for piece in latents.split(lengths, dim=1):
        samples, state = decoder.decode(piece, state)
        audio.append(samples)
    return torch.cat(audio, dim=1)


@pytest.mark.parametrize("least_packed", [codec_matrix.LEAST_PACKED_WEIGHTS, 0], ids=["by columns", "packed"])
def test_it_computes_what_the_formulas_say(latents, least_packed):
    decoder, tensors = made(least_packed=least_packed)
    expected = plain_decoded(tensors, latents, STD, MEAN)
    assert expected.shape == (2, FRAMES * 1920)
    torch.testing.assert_close(decoder.decode(latents, decoder.initial_state(2))[0], expected, atol=1e-5, rtol=1e-5)


def test_names_are_those_of_the_makers():
    layers = [f"decoder_transformer.transformer.layers.{number}." for number in range(3)]
    leaves = ["norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias", "linear1.weight", "linear2.weight"]
    leaves += ["self_attn.in_proj.weight", "self_attn.out_proj.weight", "layer_scale_1.scale", "layer_scale_2.scale"]
    convolutions = [f"{number}.conv" for number in (0, 11)] + [f"{number}.convtr" for number in (2, 5, 8)]
    convolutions += [f"{number}.block.{index}.conv" for number in (3, 6, 9) for index in (1, 3)]
    expected = {layer + leaf for layer in layers for leaf in leaves}
    expected |= {f"decoder.model.{name}.{leaf}" for name in convolutions for leaf in ("weight", "bias")}
    assert set(VaeDecoder(CONFIG).state_dict()) == expected | {"quantizer.output_proj.weight", "upsample.convtr.convtr.weight"}


@pytest.mark.parametrize("lengths", [(1,) * FRAMES, (1, 1, 2, 4, 1), (3, 6), (5, 4)], ids=str)
def test_any_cut_gives_the_same_bits(decoder, latents, whole, lengths):
    assert torch.equal(decoded_in(decoder, latents, *lengths), whole)


def test_a_stream_alone_has_the_bits_it_has_in_company(decoder, latents, whole):
    alone = torch.cat([decoded_in(decoder, latents[row : row + 1], *(1,) * FRAMES) for row in range(2)])
    assert torch.equal(alone, whole)


def test_streams_that_stand_at_different_places_are_decoded_together(decoder, latents, whole):
    """The second stream has been at it for three frames when the first begins."""
    _, ahead = decoder.decode(latents[1:, :3], decoder.initial_state())
    pairs = zip(decoder.initial_state().tensors, ahead.tensors, strict=True)
    both = ahead.of(torch.cat(pair) for pair in pairs)
    samples, _ = decoder.decode(torch.stack([latents[0, :4], latents[1, 3:7]]), both)
    assert torch.equal(samples, torch.stack([whole[0, : 4 * 1920], whole[1, 3 * 1920 : 7 * 1920]]))


def test_nothing_is_heard_before_its_time_and_all_of_it_in_the_end(decoder, latents, whole):
    other = latents.clone()
    other[:, 4] += 1
    changed = decoder.decode(other, decoder.initial_state(2))[0] != whole
    assert not changed[:, : 4 * 1920].any() and changed[:, 4 * 1920 : 5 * 1920].float().mean() > 0.9


def test_the_state_is_all_that_is_remembered_and_stays_as_it_was_given(decoder, latents, whole):
    _, state = decoder.decode(latents[:, :4], decoder.initial_state(2))
    before = state.copy()
    again = [decoder.decode(latents[:, 4:], given)[0] for given in (state, state, before.copy())]
    assert all(torch.equal(samples, whole[:, 4 * 1920 :]) for samples in again)
    assert all(torch.equal(given, kept) for given, kept in zip(state.tensors, before.tensors, strict=True))


def test_the_state_does_not_grow(decoder, latents):
    def held(state: VaeDecoderState) -> list[int]:
        return [tensor.untyped_storage().nbytes() for tensor in state.tensors]

    start = decoder.initial_state(2)
    _, few = decoder.decode(latents[:, :MOST_FRAMES_AT_ONCE], start)
    _, many = decoder.decode(torch.cat([latents] * 4, dim=1)[:, : 8 * MOST_FRAMES_AT_ONCE], start)
    assert [tensor.shape for tensor in many.tensors] == [tensor.shape for tensor in start.tensors]
    assert start.n_bytes == many.n_bytes and held(few) == held(many)


def test_it_may_be_called_in_inference_mode_and_then_outside_it(latents):
    decoder, _ = made()
    with torch.inference_mode():
        inside, _ = decoder.decode(latents, decoder.initial_state(2))
    assert torch.equal(decoder.decode(latents, decoder.initial_state(2))[0], inside)


def test_threads_do_not_share_scratch_memory(decoder, latents, whole):
    """Another thread decodes something else between two frames, and at their very time."""
    wrong, stop = [], threading.Event()

    def disturb() -> None:
        expected = decoder.decode(latents.flip(1), decoder.initial_state(2))[0]
        while not stop.is_set():
            wrong.append(not torch.equal(decoder.decode(latents.flip(1), decoder.initial_state(2))[0], expected))

    thread = threading.Thread(target=disturb)
    thread.start()
    same = [torch.equal(decoded_in(decoder, latents, *(1,) * FRAMES), whole) for _ in range(3)]
    stop.set()
    thread.join()
    assert all(same) and not any(wrong)


def test_scratch_memory_is_used_again_and_a_copy_begins_without():
    scratch = Scratch()
    first = scratch.take("rows", 3, 4)
    assert scratch.take("rows", 2, 5).data_ptr() == first.data_ptr() != scratch.take("other", 2, 5).data_ptr()
    assert scratch.take("rows", 5, 5).shape == (5, 5)
    assert copy.deepcopy(scratch).take("rows", 3, 4).data_ptr() != scratch.take("rows", 3, 4).data_ptr()
