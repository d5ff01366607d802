"""Even rows: numbers of rows of which a product on this CPU sums every one in the same order, wherever it stands.

oneDNN's kernels for AVX2 take six rows at a time and sum one to three that are left over in another order; with several threads small
products are divided otherwise again. So numbers are tried, not looked up, and other numbers of rows are filled up with zeros.
"""

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["product_of_even_rows"]

MOST_FILLED = 12  # rows that are added at most: twice what the widest kernel known takes at a time
_PROBE_SEED = 0

# (columns in, columns out, dtype, threads) -> numbers of rows that were asked for -> those that are multiplied, 0 where in groups.
# That of 0 is how many rows a group has.
_known: dict[tuple[int, int, torch.dtype, int], dict[int, int]] = {}


def product_of_even_rows(product: Callable[[Tensor], Tensor], rows: Tensor, out_features: int) -> Tensor:
    """product: (n, D_in) to (n, out_features), row by row. rows: (..., D_in), more than one, to (..., out_features).

    A row has the bits that it has in any company. Where so many cannot be multiplied evenly, they are in groups.
    """
    n_rows, d_in = rows.shape[:-1].numel(), rows.shape[-1]
    numbers = _known.setdefault((d_in, out_features, rows.dtype, torch.get_num_threads()), {})
    if n_rows not in numbers:
        _try(product, rows.reshape(-1, d_in), numbers)
    n_even = numbers[n_rows]
    if n_even == n_rows:
        return product(rows)
    flat = rows.reshape(-1, d_in)
    made = _filled(product, flat, n_even) if n_even else torch.cat([_filled(product, part, numbers[0]) for part in flat.split(numbers[0])])
    return made.view(*rows.shape[:-1], -1)


def _filled(product: Callable[[Tensor], Tensor], rows: Tensor, n_even: int) -> Tensor:
    missing = n_even - len(rows)
    return product(torch.cat([rows, rows.new_zeros(missing, rows.shape[1])]))[: len(rows)] if missing else product(rows)


def _try(product: Callable[[Tensor], Tensor], like: Tensor, numbers: dict[int, int]) -> None:
    """Find the number for len(like) rows, and that of 0: the smallest of the numbers that most others agree with."""
    probe = torch.randn(1, like.shape[1], generator=torch.Generator().manual_seed(_PROBE_SEED)).to(like.dtype)

    def made(n: int) -> Tensor:
        return product(probe.expand(n, -1).contiguous())

    if 0 not in numbers:
        agreeing: dict[bytes, list[int]] = {}
        for n in range(2, 2 + MOST_FILLED):
            products = made(n)
            if bool((products == products[0]).all()):
                agreeing.setdefault(products[0].view(torch.uint8).numpy().tobytes(), []).append(n)
        numbers[0] = max(agreeing.values(), key=len, default=[1])[0]
    expected = made(numbers[0])[0]
    tried = range(len(like), len(like) + MOST_FILLED + 1)
    numbers[len(like)] = next((n for n in tried if bool((made(n) == expected).all())), 0)
