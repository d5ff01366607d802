"""Windows: with recorded norms the generator says in windows of any sizes what it says of the whole, and the same every time."""

import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from engines.kokoro.network.generator import Generator, NormScales, Timbre
from engines.kokoro.network.row_flow import WindowFlow
from engines.kokoro.speech import WINDOWS
from tests.engines.kokoro.opened import toy
from tests.engines.kokoro.random_checkpoint import KINDS

N_ROWS, PITCH_HZ = 24, (120.0, 0.0)  # half frames, of which every third is unvoiced


def generator(kind: str | None) -> Generator:
    return toy(kind).decoder.generator


@torch.no_grad()
def inputs(kind: str | None, n_rows: int) -> tuple[Tensor, Tensor, NormScales]:
    """What a generator is asked for, of random rows, with norms that were recorded of other ones."""
    made, drawn = generator(kind), torch.Generator().manual_seed(n_rows)
    rows = torch.randn(1, n_rows, made.sizes.initial_channels, generator=drawn)
    f0 = torch.tensor([PITCH_HZ[index % 3 == 0] for index in range(n_rows)])[None] + torch.arange(n_rows)
    found: dict[str, tuple[Tensor, Tensor]] = {}
    timbre = Timbre(torch.randn(1, made.style_width, generator=drawn), {})
    made.spectrum(rows.flip(1) + 0.1, made.source(f0.flip(1)), timbre, record=found)
    return rows, made.source(f0), made.scales(Timbre(timbre.style, {}, found))


@torch.no_grad()
def whole(kind: str | None, n_rows: int) -> Tensor:
    rows, source, scales = inputs(kind, n_rows)
    return generator(kind).samples(generator(kind).spectrum(rows, source, scales))[0]


@torch.no_grad()
def windows(kind: str | None, sizes: list[int]) -> list[Tensor]:
    """Samples of each window, of so many rows; behind them one of the source's is left, which the last window takes."""
    rows, source, scales = inputs(kind, sum(sizes))
    per_row = source.shape[1] // rows.shape[1]
    flow, at, heard = WindowFlow(), 0, []
    for index, size in enumerate(sizes):
        is_last = index == len(sizes) - 1
        flow.begin(is_last=is_last)
        end = at + size
        part = source[:, per_row * at : per_row * end + is_last]
        heard.append(generator(kind).samples(generator(kind).spectrum(rows[:, at:end], part, scales, flow), flow)[0])
        at = end
    return heard


@settings(max_examples=10, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.sampled_from([None, *KINDS]))
@example([N_ROWS], None)
@example([16, 7, 1], None)
@example([1] * 12, None)
@example([1], None)
@example([2, 1], KINDS[1])
def test_windows_of_any_sizes_together_are_the_whole(sizes, kind):
    made, expected = torch.cat(windows(kind, sizes)), whole(kind, sum(sizes))
    assert made.shape == expected.shape == (sum(sizes) * toy(kind).config.half_frame_samples,)
    assert (made - expected).abs().max() <= 1e-5 * max(1.0, float(expected.abs().max()))


def test_the_engines_own_windows_are_the_same_bits_every_time():
    sizes = [*WINDOWS[:4], 1]
    assert torch.equal(torch.cat(windows(None, sizes)), torch.cat(windows(None, sizes)))
