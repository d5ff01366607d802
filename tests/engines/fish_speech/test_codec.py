"""The codec: any cut into pieces gives the same audio and the same codes, nothing looks ahead, and its state is all that it remembers."""

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

from engines.fish_speech.codec import codec_decoder, codec_encoder
from engines.fish_speech.codec.codec_decoder import FishCodecDecoder, FishCodecState
from engines.fish_speech.codec.codec_encoder import FishCodecEncoder
from engines.fish_speech.codec.codec_file import open_codec
from engines.kit.nn import windowed_transformer
from engines.kit.nn.attention import Rotary
from engines.kit.weights.checkpoint import without_memory
from tests.engines.fish_speech.random_codec import TINY, write_codec

# The least rates, and windows that a few frames outlast.
CONFIG = replace(
    TINY,
    encoder_dim=16,
    encoder_rates=(2, 3),
    encoder_transformer=replace(TINY.encoder_transformer, window_size=9),
    pre_module=replace(TINY.pre_module, window_size=5),
    post_module=replace(TINY.post_module, window_size=5),
    n_residual_codebooks=3,
    decoder_rates=(3, 2),
)
FRAME = 24  # samples


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A network of CONFIG: `made(FishCodecEncoder)`, in float64 unless told."""
    folder = tmp_path_factory.mktemp("codec")
    write_codec(folder, CONFIG)

    @cache
    def made(kind: type, dtype: torch.dtype = torch.float64):
        network = without_memory(lambda: kind(CONFIG), dtype)
        with open_codec(folder) as file:
            file.load_into(network, packs=network.packs, ignore=network.UNUSED)
        network.prepare_weights()
        return network

    return made


@pytest.fixture(scope="module")
def decoder(made) -> FishCodecDecoder:
    return made(FishCodecDecoder)


@pytest.fixture(scope="module")
def encoder(made) -> FishCodecEncoder:
    return made(FishCodecEncoder)


def codes(n_frames: int, batch: int = 1, seed: int = 0) -> Tensor:
    drawn = torch.randint(2**20, (batch, 4, n_frames), generator=torch.Generator().manual_seed(seed))
    return drawn % torch.tensor(CONFIG.codebook_sizes)[:, None]


def recorded(n_frames: int, batch: int = 1, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(batch, n_frames * FRAME, generator=generator, dtype=torch.float64).cumsum(1).sin() / 3


def decoded(network: FishCodecDecoder, frames: Tensor, piece: int | None = None) -> tuple[Tensor, FishCodecState]:
    audio, state = [], network.initial_state(len(frames))
    for part in frames.split(piece or frames.shape[2], dim=2):
        samples, state = network.decode(part, state)
        audio.append(samples)
    return torch.cat(audio, dim=1), state


def differ(one: FishCodecState, other: FishCodecState) -> float:
    return max((a - b).abs().max().item() for a, b in zip(one.tensors, other.tensors, strict=True))


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-13), (torch.float32, 1e-6)])
def test_pieces_give_what_the_whole_gives(made, dtype, tolerance):
    """20 frames: four times the window."""
    network = made(FishCodecDecoder, dtype)
    audio, state = decoded(network, codes(20, batch=2))
    assert audio.shape == (2, 20 * FRAME)
    assert audio.dtype == dtype
    assert 0.02 < audio.std() < audio.abs().max() < 1
    for piece in (1, 3, 7):
        samples, after = decoded(network, codes(20, batch=2), piece)
        assert (samples - audio).abs().max() < tolerance, piece
        assert differ(after, state) < 30 * tolerance, piece


def test_the_future_cannot_change_the_past(decoder):
    frames, other = codes(20), codes(20, seed=1)
    other[:, :, :10] = frames[:, :, :10]
    (before, after), (same, differs) = (decoded(decoder, x)[0].split(10 * FRAME, dim=1) for x in (frames, other))
    assert torch.equal(before, same)
    assert not torch.allclose(after, differs)


def test_one_frame_reaches_far_beyond_the_pieces(decoder):
    """Else the tests of pieces would pass without a state."""
    frames = codes(12)
    other = torch.cat([codes(1, seed=3), frames[:, :, 1:]], dim=2)
    late = slice(9 * FRAME, None)
    assert (decoded(decoder, frames)[0] - decoded(decoder, other)[0])[:, late].abs().max() > 1e-9


def test_every_book_counts(decoder):
    silent, _ = decoded(decoder, codes(2))
    for book in range(4):
        other = codes(2)
        other[:, book] = (other[:, book] + 1) % 32
        assert not torch.allclose(decoded(decoder, other)[0], silent), book


def test_streams_of_a_batch_do_not_meet_and_may_have_begun_at_different_times(decoder):
    early, late = decoded(decoder, codes(3))[1], decoded(decoder, codes(17, seed=1))[1]
    both = early.of(torch.cat(pair) for pair in zip(early.tensors, late.tensors, strict=True))
    frames = codes(4, batch=2, seed=2)
    together, _ = decoder.decode(frames, both)
    for index, state in enumerate((early, late)):
        assert (decoder.decode(frames[index : index + 1], state)[0] - together[index]).abs().max() < 1e-13


def test_decoding_leaves_the_state_that_it_read_alone(decoder):
    state = decoded(decoder, codes(5))[1]
    before = state.copy()
    first, _ = decoder.decode(codes(3, seed=4), state)
    assert differ(state, before) == 0
    assert torch.equal(decoder.decode(codes(3, seed=4), state)[0], first)


def test_a_state_overwritten_in_place_goes_on_as_the_other(decoder):
    """How a CUDA graph changes streams: its input tensors stay where they are."""
    other, fixed = decoded(decoder, codes(5))[1], decoder.initial_state()
    places = [tensor.data_ptr() for tensor in fixed.tensors]
    fixed.copy_(other)
    assert [tensor.data_ptr() for tensor in fixed.tensors] == places
    assert torch.equal(decoder.decode(codes(2, seed=1), fixed)[0], decoder.decode(codes(2, seed=1), other)[0])


def test_a_state_is_as_large_after_an_hour_as_at_the_start(decoder):
    state = decoded(decoder, codes(30))[1]
    assert state.position.tolist() == [30]
    assert state.n_bytes == decoder.initial_state().n_bytes == sum(tensor.untyped_storage().nbytes() for tensor in state.tensors)


def test_frames_beyond_the_tables_of_the_file_stand_where_they_stand(decoder):
    """The release has 16,384 rows of a table at most, 12 minutes of frames: no position is looked up, each is computed."""
    late = decoded(decoder, codes(9))[1]
    late.position.fill_(100_000)
    whole, after = decoder.decode(codes(4, seed=1), late)
    assert after.position.tolist() == [100_004]
    first, after = decoder.decode(codes(4, seed=1)[:, :, :1], late)
    rest, _ = decoder.decode(codes(4, seed=1)[:, :, 1:], after)
    assert (torch.cat([first, rest], dim=1) - whole).abs().max() < 1e-13
    rotary = decoder.quantizer.post_module.config.attention.rotary
    cos, signed_sin = Rotary(rotary, CONFIG.head_dim)(torch.tensor([100_000]), torch.float32)
    for pair in range(4):
        angle = torch.tensor(100_000 * 10_000 ** (-pair / 32))
        for table, value in ((cos[0, 0], math.cos(angle)), (signed_sin[0, 0, 1:], math.sin(angle))):
            assert table[2 * pair] == table[2 * pair].bfloat16()
            assert abs(table[2 * pair] - value) < 0.03


def test_a_long_text_is_decoded_in_bounded_pieces(decoder, monkeypatch):
    expected, _ = decoded(decoder, codes(11))
    monkeypatch.setattr(codec_decoder, "MOST_FRAMES_AT_ONCE", 4)
    n_rows = []
    hook = decoder.decoder["model"][0].register_forward_pre_hook(lambda _, given: n_rows.append(given[0].shape[1]))
    audio, state = decoded(decoder, codes(11))
    hook.remove()
    assert n_rows == [16, 16, 12]
    assert (audio - expected).abs().max() < 1e-13
    assert state.position.tolist() == [11]


def test_a_recording_is_encoded_alike_in_pieces_of_any_size(encoder, monkeypatch):
    samples = recorded(14, batch=2)
    expected = encoder.encode(samples)
    assert expected.shape == (2, 4, 14)
    assert expected.dtype == torch.int64
    assert all(len(book.unique()) > 5 for book in expected.transpose(0, 1))
    assert (expected < torch.tensor(CONFIG.codebook_sizes)[:, None]).all()
    for frames_at_once, rows_at_once in ((1, 1), (3, 5), (100, 16)):
        monkeypatch.setattr(codec_encoder, "FRAMES_AT_ONCE", frames_at_once)
        monkeypatch.setattr(windowed_transformer, "MOST_ROWS_AT_ONCE", rows_at_once)
        assert torch.equal(encoder.encode(samples), expected), (frames_at_once, rows_at_once)
    assert torch.equal(encoder.encode(samples[1:]), expected[1:])


def test_a_frame_is_encoded_before_what_comes_next_is_heard(encoder):
    samples, other = recorded(12), recorded(12, seed=1)
    other[:, : 6 * FRAME] = samples[:, : 6 * FRAME]
    (before, after), (same, differs) = (encoder.encode(x).split(6, dim=2) for x in (samples, other))
    assert torch.equal(before, same)
    assert not torch.equal(after, differs)


def test_silence_behind_a_recording_completes_its_last_frame_and_changes_no_other(encoder):
    samples = recorded(5)[:, :-7]
    padded = torch.nn.functional.pad(samples, (0, 7 + 2 * FRAME))
    assert torch.equal(encoder.encode(padded)[:, :, :5], encoder.encode(padded[:, : 5 * FRAME]))


@pytest.mark.parametrize("n_samples", [0, FRAME - 1, 2 * FRAME + 1])
def test_samples_that_are_no_whole_frames_are_refused(encoder, n_samples):
    with pytest.raises(ValueError, match=f"{n_samples} samples: they must be a multiple of {FRAME}"):
        encoder.encode(torch.zeros(1, n_samples))
