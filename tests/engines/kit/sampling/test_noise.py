"""Noise: a function of seed, frame and position alone, of the distributions it is named after, the same for ever."""

import math
from statistics import NormalDist

import numpy as np
import pytest
import torch

from engines.kit.sampling.sampling import CODEBOOK_STRIDE, TEXT_STRIDE, TEXT_UNIFORM_BITS, gaussian_noise, gumbel_noise, uniform_noise

N_DRAWS = 20_000
NEVER = 1.95  # times 1 / sqrt(n): what Kolmogorov's statistic exceeds once in a thousand
TEXT_VOCABULARY = 155_776  # Fish Audio S2 Pro, the largest there is


def text_gumbel(seed: torch.Tensor, frame: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    return gumbel_noise(seed, frame, positions, TEXT_UNIFORM_BITS)


KINDS = {
    "gumbel": (gumbel_noise, lambda x: np.exp(-np.exp(-x))),
    "gumbel of texts": (text_gumbel, lambda x: np.exp(-np.exp(-x))),
    "gaussian": (gaussian_noise, lambda x: torch.special.ndtr(torch.from_numpy(x)).numpy()),
    "uniform": (uniform_noise, lambda x: x),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def column(value: int) -> torch.Tensor:
    return torch.tensor([[value]])


def splitmix64(seed: int, position: int) -> int:
    """The generator's output number `position` (from 0), in Python's whole numbers."""
    mask = 2**64 - 1

    def mixed(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    return mixed((seed + (position + 1) * 0x9E3779B97F4A7C15) & mask)


def word(seed: int, frame: int, position: int) -> int:
    state = splitmix64(seed - 0x9E3779B97F4A7C15, 0)  # the finalizer alone
    state = splitmix64((state + frame * 0x9E3779B97F4A7C15 - 0x9E3779B97F4A7C15) % 2**64, 0)
    return splitmix64(state, position)


def kolmogorov(drawn: np.ndarray, cdf) -> float:
    """The largest distance between the drawn distribution and the wanted one, in units of 1 / sqrt(n)."""
    wanted = cdf(np.sort(drawn))
    steps = np.arange(len(drawn) + 1) / len(drawn)
    return max(np.abs(wanted - steps[:-1]).max(), np.abs(wanted - steps[1:]).max()) * math.sqrt(len(drawn))


def test_gumbel_noise_is_splitmix64_read_at_the_codes_position():
    seed, frame, positions = 7, 3, torch.tensor([0, 1, CODEBOOK_STRIDE * 15 + 2047])
    uniform = [((word(seed, frame, int(position)) >> 41) + 0.5) * 2.0**-23 for position in positions]
    expected = -np.log(-np.log(np.array(uniform)))
    assert np.allclose(gumbel_noise(column(seed), column(frame), positions).numpy(), expected, rtol=1e-6)


def test_gaussian_noise_is_the_quantile_of_splitmix64_under_seeds_of_its_own():
    seed, frame, positions = 7, 3, torch.tensor([0, 1, TEXT_STRIDE * 6 + 255])
    words = [word(seed ^ 0x243F6A8885A308D3, frame, int(position)) for position in positions]
    expected = [NormalDist().inv_cdf(((word >> 12) + 0.5) * 2.0**-52) for word in words]
    assert gaussian_noise(column(seed), column(frame), positions)[0].tolist() == pytest.approx(expected, rel=1e-6)


def test_the_numbers_stay_what_they_are():
    """A voice that was heard with a seed is heard again: on this, takes that were kept depend."""
    codes, texts = torch.tensor([0, 1, CODEBOOK_STRIDE * 15 + 2047]), torch.tensor([0, 1, TEXT_STRIDE + 155_775])
    golden = {
        gumbel_noise: (codes, [0.5616520047187805, -0.8227850794792175, 1.2023848295211792]),
        text_gumbel: (texts, [0.5616520643234253, -0.8227853178977966, -1.0027415752410889]),
        gaussian_noise: (texts, [0.15522104501724243, -0.4825248420238495, 0.6955575346946716]),
        uniform_noise: (texts, [0.5653749108314514, 0.10260868817567825, 0.06549742817878723]),
    }
    for draw, (positions, expected) in golden.items():
        assert draw(column(7), column(3), positions)[0].tolist() == pytest.approx(expected, rel=2e-7)  # an ulp of float32


def test_noise_depends_on_seed_frame_and_position_and_on_no_neighbor(kind):
    draw, _ = kind
    positions = torch.arange(100)
    base = draw(column(1), column(2), positions)
    assert base.dtype == torch.float32
    assert torch.equal(base, draw(torch.tensor([[1], [5]]), torch.tensor([[2], [9]]), positions)[:1])
    assert torch.equal(base[:, 10:20], draw(column(1), column(2), positions[10:20]))
    others = [draw(column(2), column(2), positions), draw(column(1), column(3), positions)]
    others += [draw(column(1), column(2), positions + stride) for stride in (CODEBOOK_STRIDE, TEXT_STRIDE)]
    for other in others:
        assert abs(np.corrcoef(base.numpy()[0], other.numpy()[0])[0, 1]) < 0.4
        assert not torch.equal(base, other)


def test_frames_may_be_rows_too():
    """(B, 1, 1) seeds, (F, 1) frames and (N,) positions to (B, F, N): the noise of many mel frames at once."""
    seeds, frames, bands = torch.tensor([[[4]], [[5]]]), torch.arange(6)[:, None], torch.arange(80)
    drawn = gaussian_noise(seeds, frames, bands)
    assert drawn.shape == (2, 6, 80)
    assert torch.equal(drawn[1, 3], gaussian_noise(column(5), column(3), bands)[0])


@pytest.mark.parametrize("seed", [0, 1, 2**62, 2**63 - 1])
def test_noise_has_its_distribution_across_positions(kind, seed):
    draw, cdf = kind
    drawn = draw(column(seed), column(0), torch.arange(CODEBOOK_STRIDE * 16)).double().numpy()[0]
    assert kolmogorov(drawn, cdf) < NEVER


def test_noise_has_its_distribution_across_frames_and_seeds(kind):
    draw, cdf = kind
    many = torch.arange(N_DRAWS)[:, None]
    for seeds, frames in ((column(3), many), (many, column(3))):
        assert kolmogorov(draw(seeds, frames, torch.tensor([TEXT_STRIDE + 5]))[:, 0].double().numpy(), cdf) < NEVER


def test_gaussian_noise_has_the_moments_and_tails_of_its_kind():
    drawn = gaussian_noise(torch.arange(10)[:, None], column(0), torch.arange(N_DRAWS)).double().flatten()
    n = len(drawn)
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(drawn.pow(power).mean() - moment) < 4 * math.sqrt(variance / n)
    assert 4 < drawn.abs().max() < 6
    assert abs(torch.corrcoef(torch.stack([drawn[:-1], drawn[1:]]))[0, 1]) < 4 / math.sqrt(n)


def test_gaussian_and_gumbel_noise_of_the_same_key_are_strangers():
    positions = torch.arange(N_DRAWS)
    both = torch.cat([gaussian_noise(column(1), column(2), positions), gumbel_noise(column(1), column(2), positions)])
    assert abs(torch.corrcoef(both)[0, 1]) < 4 / math.sqrt(N_DRAWS)


def test_no_number_is_infinite_where_the_word_is_lowest_or_highest(monkeypatch):
    from engines.kit.sampling import sampling

    for bits in (0, -1):
        monkeypatch.setattr(sampling, "_mixed", lambda words, bits=bits: torch.full_like(words, bits))
        for draw, _ in KINDS.values():
            assert draw(column(1), column(2), torch.arange(3)).isfinite().all()


def test_the_codes_of_a_large_vocabulary_share_no_number():
    """Within a book and with the next one; the 52 bits of 311,552 words are all different."""
    positions = torch.arange(TEXT_VOCABULARY)
    drawn = text_gumbel(column(1), column(2), torch.cat([positions, positions + TEXT_STRIDE]))
    assert len(drawn[0].unique()) > 0.99 * len(drawn[0])  # float32 has fewer numbers than float64
    likeliest = drawn[0].topk(100).values
    assert len(likeliest.unique()) == 100


def test_noise_needs_no_value_of_a_tensor(kind):
    keys = [torch.empty(shape, dtype=torch.int64, device="meta") for shape in ((2, 1), (2, 1), (5,))]
    assert kind[0](*keys).shape == (2, 5)
