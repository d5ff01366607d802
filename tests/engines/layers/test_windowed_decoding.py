"""Windowed decoding: with enough context any cut into pieces gives the samples of the whole, with less it does not."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.layers.causal_conv import CausalChain, CausalTransposedConv1d, ReflectingCausalConv1d, ReplicatingCausalConv1d
from engines.layers.windowed_decoding import DecodingWindow, WindowedDecoder, newest_samples, slide_window

WIDTH, FRAME = 3, 12  # of a frame, samples of one
CONTEXT = 3  # of the causal decoder below: 2 rows, and at 12 rows a frame 6 + one that the upsampling looks back: 2 + 1 frames
LOOKAHEAD = 2


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@cache
def chain() -> CausalChain:
    layers = [ReplicatingCausalConv1d(WIDTH, 4, 3), CausalTransposedConv1d(4, 4, FRAME, FRAME), ReflectingCausalConv1d(4, 1, 7)]
    for index, layer in enumerate(layers):
        layer.double().requires_grad_(False)
        layer.conv.weight.copy_(noise(*layer.conv.weight.shape, seed=index))
        layer.prepare_weights()
    return CausalChain(layers)


def causal(frames: Tensor) -> Tensor:
    """(B, F, WIDTH) -> (B, F * FRAME), like Voxtral's codec: a repeated row at the beginning, a mirrored edge at the end."""
    return chain()(frames, None)[0][:, :, 0]


def foresighted(frames: Tensor) -> Tensor:
    """Two centred convolutions, between zeros, that see LOOKAHEAD frames each way together."""
    rows = F.conv1d(frames.transpose(1, 2), noise(4, WIDTH, 3), padding=1)
    return F.conv1d(rows, noise(FRAME, 4, 3), padding=1).transpose(1, 2).flatten(1)


def in_pieces(decoder: WindowedDecoder, frames: Tensor, sizes: list[int], *, end_alone: bool = False) -> list[Tensor]:
    window, out = None, []
    for index, piece in enumerate(frames.split(sizes, dim=1)):
        samples, window = decoder(piece, window, is_last=not end_alone and index == len(sizes) - 1)
        out.append(samples)
    if end_alone:
        out.append(decoder(frames[:, :0], window, is_last=True)[0])
    return out


DECODERS = {
    "causal": WindowedDecoder(causal, FRAME, CONTEXT),
    "looking ahead": WindowedDecoder(foresighted, FRAME, LOOKAHEAD, LOOKAHEAD),
}
SIZES = ([1] * 20, [20], [1, 2, 4, 8, 5], [7, 0, 13])


@pytest.mark.parametrize("kind", DECODERS)
@pytest.mark.parametrize("end_alone", [False, True])
def test_pieces_give_what_the_whole_gives(kind, end_alone):
    decoder, frames = DECODERS[kind], noise(2, 20, WIDTH)
    for sizes in SIZES:
        pieces = torch.cat(in_pieces(decoder, frames, sizes, end_alone=end_alone), dim=1)
        assert torch.allclose(pieces, decoder.decode(frames), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    "decoder",
    [
        WindowedDecoder(causal, FRAME, CONTEXT - 1),
        WindowedDecoder(foresighted, FRAME, LOOKAHEAD - 1, LOOKAHEAD),
        WindowedDecoder(foresighted, FRAME, LOOKAHEAD, LOOKAHEAD - 1),
    ],
    ids=["causal", "past", "future"],
)
def test_a_frame_less_of_context_or_lookahead_is_not_enough(decoder):
    frames = noise(1, 20, WIDTH)
    pieces = torch.cat(in_pieces(decoder, frames, [1] * 20), dim=1)
    assert (pieces - decoder.decode(frames)).abs().max() > 1e-3


def test_samples_come_as_soon_as_they_are_certain():
    frames = noise(1, 5, WIDTH)
    assert [len(samples[0]) // FRAME for samples in in_pieces(DECODERS["causal"], frames, [1, 3, 1])] == [1, 3, 1]
    assert [len(samples[0]) // FRAME for samples in in_pieces(DECODERS["looking ahead"], frames, [1, 1, 1, 1, 1])] == [0, 0, 1, 1, 3]
    assert [len(samples[0]) // FRAME for samples in in_pieces(DECODERS["looking ahead"], frames[:, :1], [1], end_alone=True)] == [0, 1]


def test_no_more_is_kept_and_decoded_than_must_be():
    lengths = []

    def counting(frames: Tensor) -> Tensor:
        lengths.append(frames.shape[1])
        return foresighted(frames)

    decoder, window = WindowedDecoder(counting, FRAME, LOOKAHEAD, LOOKAHEAD), None
    for piece in noise(1, 12, WIDTH).split(1, dim=1):
        _, window = decoder(piece, window)
    assert max(lengths) == LOOKAHEAD + 1 + LOOKAHEAD
    assert window.frames.shape[1] == LOOKAHEAD + LOOKAHEAD
    assert window.frames.untyped_storage().nbytes() == window.frames.nbytes


def test_no_frames_are_no_samples():
    samples, window = DECODERS["causal"](noise(2, 0, WIDTH), is_last=True)
    assert samples.shape == (2, 0)
    assert window == DecodingWindow(window.frames, 0)


@pytest.mark.parametrize("n_new", [1, 2])
def test_a_fixed_window_serves_streams_that_began_at_different_times(n_new):
    """What lies behind the filled part is not heard: the decoder does not look ahead."""
    frames, n_frames = noise(2, 20, WIDTH), CONTEXT + n_new
    window, n_filled = noise(2, n_frames, WIDTH, seed=5), torch.zeros(2, 1, dtype=torch.int64)
    heard: list[list[Tensor]] = [[], []]
    for step in range(0, 20, n_new):
        if step == 6:
            n_filled = n_filled * torch.tensor([[1], [0]])  # another stream in the second row
        window, n_filled = slide_window(window, n_filled, frames[:, step : step + n_new])
        new = newest_samples(causal(window), n_filled, n_new, FRAME)
        for row in range(2):
            heard[row].append(new[row])
    assert torch.allclose(torch.cat(heard[0]), causal(frames)[0], rtol=0, atol=1e-13)
    assert torch.allclose(torch.cat(heard[1][6 // n_new :]), causal(frames[1:, 6:])[0], rtol=0, atol=1e-13)


def test_a_fixed_window_holds_codes_too_and_needs_no_value_of_a_tensor():
    codes, n_filled = torch.zeros(1, 4, 37, dtype=torch.int64), torch.zeros(1, 1, dtype=torch.int64)
    for number in range(1, 7):
        codes, n_filled = slide_window(codes, n_filled, torch.full((1, 1, 37), number))
    assert codes[0, :, 0].tolist() == [3, 4, 5, 6]
    window, filled = slide_window(codes.to("meta"), n_filled.to("meta"), codes[:, :1].to("meta"))
    assert newest_samples(torch.empty(1, 48, device="meta"), filled, 1, 12).shape == (1, 12)
    assert window.shape == codes.shape
