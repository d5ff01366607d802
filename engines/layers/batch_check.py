"""Batch check: whether a network gives every row of a batch what it gives it alone, bit for bit.

Libraries choose how to multiply matrices by how many rows there are, and may sum in another order for more of them. Work whose outcome
must not depend on who else is served is shared only where this finds that it may be.
"""

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["is_exact"]


@torch.inference_mode()
def is_exact(network: Callable[[Tensor], Tensor], rows: Tensor) -> bool:
    """rows: (B, ...) that differ, for `network`, which gives (B, ...) of them. Waits for the device."""
    together = network(rows)
    return all(torch.equal(network(rows[index : index + 1])[0], together[index]) for index in range(len(rows)))
