"""Voxtral's codec decoder: it computes upstream's formulas, any cut into pieces gives the same audio, and a state is all it remembers."""

import math
import random
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.voxtral.codec.codec_decoder import VoxtralCodecDecoder, VoxtralCodecState
from engines.voxtral.codec.codec_encoder import VoxtralCodecEncoder
from engines.voxtral.codec.codec_layers import PatchConv1d
from engines.voxtral.codec.codec_transformer import VoxtralCodecTransformer
from tests.engines.voxtral.plain_codec import PlainCodec, pad1d
from tests.engines.voxtral.random_codec import N_UNUSED_ENTRIES, PREFIX, TOY_CODEC, opened_codec, write_codec

FRAME = TOY_CODEC.frame_samples
FEW_ROWS = replace(  # two rows a frame, so that a stream of three is too short to be mirrored
    TOY_CODEC,
    decoder_transformer_lengths_str="1,1,2",
    decoder_convs_kernels_str="3,2,2",
    decoder_convs_strides_str="1,1,2",
    encoder_transformer_lengths_str="2,1",
    encoder_convs_kernels_str="4,3",
    encoder_convs_strides_str="2,1",
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_codec(tmp_path_factory.mktemp("codec") / "consolidated.safetensors")


@pytest.fixture(scope="module")
def decoder(file) -> VoxtralCodecDecoder:
    return opened_codec(VoxtralCodecDecoder, file)


@pytest.fixture(scope="module")
def plain(file) -> PlainCodec:
    return PlainCodec(TOY_CODEC, tensors_of(file))


def tensors_of(file, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
    with Checkpoint(file) as checkpoint:
        return {name.removeprefix(PREFIX): checkpoint.tensor(name).to(dtype) for name in checkpoint.names}


def codes(n_frames: int, batch: int = 1, seed: int = 0) -> Tensor:
    drawn = torch.randint(2**20, (batch, 1 + TOY_CODEC.acoustic_dim, n_frames), generator=torch.Generator().manual_seed(seed))
    sizes = [TOY_CODEC.semantic_codebook_size] + [TOY_CODEC.acoustic_codebook_size] * TOY_CODEC.acoustic_dim
    return drawn % torch.tensor(sizes)[:, None]


def decoded(network: VoxtralCodecDecoder, frames: Tensor, sizes: list[int]) -> tuple[Tensor, VoxtralCodecState]:
    audio, state = [], network.initial_state(len(frames))
    for part in frames.split(sizes, dim=2):
        samples, state = network.decode(part, state)
        audio.append(samples)
    return torch.cat(audio, dim=1), state


def differ(one: VoxtralCodecState, other: VoxtralCodecState) -> float:
    return max((a - b).abs().max().item() for a, b in zip(one.tensors, other.tensors, strict=True))


@pytest.mark.parametrize("n_frames", [1, 2, 40])
def test_it_computes_what_upstream_computes(decoder, plain, n_frames):
    """40 frames: more than the codec decodes at once. A third of the gains are negative, as some of the release's are."""
    audio = decoder.decode_whole(codes(n_frames, batch=2))
    assert audio.shape == (2, n_frames * FRAME)
    assert 0.05 < audio.std() < 1
    assert (audio - plain.decode(codes(n_frames, batch=2))).abs().max() < 1e-12


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 2e-5)])
def test_pieces_give_what_the_whole_gives(file, dtype, tolerance):
    network, sizes = opened_codec(VoxtralCodecDecoder, file, dtype=dtype), list(range(1, 26))
    random.Random(0).shuffle(sizes)
    frames = codes(sum(sizes))
    whole, state = decoded(network, frames, [frames.shape[2]])
    assert whole.dtype == dtype
    assert torch.equal(network.decode_whole(frames), whole)
    for cut in (sizes, [1] * 12 + [frames.shape[2] - 12]):
        audio, after = decoded(network, frames, cut)
        assert (audio - whole).abs().max() < tolerance, cut
        assert differ(after, state) < 30 * tolerance, cut


def test_a_sample_hears_the_frames_of_the_context_and_no_frame_before_them(decoder):
    n, at = VoxtralCodecDecoder.CONTEXT_FRAMES, 30
    frames = codes(at + 25)
    whole = decoder.decode_whole(frames)[:, at * FRAME :]
    for n_new in range(1, 26):
        enough, too_few = (decoder.decode_whole(frames[:, :, at - before : at + n_new])[:, before * FRAME :] for before in (n, n - 1))
        expected = whole[:, : n_new * FRAME]
        assert (enough - expected).abs().max() < 1e-13, n_new
        assert (too_few - expected).abs().max() > 1e-11, n_new


def test_streams_of_a_batch_do_not_meet_and_may_have_begun_at_different_times(decoder):
    states = [decoder.initial_state(), *(decoded(decoder, codes(n, seed=n), [n])[1] for n in (1, 17))]
    together = states[0].of(torch.cat(row) for row in zip(*(state.tensors for state in states), strict=True))
    frames = codes(4, batch=3, seed=2)
    audio, after = decoder.decode(frames, together)
    assert after.position.tolist() == [4, 5, 21]
    for row, state in enumerate(states):
        assert (decoder.decode(frames[row : row + 1], state)[0] - audio[row]).abs().max() < 1e-12, row


