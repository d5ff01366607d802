"""Products of even rows: whatever a library does with rows that are left over, a row has the bits that it has in any company."""

from collections.abc import Callable
from functools import reduce

import pytest
import torch
from torch import Tensor

from engines.kit.nn import packed_linear
from engines.kit.nn.packed_linear import product_of_even_rows

D_IN, D_OUT = 64, 24
ROWS = (2, 3, 5, 7, 8, 9, 13, 20, 31, 97, 117)
Product = Callable[[Tensor], Tensor]


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch) -> None:
    monkeypatch.setattr(packed_linear, "_known", {})


@pytest.fixture(scope="module")
def weight() -> Tensor:
    return torch.randn(D_OUT, D_IN, generator=torch.Generator().manual_seed(1))


def _summed(rows: Tensor, weight: Tensor, order: int) -> Tensor:
    """(n, D_OUT), each entry summed alone, from one end or the other."""
    terms = (rows[:, None] * weight).unbind(2)
    return reduce(torch.add, reversed(terms) if order else terms)


def six_at_a_time(weight: Tensor, asked: list[int]) -> Product:
    """As oneDNN's kernels for AVX2: up to three rows that are left over are summed from the other end."""

    def product(rows: Tensor) -> Tensor:
        asked.append(len(rows))
        n_left = len(rows) % 6
        n_whole = len(rows) - (n_left if n_left <= 3 else 0)
        return torch.cat([_summed(rows[:n_whole], weight, 0), _summed(rows[n_whole:], weight, 1)])

    return product


def never_beyond_four(weight: Tensor, asked: list[int]) -> Product:
    """Every other row is summed from the other end, where there are more than four."""

    def product(rows: Tensor) -> Tensor:
        asked.append(len(rows))
        made = _summed(rows, weight, 0)
        if len(rows) > 4:
            made[1::2] = _summed(rows[1::2], weight, 1)
        return made

    return product


def six_at_a_time_and_few_at_once(weight: Tensor, asked: list[int]) -> Product:
    """The same, and of more than a hundred rows every one is summed from the other end."""
    few = six_at_a_time(weight, asked)

    def product(rows: Tensor) -> Tensor:
        made = few(rows)
        return _summed(rows, weight, 1) if len(rows) > 100 else made

    return product


@pytest.mark.parametrize("kind", [six_at_a_time, never_beyond_four, six_at_a_time_and_few_at_once])
def test_a_row_has_the_same_bits_wherever_it_stands_and_whoever_is_there(weight, kind):
    product = kind(weight, [])
    rows = torch.randn(max(ROWS), D_IN, generator=torch.Generator().manual_seed(2))
    every = product_of_even_rows(product, rows, D_OUT)
    assert not torch.equal(product(rows), every)  # the library alone does not keep them
    for n in ROWS:
        assert torch.equal(product_of_even_rows(product, rows[-n:], D_OUT), every[-n:])
        assert torch.equal(product_of_even_rows(product, rows[:n].flip(0), D_OUT), every[:n].flip(0))


def test_no_row_is_added_where_none_is_left_over_and_few_elsewhere(weight):
    asked = []
    product = six_at_a_time(weight, asked)
    for n, n_multiplied in ((2, 4), (4, 4), (6, 6), (7, 10), (9, 10), (13, 16), (18, 18)):
        product_of_even_rows(product, torch.ones(n, D_IN), D_OUT)
        assert asked[-1] == n_multiplied


def test_where_so_many_are_never_even_they_are_multiplied_in_large_groups(weight):
    asked = []
    product = six_at_a_time_and_few_at_once(weight, asked)
    for n, n_multiplied in ((352, [96, 96, 96, 64]), (200, [96, 96, 10]), (193, [96, 96, 4])):
        for _ in range(2):  # tried, and then as ever after
            product_of_even_rows(product, torch.ones(n, D_IN), D_OUT)
        assert asked[-len(n_multiplied) :] == n_multiplied


def test_a_number_of_rows_is_tried_once(weight):
    asked = []
    product = six_at_a_time(weight, asked)
    for _ in range(3):
        product_of_even_rows(product, torch.ones(8, D_IN), D_OUT)
    assert asked[-2:] == [10, 10]
    n_asked = len(asked)
    product_of_even_rows(product, torch.ones(8, D_IN), D_OUT)
    assert len(asked) == n_asked + 1


def test_what_one_matrix_has_shown_holds_for_others_of_its_shape(weight):
    rows = torch.randn(9, D_IN, generator=torch.Generator().manual_seed(2))
    for other in (weight, 2 - weight):
        product = six_at_a_time(other, [])
        made = product_of_even_rows(product, rows, D_OUT)
        assert torch.equal(product_of_even_rows(product, rows[:2], D_OUT), made[:2])
        assert torch.equal(product_of_even_rows(product, rows[:7], D_OUT), made[:7])


def test_shapes_in_front_stay(weight):
    rows = torch.randn(2, 4, D_IN, generator=torch.Generator().manual_seed(3))
    made = product_of_even_rows(six_at_a_time(weight, []), rows, D_OUT)
    assert made.shape == (2, 4, D_OUT)
    assert torch.allclose(made, rows @ weight.T, atol=1e-4)
