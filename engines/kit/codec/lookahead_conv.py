"""Convolutions with look-ahead, fed piece by piece. A row comes out as soon as no later row can change it.

Everything here is channels-last, (B, T, D). A layer is `(rows, kept, is_last) -> (rows, kept)`: input rows that are not done with go out,
and come back in with the next piece; None stands before the first. Zeros lie before the first row of all and behind the last one, so that
pieces of any size together are what one call gives, and nothing is computed twice.
Parameters have the checkpoint's names until `prepare_weights` replaces them, once after loading.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_conv import CausalConv1d, PhasedTransposedConv1d
from engines.kit.codec.packed_conv import PackedConv1d
from engines.kit.nn.packed_linear import packed_matrix

__all__ = ["LookaheadChain", "LookaheadConv1d", "LookaheadResidualUnit", "LookaheadTransposedConv1d"]

Kept = Tensor | None


class LookaheadConv1d(CausalConv1d):
    """Conv1d whose first place has `before` zeros at its left, and whose last one `behind` at its right: (0, 0) is nn.Conv1d unpadded.

    It is arranged and multiplied as the causal one; on a CPU its kernel is packed, unless there is but one channel to make.
    """

    def __init__(self, width_in: int, width_out: int, kernel: int, *, zeros: tuple[int, int] = (0, 0), **shape):
        super().__init__(width_in, width_out, kernel, **shape)
        self.zeros, self.width_out = zeros, width_out
        self.packed: PackedConv1d | None = None

    def prepare_weights(self) -> None:
        """Pack the kernel, or arrange it as one matrix. Once, after loading."""
        if self.width_out > 1 and PackedConv1d.can_pack(self.conv.weight):
            self.packed = PackedConv1d(self._take(), self.bias, stride=self.stride, dilation=self.dilation)
            return
        super().prepare_weights()
        if self.span == 1:
            self.taps = packed_matrix(self.taps)

    def forward(self, rows: Tensor, tail: Kept = None, *, is_last: bool = True) -> tuple[Tensor, Tensor]:
        """(B, T, D_in) -> (B, as many places as are whole now, D_out), and the rows that the next place begins with."""
        rows = self.join(rows, tail, is_last=is_last)
        return self.convolve(rows), self.left_over(rows)

    def reach(self, before: int, behind: int) -> tuple[int, int]:
        """How many rows around a row so many rows around its output depend on. Of a stride of 1, with as many places as rows."""
        return before + self.zeros[0], behind + self.zeros[1]

    def join(self, rows: Tensor, kept: Kept, *, is_last: bool) -> Tensor:
        """The rows between what was kept and what lies behind."""
        before, behind = (rows.new_zeros(len(rows), n, self.width) for n in self.zeros)
        parts = [part for part in (before if kept is None else kept, rows, behind if is_last else behind[:, :0]) if part.shape[1]]
        return torch.cat(parts, dim=1) if len(parts) > 1 else parts[0] if parts else rows

    def n_places(self, rows: Tensor) -> int:
        """Of the kernel in joined rows."""
        return max(0, (rows.shape[1] - self.span) // self.stride + 1)

    def convolve(self, rows: Tensor) -> Tensor:
        """Joined rows (B, T, D_in) -> (B, places, D_out)."""
        n_places = self.n_places(rows)
        if not n_places:
            return rows.new_empty(len(rows), 0, self.width_out)
        rows = rows[:, : (n_places - 1) * self.stride + self.span]
        return self._convolve(rows) if self.packed is None else self.packed(rows)

    def left_over(self, rows: Tensor) -> Tensor:
        """Of joined rows what later places see, as a tensor of its own."""
        return rows[:, self.n_places(rows) * self.stride :].clone()


class LookaheadTransposedConv1d(PhasedTransposedConv1d):
    """ConvTranspose1d of kernel 2 * stride, cut at both ends: `stride` rows for each, of which ceil(stride / 2) lie before its own place.

    That is nn.ConvTranspose1d with padding ceil(stride / 2) and output_padding stride % 2. What is kept is one row.
    """

    def __init__(self, width_in: int, width_out: int, stride: int):
        super().__init__(width_in, width_out, 2 * stride, stride)
        self.n_cut = (stride + 1) // 2

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix, packed on a CPU. Once, after loading."""
        super().prepare_weights()
        self.phases = packed_matrix(self.phases)

    def forward(self, rows: Tensor, kept: Kept = None, *, is_last: bool = True) -> tuple[Tensor, Kept]:
        """(B, T, D_in) -> (B, T * stride, D_out), fewer by ceil(stride / 2) of the first piece and more by them of the last; a row."""
        is_first, n_behind = kept is None, self.rate - self.n_cut
        if is_last:
            rows = torch.cat([rows, self.start(len(rows), rows)], dim=1)
        if not rows.shape[1]:
            return rows.new_empty(len(rows), 0, len(self.phases) // self.rate), kept
        turns, kept = self.take_turns(rows, self.start(len(rows), rows) if kept is None else kept)
        return turns[:, self.n_cut if is_first else 0 : turns.shape[1] - (n_behind if is_last else 0)], kept

    def reach(self, before: int, behind: int) -> tuple[int, int]:
        """As of LookaheadConv1d; a row's own output are `stride` rows. The whole turn u, counted from before the cut, sees the rows
        floor(u / stride) - 1 and floor(u / stride).
        """
        return 1 - (self.n_cut - before) // self.rate, (self.rate - 1 + behind + self.n_cut) // self.rate


class LookaheadResidualUnit(nn.Module):
    """rows + narrow(act(wide(act(rows)))): of DAC (arXiv 2306.06546) with Snake, of SEANet (arXiv 2009.02095) with ELU.

    wide: (width, width, kernel) that keeps the number of rows. The activations must make zeros of zeros, as both do.
    """

    def __init__(self, activation: Callable[[int], nn.Module], wide: LookaheadConv1d, *, bias: bool = True):
        super().__init__()
        width = wide.width
        self.act1, self.conv1, self.act2 = activation(width), wide, activation(width)
        self.conv2 = LookaheadConv1d(width, width, 1, bias=bias)

    def forward(self, rows: Tensor, kept: Kept = None, *, is_last: bool = True) -> tuple[Tensor, Tensor]:
        """(B, T, D) -> (B, as many as are certain now, D), and the rows that come back in."""
        wide = self.conv1
        rows = wide.join(rows, kept, is_last=is_last)
        mixed = self.conv2.convolve(self.act2(wide.convolve(self.act1(rows))))
        return rows[:, wide.zeros[0] : wide.zeros[0] + mixed.shape[1]] + mixed, wide.left_over(rows)

    def reach(self, before: int, behind: int) -> tuple[int, int]:
        """As of LookaheadConv1d."""
        return self.conv1.reach(before, behind)


class LookaheadChain:
    """Layers one after another, those that look ahead and ones that look at single rows; what the chain keeps is one tuple.

    It holds no parameters of its own: the layers belong to the module that names them as the checkpoint does.
    """

    def __init__(self, layers: Sequence[nn.Module]):
        self._layers = tuple(layers)

    def __call__(self, rows: Tensor, kept: tuple[Tensor, ...] | None, *, is_last: bool) -> tuple[Tensor, tuple[Tensor, ...]]:
        """(B, T, D), what was kept -> rows that are certain now, what is kept. kept: None before the first piece."""
        left, new = None if kept is None else iter(kept), []
        for layer in self._layers:
            if isinstance(layer, LOOKAHEAD):
                rows, own = layer(rows, None if left is None else next(left), is_last=is_last)
                new.append(own)
            else:
                rows = layer(rows)
        return rows, tuple(new)

    @property
    def reach(self) -> tuple[int, int]:
        """How many rows before and behind a row its own output depends on: with them around it, it has the output of the whole."""
        before = behind = 0
        for layer in reversed(self._layers):
            if isinstance(layer, LOOKAHEAD):
                before, behind = layer.reach(before, behind)
        return before, behind

    def whole(self, rows: Tensor, at_once: int) -> Tensor:
        """(B, T, D) -> (B, T * rates, D_out), T > 0: all rows there are, so many at once, in memory bounded by those."""
        kept, out, pieces = None, [], rows.split(at_once, dim=1)
        for index, piece in enumerate(pieces):
            some, kept = self(piece, kept, is_last=index == len(pieces) - 1)
            out.append(some)
        return out[0] if len(out) == 1 else torch.cat(out, dim=1)


LOOKAHEAD = LookaheadConv1d | LookaheadTransposedConv1d | LookaheadResidualUnit
