"""DispatchGauge: a mode that sees every operation, without what torch puts around such modes for its compiler.

torch 2.11 calls a mode through `torch._dynamo.disable`, so that nothing in it is compiled. Whoever counts operations compiles nothing; an
operation passes through several modes, and through as many of these calls.
"""

import inspect

from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["DispatchGauge", "ShapesAlone"]


class DispatchGauge(TorchDispatchMode):
    """What measures operations is one of these."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False


class ShapesAlone(FakeTensorMode):
    """Tensors have shapes and devices, and no values."""

    __torch_dispatch__ = inspect.unwrap(FakeTensorMode.__torch_dispatch__)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False
