"""Sampling: choices have the probabilities that were asked for."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from engines.kit.sampling.sampling import SamplingTensors, apply_repetition_penalty, gumbel_noise, sample, sample_cut_first

LOGITS = torch.tensor([2.0, 1.0, 0.5, 0.0, -1.0, -3.0])
N_DRAWS = 40_000


def params(temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, batch: int = 1) -> SamplingTensors:
    made = SamplingTensors.blank(batch, "cpu")
    for row in range(batch):
        made.set(temperature, top_k, top_p, row)
    return made


def column(value: int) -> torch.Tensor:
    return torch.tensor([[value]])


def frequencies(how: SamplingTensors, draw: Callable = sample) -> np.ndarray:
    noise = gumbel_noise(torch.zeros(N_DRAWS, 1, dtype=torch.int64), torch.arange(N_DRAWS)[:, None], torch.arange(len(LOGITS)))
    chosen = draw(LOGITS.expand(N_DRAWS, -1), noise, how)
    return np.bincount(chosen.numpy(), minlength=len(LOGITS)) / N_DRAWS


def softmax(kept: int, temperature: float = 1.0) -> np.ndarray:
    weights = np.exp(LOGITS.numpy().astype(np.float64) / temperature)
    weights[kept:] = 0
    return weights / weights.sum()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, softmax(6)),
        ({"temperature": 0.5}, softmax(6, 0.5)),
        ({"temperature": 2.0}, softmax(6, 2.0)),
        ({"top_k": 2}, softmax(2)),
        ({"top_k": 100}, softmax(6)),
        ({"top_p": 0.5}, softmax(1)),  # the likeliest alone has 0.55
        ({"top_p": 0.8}, softmax(3)),  # 0.55 + 0.20 + 0.12
        ({"top_k": 3, "top_p": 0.8}, softmax(2)),  # of the three left, two have 0.86
        ({"temperature": 0.0}, softmax(1)),
    ],
)
def test_choices_have_the_probabilities_that_were_asked_for(settings, expected):
    error = np.abs(frequencies(params(**{"temperature": 1.0} | settings)) - expected)
    assert (error <= 4 * np.sqrt(expected * (1 - expected) / N_DRAWS) + 1e-12).all()  # four standard deviations


def test_codes_as_likely_as_the_last_of_the_best_are_kept_with_it():
    logits = torch.tensor([[1.0, 3.0, 1.0, 1.0, -9.0]])
    chosen = {int(sample(logits, gumbel_noise(column(1), column(frame), torch.arange(5)), params(top_k=2))) for frame in range(300)}
    assert chosen == {0, 1, 2, 3}


def test_without_temperature_the_first_of_equals_is_chosen_whatever_the_noise():
    logits = torch.tensor([[0.0, 5.0, 5.0, 1.0]])
    noise = torch.tensor([[0.0, 0.0, 9.0, 9.0]])
    assert sample(logits, noise, params(temperature=0.0)).tolist() == [1]


def test_the_likeliest_code_is_kept_however_little_is_asked_for():
    assert sample(LOGITS[None], torch.zeros(1, 6), params(top_p=0.0)).tolist() == [0]


def test_noise_belongs_to_its_code_wherever_that_stands_among_the_others():
    noise = torch.zeros(1, 6)
    noise[0, 4] = 99.0
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 4, 1, 5, 3]):
        assert sample(LOGITS[order][None], noise, params()).tolist() == [4]


def test_each_row_of_a_batch_has_its_own_params():
    how = SamplingTensors(torch.tensor([[0.0], [1.0]]), torch.tensor([[0], [1]]), torch.tensor([[1.0], [1.0]]))
    noise = torch.tensor([[0.0] * 5 + [99.0]]).expand(2, -1)
    assert sample(LOGITS.expand(2, -1), noise, how).tolist() == [0, 0]


def test_seen_codes_become_less_likely_on_either_side_of_zero():
    logits = torch.tensor([[2.0, -2.0, 1.0, -1.0]])
    seen = torch.tensor([[True, True, False, False]])
    assert apply_repetition_penalty(logits, seen, torch.tensor([[2.0]])).tolist() == [[1.0, -4.0, 1.0, -1.0]]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": 0.5}, softmax(6, 0.5)),
        ({"top_p": 0.5}, softmax(1)),  # the likeliest alone has 0.55
        ({"top_p": 0.8}, softmax(2)),  # with the third it would be 0.87: `sample` keeps it
        ({"top_p": 0.8, "temperature": 2.0}, softmax(2, 2.0)),  # what is cut was likely before, not after the temperature
        ({"top_k": 2, "temperature": 2.0}, softmax(2, 2.0)),
        ({"top_k": 1, "top_p": 0.01}, softmax(1)),
        ({"temperature": 0.0}, softmax(1)),
    ],
)
def test_where_the_unlikely_is_cut_first_temperature_changes_only_what_is_left(settings, expected):
    error = np.abs(frequencies(params(**{"temperature": 1.0} | settings), sample_cut_first) - expected)
    assert (error <= 4 * np.sqrt(expected * (1 - expected) / N_DRAWS) + 1e-12).all()  # four standard deviations


def test_where_the_unlikely_is_cut_first_ranks_count_and_not_values():
    logits = torch.tensor([[1.0, 3.0, 1.0, 1.0, -9.0]])
    how = params(top_k=2)
    assert {int(sample_cut_first(logits, gumbel_noise(column(1), column(frame), torch.arange(5)), how)) for frame in range(300)} == {0, 1}
