"""Matrices for few rows: the plain product, whatever the company."""

import pytest
import torch

from engines.kit.nn import row_matrix
from engines.kit.nn.row_matrix import Float32Matrix, Int8Matrix, can_quantize

WIDTHS = (96, 64)
INT8_TOLERANCE = 0.02  # of the largest value
INT7_TOLERANCE = 2 * INT8_TOLERANCE  # rows of 7 bits have half the levels


def made(n_rows: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """weight, rows of very different size, base."""
    generator = torch.Generator().manual_seed(0)
    weight, rows = torch.randn(*WIDTHS, generator=generator), torch.randn(n_rows, WIDTHS[1], generator=generator)
    return weight, rows * torch.logspace(-3, 3, n_rows)[:, None], torch.randn(n_rows, WIDTHS[0], generator=generator)


def test_it_is_the_product():
    weight, rows, base = made()
    matrix = Float32Matrix(weight)
    assert torch.allclose(matrix(rows), rows @ weight.T, rtol=1e-5)
    assert torch.allclose(matrix.add_to(base, rows), base + rows @ weight.T, rtol=1e-5)
    assert matrix.bytes == weight.nbytes


@pytest.mark.skipif(not can_quantize(), reason="no kernels for 8 bits here")
@pytest.mark.parametrize("overflows", [False, True])
def test_in_8_bits_the_largest_sums_are_there(monkeypatch, overflows):
    """Also by rows of 7 bits, as where sums of 16 bits overflow."""
    if overflows:
        monkeypatch.setattr(row_matrix, "_overflows", lambda: True)
    product = Int8Matrix(torch.ones(WIDTHS))(torch.ones(2, WIDTHS[1]))
    assert torch.allclose(product, torch.full((2, WIDTHS[0]), float(WIDTHS[1])), rtol=INT8_TOLERANCE)


@pytest.mark.skipif(not can_quantize(), reason="no kernels for 8 bits here")
@pytest.mark.parametrize("overflows", [False, True])
def test_in_8_bits_every_row_keeps_its_own_precision(monkeypatch, overflows):
    """A row a million times smaller than its neighbor would be nothing by a scale that they share."""
    if overflows:
        monkeypatch.setattr(row_matrix, "_overflows", lambda: True)
    tolerance = INT7_TOLERANCE if row_matrix._overflows() else INT8_TOLERANCE
    weight, rows, base = made()
    exact, matrix = rows @ weight.T, Int8Matrix(weight)
    error = (matrix(rows) - exact).abs().amax(1) / exact.abs().amax(1)
    assert 0 < error.max() < tolerance
    assert ((matrix.add_to(base, rows) - base - exact).abs().amax(1) / exact.abs().amax(1)).max() < tolerance
    assert matrix.bytes < weight.nbytes / 2


@pytest.mark.skipif(not can_quantize(), reason="no kernels for 8 bits here")
def test_in_8_bits_a_row_does_not_depend_on_others():
    weight, rows, _ = made()
    matrix = Int8Matrix(weight)
    for index in range(len(rows)):
        assert torch.equal(matrix(rows[index : index + 1])[0], matrix(rows)[index])


@pytest.mark.skipif(not can_quantize(), reason="no kernels for 8 bits here")
def test_a_row_of_zeros_gives_zeros():
    assert torch.equal(Int8Matrix(made()[0])(torch.zeros(2, WIDTHS[1])), torch.zeros(2, WIDTHS[0]))
