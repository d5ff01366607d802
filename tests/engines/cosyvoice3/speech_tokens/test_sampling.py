"""Repetition-aware sampling draws what a plain loop over sorted codes draws, and nothing that cannot be drawn."""

import math
import random

import numpy as np
import pytest
import torch

from engines.cosyvoice3.speech_tokens.sampling import bar_end, draw
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.sampling.sampling import SamplingTensors

INF = float("inf")
NOBODY = torch.full((1, 10), -1)


def params(temperature: float = 1.0, top_k: int = 25, top_p: float = 0.8, batch: int = 1) -> SamplingTensors:
    made = SamplingTensors.blank(batch, "cpu")
    made.set(temperature, top_k, top_p)
    return made


def drawn(logits: list[float], first: float, second: float = 0.5, recent: torch.Tensor = NOBODY, **how: float) -> int:
    uniforms = torch.tensor([[first, second]], dtype=torch.float64)
    return int(draw(torch.tensor([logits]), recent, uniforms, params(**how), 1.0))


def logs(probabilities: list[float]) -> list[float]:
    return [math.log(p) if p else -INF for p in probabilities]


# --- in plain words: one row at a time, one code after another


def plain_draw(logits: list[float], recent: list[int], uniforms: list[float], how: dict[str, float]) -> int:
    logits = [value / (how["temperature"] or 1.0) for value in logits]
    order = sorted(range(len(logits)), key=lambda code: -logits[code])
    likely = probabilities(logits)
    kept, mass = [], 0.0
    for code in order:
        if mass >= how["top_p"] or len(kept) >= (how["top_k"] or len(order)):
            break
        kept.append(code)
        mass += likely[code]
    code = walk(kept, likely, uniforms[0]) if how["temperature"] else order[0]
    if recent.count(code) < 1:
        return code
    logits[code] = -INF
    if not how["temperature"]:
        return max(range(len(logits)), key=lambda other: logits[other])
    return walk(list(range(len(logits))), probabilities(logits), uniforms[1])


def probabilities(logits: list[float]) -> list[float]:
    weights = [math.exp(value - max(logits)) for value in logits]
    return [weight / sum(weights) for weight in weights]


def walk(codes: list[int], likely: list[float], uniform: float) -> int:
    left = uniform * math.fsum(likely[code] for code in codes)
    for code in codes:
        left -= likely[code]
        if left < 0:
            return code
    raise AssertionError("the uniform number lies beyond all codes")


def test_it_draws_what_a_plain_loop_draws():
    source = random.Random(7)
    n_codes, n_rows = 60, 64
    how = SamplingTensors.blank(n_rows, "cpu")
    cases = []
    for row in range(n_rows):
        spread = source.choice([0.0, 0.5, 2.0, 6.0])  # 0: all are equal
        logits = [float(np.float32(source.gauss(0, spread))) for _ in range(n_codes)]
        best = max(range(n_codes), key=lambda code: logits[code])
        recent = [source.choice([best, source.randrange(n_codes), -1]) for _ in range(10)]
        setting = {
            "temperature": source.choice([0, 0.5, 1, 1]),
            "top_k": source.choice([0, 1, 3, 25]),
            "top_p": source.choice([0.25, 0.75, 1]),
        }
        how.set(**setting, row=row)
        cases.append((logits, recent, [source.random(), source.random()], setting))
    logits, recent, uniforms = (torch.tensor([case[part] for case in cases], dtype=kind) for part, kind in enumerate(KINDS))
    assert draw(logits, recent, uniforms, how, 1.0).tolist() == [plain_draw(*case) for case in cases]


KINDS = (torch.float32, torch.int64, torch.float64)


def test_codes_are_taken_while_those_before_them_have_less_than_top_p():
    assert [drawn([0.0] * 4, 1.0, top_p=at / 4) for at in (1, 2, 3, 4)] == [0, 1, 2, 3], "quarters, of which sums are exact"
    halves = logs([0.125, 0.5, 0.25, 0.125])
    for top_p, last in [(0.4, 1), (0.4999, 1), (0.5001, 2), (0.7501, 0), (0.8751, 3), (1.0, 3)]:
        assert drawn(halves, 1.0, top_p=top_p) == last, top_p
    assert drawn(halves, 1.0, top_p=1.0, top_k=2) == 2
    assert drawn(halves, 1.0, top_p=1.0, top_k=0) == 3
    assert drawn(halves, 1.0, top_p=0.0, top_k=0) == 1, "the likeliest is always kept"


