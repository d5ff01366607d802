"""OverflowWatch: tells of rows whose numbers went beyond float16. The device keeps it; the host reads it with what it reads anyway.

An infinite number becomes NaN in the next norm, and NaN reaches everything that follows, up to the codes that are drawn of it, which look
like any others. So what codes are made of is looked at. In all other dtypes nothing is kept, looked at or read.
"""

import numpy as np
import torch
from torch import Tensor

from engines.errors import EngineFailed
from engines.kit.decode.cuda_graphs import HostCopy
from engines.kit.device import FLOAT16_MOST

__all__ = ["Float16Overflow", "OverflowWatch"]


class Float16Overflow(EngineFailed):
    """Numbers of a stream went beyond float16, so nothing that follows of it is right. setting: what chooses the dtype, by name."""

    code = "float16_overflow"

    def __init__(self, setting: str):
        super().__init__(hint=f"Set {setting}=float32.", setting=setting, most=FLOAT16_MOST)


class OverflowWatch:
    """Of a batched decoder's rows.

    sums: (width, 1) float32, of all that was seen of each row: finite as long as all of it was. None in other dtypes than float16.
    setting: what chooses the dtype, by name; whoever opens the engine knows it.
    """

    def __init__(self, width: int, dtype: torch.dtype, device: torch.device | str):
        self.sums = torch.zeros(width, 1, device=device) if dtype == torch.float16 else None
        self.setting = "the engine's DTYPE"

    def see(self, values: Tensor, sums: Tensor | None = None) -> Tensor:
        """The same values, (width, ...), with 0 for what is not finite: codes of NaN may be none. sums: of other rows than these."""
        sums = self.sums if sums is None else sums
        if sums is None:
            return values
        sums.add_(values.flatten(1).sum(dim=1, keepdim=True, dtype=torch.float32))
        return values.nan_to_num(0.0, 0.0, 0.0)

    def tensors(self) -> list[Tensor]:
        """What of it belongs to a stream in a row."""
        return [] if self.sums is None else [self.sums]

    def begin(self, row: int) -> bool:
        """Another stream has the row. returns: whether what the last one left may hold numbers that are not finite."""
        if self.sums is not None:
            self.sums[row].zero_()
        return self.sums is not None

    def copy(self, row: int) -> HostCopy | None:
        """What is known of the row up to here, for `check`."""
        return None if self.sums is None else HostCopy(self.sums[row])

    def check(self, known: HostCopy | None) -> None:
        """Raises Float16Overflow."""
        if known is not None and not np.isfinite(known.wait().numpy()).all():
            raise Float16Overflow(self.setting)
