"""RowFlow: how rows go through layers that look to both sides, as a whole, or window by window with the same result.

Rows are channels-last, (B, T, D): so a convolution reads memory as it lies, and a scale per channel is one pass. A layer that looks ahead
gives fewer rows than it got, until the last window; sums of branches wait for the slower one.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = ["WHOLE", "RowFlow", "WindowFlow"]


class RowFlow:
    """All rows at once: zeros stand on both sides."""

    def padded(self, rows: Tensor, reach: int, span: int, stride: int = 1) -> Tensor:
        """(B, T, D) -> (B, T + 2 reach, D): what a convolution of that span sees, with so many zeros on either side."""
        return F.pad(rows, (0, 0, reach, reach)) if reach else rows

    def paired(self, rows: Tensor) -> Tensor:
        """(B, T + 1, 2 D): each row beside the one before it, zeros before the first and behind the last."""
        padded = F.pad(rows, (0, 0, 1, 1))
        return torch.cat([padded[:, :-1], padded[:, 1:]], 2)

    def trimmed(self, rows: Tensor, before: int, behind: int) -> Tensor:
        """Without so many rows at the beginning and at the end of all."""
        return rows[:, before : rows.shape[1] - behind]

    def mirrored(self, rows: Tensor) -> Tensor:
        """With the second row in front of the first: one row of reflection."""
        return torch.cat([rows[:, 1:2], rows], 1)

    def aligned(self, *branches: Tensor) -> list[Tensor]:
        """The same rows of every branch."""
        return list(branches)


WHOLE = RowFlow()


class WindowFlow(RowFlow):
    """Window after window of one stream. `begin` opens each; layers then ask in the same order every time, and find what they left.

    is_last: of the window that is open; zeros stand behind it alone.
    """

    def __init__(self):
        self._left: list[list] = []  # of each layer in their order: rows, None for none, or how many are still to go
        self._next, self._is_first, self._is_last = 0, True, False

    def begin(self, *, is_last: bool) -> None:
        self._is_first, self._is_last, self._next = not self._left, is_last, 0

    def padded(self, rows: Tensor, reach: int, span: int, stride: int = 1) -> Tensor:
        """What the kernel sees now; rows that later places see stay for the next window."""
        if span == 1:
            return rows
        left = self._taken(1)
        before = rows.new_zeros(len(rows), reach, rows.shape[2]) if self._is_first else left[0]
        parts = [before, rows] + ([rows.new_zeros(len(rows), reach, rows.shape[2])] if self._is_last else [])
        joined = torch.cat(parts, 1)
        n_places = max(0, (joined.shape[1] - span) // stride + 1)
        left[0] = joined[:, n_places * stride :].clone()
        return joined

    def paired(self, rows: Tensor) -> Tensor:
        left = self._taken(1)
        zero = rows.new_zeros(len(rows), 1, rows.shape[2])
        joined = torch.cat([zero if self._is_first else left[0], rows] + ([zero] if self._is_last else []), 1)
        left[0] = joined[:, -1:].clone()
        return torch.cat([joined[:, :-1], joined[:, 1:]], 2)

    def trimmed(self, rows: Tensor, before: int, behind: int) -> Tensor:
        """A first window may have fewer rows than go before: then the next go, too. What goes behind is always in the last."""
        left = self._taken(1)
        trimmed_before = before if self._is_first else left[0]
        left[0] = max(0, trimmed_before - rows.shape[1])
        return super().trimmed(rows, trimmed_before, behind if self._is_last else 0)

    def mirrored(self, rows: Tensor) -> Tensor:
        """Nothing, until there is a second row."""
        left = self._taken(1)
        if not self._is_first:
            if left[0] is None:
                return rows
            rows = torch.cat([left[0], rows], 1)
        is_known = rows.shape[1] > 1 or self._is_last
        left[0] = None if is_known else rows.clone()
        return super().mirrored(rows) if is_known else rows[:, :0]

    def aligned(self, *branches: Tensor) -> list[Tensor]:
        left = self._taken(len(branches))
        joined = [rows if old is None else torch.cat([old, rows], 1) for old, rows in zip(left, branches, strict=True)]
        n_rows = min(rows.shape[1] for rows in joined)
        left[:] = [rows[:, n_rows:].clone() if rows.shape[1] > n_rows else None for rows in joined]
        return [rows[:, :n_rows] for rows in joined]

    def _taken(self, n: int) -> list:
        """What this layer left."""
        if self._is_first:
            self._left.append([None] * n)
        self._next += 1
        return self._left[self._next - 1]
