"""The codec decoder: any cut into pieces gives the same audio, nothing looks ahead, and its state is all that it remembers."""

from functools import cache

import pytest
import torch
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts import codec_decoder
from engines.qwen3_tts.codec_decoder import CodecDecoder, CodecState
from engines.qwen3_tts.config import Qwen3Config
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder

FRAME = 1920  # samples


@cache
def decoder(dtype: torch.dtype = torch.float64) -> CodecDecoder:
    folder = tiny_folder()
    with torch.device("meta"):
        network = CodecDecoder(Qwen3Config.read(folder).codec.decoder_config).to(dtype)
    with Checkpoint(folder / "speech_tokenizer") as checkpoint:
        checkpoint.load_into(network, "decoder.", packs=network.packs, ignore=CodecDecoder.UNUSED)
    network.prepare_weights()
    return network


def codes(n_frames: int, batch: int = 1, seed: int = 0) -> Tensor:
    return torch.randint(2048, (batch, 16, n_frames), generator=torch.Generator().manual_seed(seed))


def spoken(network: CodecDecoder, frames: Tensor) -> tuple[Tensor, CodecState]:
    return network.decode(frames, network.initial_state(len(frames)))


def in_pieces(network: CodecDecoder, frames: Tensor, piece: int) -> Tensor:
    audio, state = [], network.initial_state(len(frames))
    for part in frames.split(piece, dim=2):
        samples, state = network.decode(part, state)
        audio.append(samples)
    return torch.cat(audio, dim=1)


def differ(one: CodecState, other: CodecState) -> float:
    return max((a - b).abs().max().item() for a, b in zip(one.tensors, other.tensors, strict=True))


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_pieces_give_what_the_whole_gives(dtype, tolerance):
    """28 frames: three times the attention window of 9."""
    audio, _ = spoken(decoder(dtype), codes(28))
    assert audio.shape == (1, 28 * FRAME)
    assert audio.abs().max() > 0.01
    for piece in (1, 3, 25):
        assert (in_pieces(decoder(dtype), codes(28), piece) - audio).abs().max() < tolerance * audio.abs().max(), piece


def test_the_future_cannot_change_the_past():
    frames, other = codes(20), codes(20, seed=1)
    other[:, :, :10] = frames[:, :, :10]
    before, after = (
        torch.equal(*pair) for pair in zip(*(spoken(decoder(), x)[0].split(10 * FRAME, dim=1) for x in (frames, other)), strict=True)
    )
    assert before
    assert not after


def test_one_frame_reaches_far_beyond_the_pieces():
    """Else the tests of pieces would pass without a state."""
    frames = codes(16)
    other = frames.clone()
    other[:, :, 0] = codes(1, seed=3)[:, :, 0]
    late = slice(14 * FRAME, 15 * FRAME)
    assert (spoken(decoder(), frames)[0][:, late] - spoken(decoder(), other)[0][:, late]).abs().max() > 1e-9


@pytest.mark.parametrize("n_frames", [1, 2, 9, 70])
def test_the_state_after_a_reference_is_that_of_decoding_it(n_frames, monkeypatch):
    monkeypatch.setattr(codec_decoder, "MOST_ROWS_AT_ONCE", 32)
    frames = codes(n_frames, batch=2)
    assert differ(decoder().state_after(frames), spoken(decoder(), frames)[1]) < 1e-12


def test_the_state_after_a_reference_decodes_hardly_any_of_it():
    n_rows = []
    hook = decoder().decoder[-1].register_forward_pre_hook(lambda _, given: n_rows.append(given[0].shape[1]))
    decoder().state_after(codes(100))
    spoken(decoder(), codes(2))
    hook.remove()
    assert n_rows == [6, 2 * FRAME]  # what the last convolution remembers of 192,000 samples; all that it decodes


def test_a_long_text_is_decoded_in_bounded_pieces(monkeypatch):
    monkeypatch.setattr(codec_decoder, "MOST_FRAMES_AT_ONCE", 4)
    n_rows = []
    hook = decoder().pre_conv.register_forward_pre_hook(lambda _, given: n_rows.append(given[0].shape[1]))
    audio, state = spoken(decoder(), codes(11))
    hook.remove()
    assert n_rows == [4, 4, 3]
    assert audio.shape[1] == 11 * FRAME
    assert state.position.tolist() == [11]


def test_streams_of_a_batch_do_not_meet_and_may_have_begun_at_different_times():
    _, early = spoken(decoder(), codes(3))
    _, late = spoken(decoder(), codes(17, seed=1))
    both = early.of(torch.cat(pair) for pair in zip(early.tensors, late.tensors, strict=True))
    frames = codes(4, batch=2, seed=2)
    together, _ = decoder().decode(frames, both)
    for index, state in enumerate((early, late)):
        assert (decoder().decode(frames[index : index + 1], state)[0] - together[index]).abs().max() < 1e-12


def test_decoding_leaves_the_state_that_it_read_alone():
    _, state = spoken(decoder(), codes(5))
    before = state.copy()
    first, _ = decoder().decode(codes(3, seed=4), state)
    assert differ(state, before) == 0
    assert torch.equal(decoder().decode(codes(3, seed=4), state)[0], first)


def test_a_copy_has_tensors_of_its_own():
    _, state = spoken(decoder(), codes(2))
    mine = state.copy()
    for tensor in mine.tensors:
        tensor.zero_()
    assert state.position.item() == 2
    assert all(tensor.any() for tensor in state.tensors)


def test_a_state_overwritten_in_place_goes_on_as_the_other():
    """How a CUDA graph changes streams: its input tensors stay where they are."""
    _, other = spoken(decoder(), codes(5))
    fixed = decoder().initial_state()
    places = [tensor.data_ptr() for tensor in fixed.tensors]
    fixed.copy_(other)
    assert [tensor.data_ptr() for tensor in fixed.tensors] == places
    assert torch.equal(decoder().decode(codes(2, seed=1), fixed)[0], decoder().decode(codes(2, seed=1), other)[0])


def test_a_state_is_as_large_after_an_hour_as_at_the_start():
    start = decoder().initial_state()
    state = decoder().state_after(codes(40))
    assert state.n_bytes == start.n_bytes == sum(tensor.untyped_storage().nbytes() for tensor in state.tensors)


def test_audio_stays_within_its_limits():
    network = decoder.__wrapped__(torch.float32)
    network.decoder[-1].taps *= 1000
    audio, _ = spoken(network, codes(3))
    assert audio.min() == -1
    assert audio.max() == 1


def test_every_tensor_of_the_checkpoint_is_known():
    network = CodecDecoder(Qwen3Config.read(tiny_folder()).codec.decoder_config)
    with Checkpoint(tiny_folder() / "speech_tokenizer") as checkpoint, pytest.raises(CheckpointInvalid) as refused:
        checkpoint.load_into(network, "decoder.", packs=network.packs)
    assert "2 unexpected" in refused.value.fact
    assert "quantizer.rvq_first.input_proj.weight" in refused.value.fact
