"""Sections where float32 is IEEE float32 in convolutions and matrix products, on GPU and CPU, whatever was allowed elsewhere. Other
sections let a GPU take TF32 for it, where nothing in another thread forbids it.

Half the digits are gone where TF32 or bfloat16 stand in for float32: codes that were read from a clip would differ, and their key says
float32. TF32 is torch's default for convolutions on a GPU; `torch.set_float32_matmul_precision` allows it, or bfloat16, in products.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol, TypeVar

import torch
from torch import backends

__all__ = ["ieee_float32", "no_other_precision", "takes_tensor_float32", "tensor_float32"]

T = TypeVar("T")


@contextmanager
def ieee_float32() -> Iterator[None]:
    """Within: no TF32, no bfloat16 in float32 arithmetic, and cuDNN chooses the same algorithms every time. Then all is as it was.

    torch knows these settings for the process alone, not for a thread: who computes beside it does so exactly, too, and more slowly.
    Sections of several threads overlap: the first sets, the last restores. What another thread sets meanwhile is undone.
    """
    with _SECTIONS.holding(_IEEE):
        yield


@contextmanager
def tensor_float32() -> Iterator[None]:
    """Within: a GPU multiplies float32 in TF32, ten bits of its 23, several times as fast; a CPU in IEEE float32. Then all is as it was.

    While any section of ieee_float32 is open, in whatever thread, that one counts: what must be exact is, and this is only slower. Who
    computes exactly beside it has to say so. A CUDA graph keeps what held when it was captured: replays need no section; see
    no_other_precision.
    """
    with _SECTIONS.holding(_TF32):
        yield


@contextmanager
def no_other_precision() -> Iterator[None]:
    """Within: no section of another thread is open. It waits until theirs are over, and they wait until this is.

    What is kept of the work within, such as a CUDA graph, then has the precision of its own sections, whoever computes beside it.
    """
    with _SECTIONS.alone():
        yield


def takes_tensor_float32() -> bool:
    """Whether a section has let a GPU take TF32 for float32, here and now."""
    return _SECTIONS.prevailing() is _TF32


class _Sections:
    """How many sections of each kind are open, and what was set before the first."""

    def __init__(self):
        self._changed = threading.Condition()
        self._open: Counter[tuple[_Precision, int]] = Counter()  # (precision, thread) -> its open sections
        self._alone: int | None = None  # the thread that no other has sections beside
        self._before: _Precision | None = None

    @contextmanager
    def holding(self, precision: "_Precision") -> Iterator[None]:
        section = (precision, threading.get_ident())
        with self._changed:
            self._changed.wait_for(lambda: self._alone in (None, section[1]))
            self._count(section, 1)
        try:
            yield
        finally:
            with self._changed:
                self._count(section, -1)
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._alone is None and all(thread == me for _, thread in self._open))
            self._alone = me
        try:
            yield
        finally:
            with self._changed:
                self._alone = None
                self._changed.notify_all()

    def _count(self, section: "tuple[_Precision, int]", change: int) -> None:
        """Begin or end a section, and set what counts where that is another precision now."""
        held = self.prevailing()
        if held is None:
            self._before = _Precision.now()
        self._open[section] += change
        if not self._open[section]:
            del self._open[section]
        now = self.prevailing()
        if now != held:
            precision = now or self._before
            assert precision is not None
            precision.set()

    def prevailing(self) -> "_Precision | None":
        open_now = {precision for precision, _ in self._open.copy()}
        return next((precision for precision in (_IEEE, _TF32) if precision in open_now), None)


class _Adjustable(Protocol):
    fp32_precision: str


@dataclass(frozen=True)
class _Precision:
    """torch's settings, of which there are two generations that must agree: where they do not, torch raises when the older is read.

    matmul, cudnn_tf32: the older, None where unreadable; then they end up as strict as can be. operations: the newer, of each of
    _OPERATIONS; "none" leaves it to the backend's. deterministic, benchmark: cuDNN's.
    """

    matmul: str | None
    cudnn_tf32: bool | None
    operations: tuple[str, ...]
    deterministic: bool
    benchmark: bool

    @classmethod
    def now(cls) -> "_Precision":
        matmul = _unless_mixed(torch.get_float32_matmul_precision)
        cudnn_tf32 = _unless_mixed(lambda: backends.cudnn.allow_tf32)
        # Reading resolves "none" to the backend's own setting. What equals it is taken to be inherited.
        operations = tuple(
            "none" if operation.fp32_precision == backend.fp32_precision else operation.fp32_precision for backend, operation in _OPERATIONS
        )
        return cls(matmul, cudnn_tf32, operations, backends.cudnn.deterministic, backends.cudnn.benchmark)

    def set(self) -> None:
        """The older settings first: they write the newer ones, too."""
        torch.set_float32_matmul_precision(self.matmul or "highest")
        backends.cudnn.allow_tf32 = self.cudnn_tf32 or False
        for (_, operation), precision in zip(_OPERATIONS, self.operations, strict=True):
            operation.fp32_precision = precision
        backends.cudnn.deterministic, backends.cudnn.benchmark = self.deterministic, self.benchmark


def _unless_mixed(read: Callable[[], T]) -> T | None:
    """What torch says; None where it refuses to, because the two generations disagree."""
    try:
        return read()
    except RuntimeError:  # "you have used mix of the legacy and new APIs to set the TF32 status"
        return None


# (backend, operation) of torch.backends in torch 2.11; cuDNN's setting is all of CUDA's.
_NAMES = (
    ("cudnn", "cuda.matmul"), ("cudnn", "cudnn.conv"), ("cudnn", "cudnn.rnn"),
    ("mkldnn", "mkldnn.matmul"), ("mkldnn", "mkldnn.conv"), ("mkldnn", "mkldnn.rnn"),
)  # fmt: skip
# torch puts objects of its own in the place of these modules, so that no checker knows their parts.
_OPERATIONS: tuple[tuple[_Adjustable, _Adjustable], ...] = tuple(attrgetter(*names)(backends) for names in _NAMES)
_IEEE = _Precision("highest", False, ("ieee",) * len(_OPERATIONS), deterministic=True, benchmark=False)
_TF32 = _Precision("high", True, ("tf32",) * 3 + ("ieee",) * 3, deterministic=True, benchmark=False)
_SECTIONS = _Sections()