def test_decoding_leaves_the_state_that_it_read_alone_and_the_next_is_no_larger(decoder):
    state = decoded(decoder, codes(5), [5])[1]
    before = state.copy()
    first, after = decoder.decode(codes(9, seed=4), state)
    assert differ(state, before) == 0
    assert torch.equal(decoder.decode(codes(9, seed=4), state)[0], first)
    assert after.n_bytes == decoder.initial_state().n_bytes == sum(tensor.untyped_storage().nbytes() for tensor in after.tensors)


def test_a_graph_can_hold_a_piece():
    """Nothing waits for a value of the device, and nothing is copied to it."""
    with fake_gpu() as gpu:
        with torch.device(DEVICE):
            network = VoxtralCodecDecoder(replace(TOY_CODEC, decoder_transformer_lengths_str="1,1,1,1")).requires_grad_(False)
        network.prepare_weights()
        frames, state = torch.zeros(2, 5, 3, dtype=torch.int64, device=DEVICE), network.initial_state(2)
        with gpu.counting() as counter:
            audio, _ = network.decode(frames, state)
        assert audio.shape == (2, 3 * FRAME)
        assert counter.n_kernels > 50
        assert counter.n_copies == 0, counter.where


@pytest.mark.parametrize("n_rows", range(1, 9))
def test_what_is_too_short_to_be_mirrored_has_zeros_behind_it(n_rows):
    convolution = PatchConv1d(3, 2, 7, bias=False)
    rows = torch.randn(2, n_rows, 3, generator=torch.Generator().manual_seed(n_rows))
    padded = torch.cat([convolution.tail_of_short(rows), rows], dim=1)
    assert torch.equal(padded.mT, pad1d(rows.mT, (6, 0), "reflect"))


def test_frames_of_few_rows_are_decoded_whole_and_a_piece_that_cannot_be_mirrored_is_refused(tmp_path):
    file = write_codec(tmp_path / "few.safetensors", FEW_ROWS, encoder=False)
    network, plain = opened_codec(VoxtralCodecDecoder, file, FEW_ROWS), PlainCodec(FEW_ROWS, tensors_of(file))
    for n_frames in (1, 2, 3, 4, 70):
        assert (network.decode_whole(codes(n_frames)) - plain.decode(codes(n_frames))).abs().max() < 1e-12, n_frames
    assert (decoded(network, codes(70), [4, 5, 61])[0] - plain.decode(codes(70))).abs().max() < 1e-12
    with pytest.raises(ValueError, match="A piece of 3 frames: the edge of a stream is mirrored in 4"):
        network.decode(codes(3), network.initial_state())


def test_entries_are_divided_in_float32_not_in_the_files_bfloat16(file):
    network, stored = opened_codec(VoxtralCodecDecoder, file, dtype=torch.float32), tensors_of(file, torch.bfloat16)
    sums, usage = (stored[f"quantizer.semantic_codebook.{name}"] for name in ("embedding_sum", "cluster_usage"))
    entries = network.quantizer.entries
    assert torch.equal(entries, sums.float() / usage.float().clamp(min=1e-5)[:, None])
    assert not torch.equal(entries, (sums / usage.clamp(min=1e-5)[:, None]).float())
    assert usage[:N_UNUSED_ENTRIES].eq(0).all()
    assert 0.1 < entries[:N_UNUSED_ENTRIES].abs().max() < 10


def test_the_slopes_of_the_release_are_powers_of_a_half():
    network = VoxtralCodecTransformer(replace(TOY_CODEC, n_heads=8), n_layers=1, window=2)
    network.prepare_weights()
    for row in range(3):
        seen = network.biases[:, row, row : row + 3]
        assert seen[:, 2].eq(0).all()
        assert seen[:, 1].tolist() == [-(0.5**head) for head in range(8)]
        assert seen[:, 0].tolist() == [-2 * 0.5**head for head in range(8)]
    hidden = network.biases.isinf().sum(-1)
    assert hidden.eq(network.biases.shape[2] - 3).all()
    assert network.biases.max() < math.inf


def test_a_file_without_encoder_has_a_decoder_and_no_encoder(tmp_path, decoder):
    released = write_codec(tmp_path / "released.safetensors", encoder=False)
    network = opened_codec(VoxtralCodecDecoder, released)
    assert torch.equal(network.decode_whole(codes(3)), decoder.decode_whole(codes(3)))
    with pytest.raises(CheckpointInvalid, match=r"109 missing: audio_tokenizer\.encoder_blocks\.0"):
        opened_codec(VoxtralCodecEncoder, released)
    unfilled = without_memory(lambda: VoxtralCodecDecoder(replace(TOY_CODEC, hidden_dim=30)))
    with Checkpoint(released) as checkpoint, pytest.raises(CheckpointInvalid, match="expected"):
        checkpoint.load_into(unfilled, PREFIX, ignore=unfilled.UNUSED, packs=unfilled.packs)
