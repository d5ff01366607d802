"""Even rows: numbers of rows of which a product on this CPU sums every one in the same order, wherever it stands.

oneDNN's kernels for AVX2 take six rows at a time and sum one to three that are left over in another order; with several threads small
products are divided otherwise again, and so are those of hundreds of rows. So numbers are tried, not looked up: other numbers of rows are
filled up with zeros, and where that is no help they are multiplied in groups.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

__all__ = ["product_of_even_rows"]

MOST_FILLED = 12  # rows that are added at most: twice what the widest kernel known takes at a time
GROUPS = (96, 48, 24, 12)  # rows of a group, the most that are even: of 96 on a row costs what it does among 352, of 12 twice that
_PROBE_SEED = 0

Product = Callable[[Tensor], Tensor]  # (n, D_in) to (n, D_out), row by row


def product_of_even_rows(product: Product, rows: Tensor, out_features: int) -> Tensor:
    """rows: (..., D_in), more than one, to (..., out_features).

    A row has the bits that it has in any company. Where so many cannot be multiplied evenly, they are in groups.
    """
    n_rows, d_in = rows.shape[:-1].numel(), rows.shape[-1]
    key = (d_in, out_features, rows.dtype, torch.get_num_threads())
    if key not in _known:
        _known[key] = _EvenNumbers.tried(product, _probe_of(d_in, rows.dtype))
    n_even = _known[key].number_for(n_rows, product)
    if n_even == n_rows:
        return product(rows)
    parts = rows.reshape(-1, d_in).split(n_rows if n_even else _known[key].group)
    made = torch.cat([_filled(product, part, _known[key].number_for(len(part), product) or _known[key].group) for part in parts])
    return made.view(*rows.shape[:-1], -1)


@dataclass(frozen=True)
class _EvenNumbers:
    """Of one shape of matrix, whatever its elements are: a product of it is handed in.

    probe: (1, D_in), of which all even numbers give the same bits. least: one of them. group: rows of a group.
    """

    probe: Tensor
    least: int
    group: int
    _numbers: dict[int, int | None] = field(default_factory=dict)  # of rows that were asked for -> that are multiplied

    @classmethod
    def tried(cls, product: Product, probe: Tensor) -> "_EvenNumbers":
        """Of the bits that most small numbers agree on, the largest group that has them."""
        agreeing: dict[bytes, list[int]] = {}
        for n in range(2, 2 + MOST_FILLED):
            products = product(_of(probe, n))
            if bool((products == products[0]).all()):
                agreeing.setdefault(products[0].view(torch.uint8).numpy().tobytes(), []).append(n)
        even = max(agreeing.values(), key=len, default=[1])
        found = cls(probe, even[0], even[-1])
        return replace(found, group=found._first_even(GROUPS, product) or found.group)

    def number_for(self, n: int, product: Product) -> int | None:
        """The least even number from n on, tried once; None where too many rows would be added."""
        if n not in self._numbers:
            self._numbers[n] = self._first_even(range(n, n + MOST_FILLED + 1), product)
        return self._numbers[n]

    def _first_even(self, tried: Iterable[int], product: Product) -> int | None:
        expected = product(_of(self.probe, self.least))[0]
        return next((n for n in tried if bool((product(_of(self.probe, n)) == expected).all())), None)


_known: dict[tuple[int, int, torch.dtype, int], _EvenNumbers] = {}  # by columns in and out, dtype, threads


def _probe_of(d_in: int, dtype: torch.dtype) -> Tensor:
    return torch.randn(1, d_in, generator=torch.Generator().manual_seed(_PROBE_SEED)).to(dtype)


def _of(probe: Tensor, n: int) -> Tensor:
    return probe.expand(n, -1).contiguous()


def _filled(product: Product, rows: Tensor, n: int) -> Tensor:
    """Of n rows, those that are missing zeros."""
    missing = n - len(rows)
    return product(torch.cat([rows, rows.new_zeros(missing, rows.shape[1])]))[: len(rows)] if missing else product(rows)
