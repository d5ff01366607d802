"""The batch check tells a network that gives each row what it gives it alone from one that does not."""

import torch

from engines.layers.batch_check import is_exact

ROWS = torch.arange(12.0).view(3, 4)


def test_rows_that_are_computed_apart_may_be_computed_together():
    assert is_exact(lambda rows: rows * 2, ROWS)


def test_a_row_that_depends_on_its_company_is_noticed():
    assert not is_exact(lambda rows: rows - rows.mean(), ROWS)


def test_one_bit_is_enough():
    assert not is_exact(lambda rows: rows + (len(rows) > 1) * 2.0**-22, ROWS / 11)


def test_a_row_in_the_place_of_another_is_noticed():
    assert not is_exact(lambda rows: rows.flip(0), ROWS)
