"""Batch check: whether a network gives every row of a batch the same bits as that row alone.

A library chooses its way to multiply by the number of rows, and may sum in another order for more rows. Some work must not depend on who
else is served. It is shared only where this check allows it.
"""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from engines.kit.nn.ieee_float32 import no_other_precision

__all__ = ["is_exact", "least_rows"]

MOST_ALONE = 8  # rows of which a product may be summed in another order than that of many; beyond them nothing is lost by taking these
TRIED_WIDTH = 64  # of the matrix that is tried: libraries choose by the number of rows, at every width from 16 to 2048


@torch.inference_mode()
def is_exact(network: Callable[[Tensor], Tensor], rows: Tensor) -> bool:
    """rows: (B, ...) that differ, for `network`, which gives (B, ...) of them. Waits for the device.

    In the network's own precision, as a capture has it: what is so in another thread's need not be so in this one.
    """
    with no_other_precision():
        together = network(rows)
        return all(torch.equal(network(rows[index : index + 1])[0], together[index]) for index in range(len(rows)))


@cache
def least_rows() -> int:
    """How many rows torch's product of float32 matrices on this CPU has to be given, for each row to have the bits it has among many.

    Two where MKL takes a single row another way (Intel), four where it takes up to three so (AMD): tried, not looked up.
    """
    generator = torch.Generator().manual_seed(0)
    rows, columns = (torch.randn(TRIED_WIDTH, TRIED_WIDTH, generator=generator) for _ in range(2))
    with torch.inference_mode():
        many = torch.mm(rows, columns)
        exact = [n for n in range(2, MOST_ALONE + 1) if torch.equal(torch.mm(rows[:n], columns), many[:n])]
    return next((n for n in exact if set(range(n, MOST_ALONE + 1)) <= set(exact)), MOST_ALONE)
