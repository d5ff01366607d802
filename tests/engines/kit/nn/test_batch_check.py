"""The batch check tells a network that gives each row what it gives it alone from one that does not."""

import threading

import pytest
import torch

from engines.kit.nn.batch_check import is_exact, least_rows
from engines.kit.nn.ieee_float32 import ieee_float32

ROWS = torch.arange(12.0).view(3, 4)


def test_rows_that_are_computed_apart_may_be_computed_together():
    assert is_exact(lambda rows: rows * 2, ROWS)


def test_a_row_that_depends_on_its_company_is_noticed():
    assert not is_exact(lambda rows: rows - rows.mean(), ROWS)


def test_one_bit_is_enough():
    assert not is_exact(lambda rows: rows + (len(rows) > 1) * 2.0**-22, ROWS / 11)


def test_a_row_in_the_place_of_another_is_noticed():
    assert not is_exact(lambda rows: rows.flip(0), ROWS)


def test_rows_are_compared_in_their_own_precision_whoever_computes_beside_them():
    """Rows that are equal in float32 need not be so in TF32, which is what a graph would keep."""
    order: list[str] = []

    def beside() -> None:
        with ieee_float32():
            order.append("beside")

    other = threading.Thread(target=beside)

    def network(rows: torch.Tensor) -> torch.Tensor:
        if other.ident is None:
            other.start()
            other.join(0.2)
        order.append("rows")
        return rows

    assert is_exact(network, ROWS)
    other.join()
    assert order == ["rows"] * 4 + ["beside"]


@pytest.mark.parametrize(("width_in", "width_out"), [(24, 40), (64, 32), (512, 2048)])
def test_from_the_least_rows_on_a_product_has_the_bits_of_many(width_in, width_out):
    generator = torch.Generator().manual_seed(1)
    rows, columns = torch.randn(40, width_in, generator=generator), torch.randn(width_in, width_out, generator=generator)
    many = torch.mm(rows, columns)
    assert least_rows() >= 2
    for n in (*range(least_rows(), 18), 32, 39):
        assert torch.equal(torch.mm(rows[:n], columns), many[:n]), n


def test_the_least_rows_are_tried_on_this_machine(monkeypatch):
    """As on a CPU whose library sums up to five rows in another order."""
    multiply = torch.mm
    monkeypatch.setattr(torch, "mm", lambda rows, columns: multiply(rows, columns) + (len(rows) < 6) * 2.0**-10)
    assert least_rows.__wrapped__() == 6
