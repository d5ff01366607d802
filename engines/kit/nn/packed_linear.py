"""PackedLinear: a matrix in the layout of the CPU's kernels (oneDNN's), packed once. torch's plain product packs it in every call.

It pays where rows are few, as in all steps that make a frame: there the weights are read from memory anew in every call, and little else
is done.

Even rows are numbers of rows of which a product on this CPU sums every one in the same order, wherever it stands. oneDNN's kernels for AVX2
take six rows at a time and sum one to three that are left over in another order; with several threads small products are divided otherwise
again, and so are those of hundreds of rows. So numbers are tried, not looked up: other numbers of rows are filled up with zeros, and where
that is no help they are multiplied in groups.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn

__all__ = ["PackedLinear", "can_pack", "keeps_rows_apart", "pack_linears", "packed_matrix", "product_of_even_rows"]


class PackedLinear(nn.Module):
    """nn.Linear of a packed matrix. weight: the same shape, type and size as before, but its elements are nobody's to read.

    The product is the plain one within a rounding, and that of a row does not depend on where it stands and how many others there are, if
    there are any (see product_of_even_rows).
    """

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight = nn.Parameter(torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach()), requires_grad=False)
        self.bias = linear.bias

    def forward(self, rows: Tensor) -> Tensor:
        """(..., in_features) -> (..., out_features)"""
        if rows.shape[:-1].numel() == 1:
            return self._product(rows)
        return product_of_even_rows(self._product, rows, self.out_features)

    def _product(self, rows: Tensor) -> Tensor:
        return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")


def packed_matrix(weight: Tensor) -> Tensor:
    """(D_out, D_in) float32 laid out for `linear` of kit/nn/linear.py, which then is all that may read it; as it is where it cannot be."""
    is_fit = weight.dtype == torch.float32 and can_pack(weight)
    return torch.ops.mkldnn._reorder_linear_weight(weight.detach()) if is_fit else weight


def can_pack(weight: Tensor) -> bool:
    """Whether this machine has the kernels for a matrix that lies there, in that type."""
    if weight.device.type != "cpu" or not torch.backends.mkldnn.is_available() or torch.ops.mkldnn._is_mkldnn_acl_supported():
        return False
    return weight.dtype == torch.float32 or (weight.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported())


def keeps_rows_apart(network: nn.Module) -> bool:
    """Whether every matrix in the network is packed, so that two rows and more have the bits that they have in any company."""
    return not any(type(module) is nn.Linear for module in network.modules())


def pack_linears(network: nn.Module) -> None:
    """Pack every nn.Linear in the network that can be; the plain matrices are given up, one after the other. Not where layers are compiled.

    Weights that were a file's own memory become the process's.
    """
    for parent in [module for module in network.modules() if type(module) is not nn.Linear]:  # who kept those would keep their matrices
        for name, child in parent.named_children():
            if type(child) is nn.Linear and can_pack(child.weight):
                setattr(parent, name, PackedLinear(child))


# --- rows that every product sums alike


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