def test_equals_come_in_the_order_of_their_numbers():
    assert [drawn([0.0] * 8, at / 4, top_k=4, top_p=1.0) for at in range(4)] == [0, 1, 2, 3]
    assert drawn([1.0, 3.0, 3.0, 2.0], 0.9, temperature=0.0) == 1


@pytest.mark.parametrize("uniform", [0.0, 1.0, 1 - 2**-53, 1e-300])
def test_what_has_no_probability_is_never_drawn(uniform):
    logits = [-INF, 0.0, -INF, -90.0, 0.0, -INF]
    for top_p in (0.8, 1.0):
        assert drawn(logits, uniform, uniform, top_k=0, top_p=top_p) in (1, 4)
    said = torch.full((1, 10), 1)
    assert drawn(logits, 0.0, uniform, said, top_k=0, top_p=1.0) == 4


def test_an_id_that_was_said_just_before_is_drawn_again_from_all_others():
    logits = logs([0.5, 0.0625, 0.25, 0.1875])
    said = torch.tensor([[-1] * 9 + [0]])
    assert drawn(logits, 0.1, 0.1, NOBODY, top_p=0.4) == 0
    # Of the others, which top_p would have left out, the first has an eighth of what is left, the next a half.
    assert [drawn(logits, 0.1, at, said, top_p=0.4) for at in (0.0, 0.12, 0.13, 0.62, 0.63, 1.0)] == [1, 1, 2, 2, 3, 3]
    assert drawn(logits, 0.1, 0.0, said, temperature=0.0) == 2, "the likeliest of the others"


def test_an_id_may_be_said_less_often_than_it_counts_as_repeated():
    logits, uniforms, how = torch.tensor([[5.0, 0.0]]), torch.tensor([[0.0, 0.0]]), params()
    for n, expected in [(2, 0), (3, 1)]:
        said = torch.tensor([[0] * n + [1] * (10 - n)])
        assert draw(logits, said, uniforms, how, 3.0).tolist() == [expected]


def test_speech_does_not_end_before_it_may():
    logits = torch.tensor([[0.0, 1.0, 9.0, 9.0]]).repeat(2, 1)
    barred = bar_end(logits, torch.tensor([[False], [True]]), 2)
    assert barred.tolist() == [[0.0, 1.0, -INF, -INF], logits[1].tolist()]
    for uniform in (0.0, 0.5, 1.0):
        said, uniforms = torch.full((2, 10), 1), torch.full((2, 2), uniform)
        assert draw(barred, said, uniforms, params(top_k=0, top_p=1.0, batch=2), 1.0)[0] == 0


def test_frequencies_are_those_of_the_softmax():
    n = 20_000
    logits = torch.tensor([2.0, 1.0, 0.5, 0.0, -1.0])
    uniforms = torch.rand(n, 2, generator=torch.Generator().manual_seed(0))
    chosen = draw(logits.expand(n, -1), torch.full((n, 10), -1), uniforms, params(0.5, 0, 1.0, batch=n), 1.0)
    expected = (logits / 0.5).softmax(0).numpy()
    error = np.abs(np.bincount(chosen.numpy(), minlength=5) / n - expected)
    assert (error <= 4 * np.sqrt(expected * (1 - expected) / n)).all()  # four standard deviations


def test_a_gpu_is_not_waited_for():
    with fake_gpu() as gpu, gpu.counting() as counter:
        logits = torch.zeros(2, 50, device=DEVICE)
        recent, uniforms = torch.zeros(2, 10, dtype=torch.int64, device=DEVICE), torch.zeros(2, 2, device=DEVICE)
        may_end = torch.zeros(2, 1, dtype=torch.bool, device=DEVICE)
        chosen = draw(bar_end(logits, may_end, 40), recent, uniforms, SamplingTensors.blank(2, DEVICE), 1.0)
        assert chosen.shape == (2,) and chosen.device.type == "cuda"
        assert counter.n_kernels > 0 and counter.n_copies == 0
