"""ZeroGpu: the host that lends a GPU for one call. It is our only use of the package `spaces`.

How it works there (spaces 0.51.3): the package makes torch believe in a GPU, thread by thread. What is put on `cuda` is packed onto the
disk when the page is launched. A function that was decorated runs in a process that is forked when a GPU has been got, for the visitor
whose request is under way; what goes in and comes out is pickled, and what changes in memory there is not seen here. A process that
lies idle is used again for the next call of the same function. Whose request it is, it reads from the one that Gradio keeps for the event
under way: of its headers SIGNATURE alone, which the Hub's proxy puts into every request to a Space.

What is lent is `large`, half a card of 48 GB, or `xlarge`, a whole one, whose seconds count twice. Left to the package, more than 45.1 GB
of packed weights mean `xlarge` without a word; so the size is always said, and GpuRoom keeps the weights below. On such cards the package
multiplies the seconds of a `large` call by 1.5: meant for times that were taken on another card. Ours are meant for the one that is lent,
so they are divided before. They are what a visitor must have left; what is charged is the time that a call really takes.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from starlette.datastructures import Headers

from studio.running.zero_gpu.gpu_room import GpuRoom
from studio.running.zero_gpu.zero_gpu_errors import ZeroGpuMissing

__all__ = ["SIGNATURE", "GpuShare", "GpuSize", "SignedRequest", "ZeroGpu", "open_zero_gpu", "share_of"]

GpuSize = Literal["large", "xlarge"]
SIGNATURE = "x-ip-token"  # spaces/zero/client.py: of the account whose token the request brought to the Hub, else of its address
WORK_BYTES = 3_000_000_000  # beside the weights, for what is computed: a half card of 48 GB has as much beside the package's 45.1


@dataclass(frozen=True)
class GpuShare:
    """What is lent for a call. most_bytes: of weights on it; None where that is not known. asked_factor: by which the host multiplies the
    seconds that a call asks for.
    """

    size: GpuSize = "large"
    most_bytes: int | None = None
    asked_factor: float = 1.0

    def to_ask(self, seconds: float) -> int:
        """What to tell the host, so that it asks the visitor for so many seconds, or a fraction more."""
        return math.ceil(seconds / self.asked_factor)

    def quota_seconds(self, seconds: float) -> int:
        """Of the visitor's GPU time of the day, that must be left for a call of so many seconds."""
        return round(self.to_ask(seconds) * self.asked_factor) * (2 if self.size == "xlarge" else 1)


@dataclass(frozen=True)
class SignedRequest:
    """What the package reads of a request that is none of Gradio's events."""

    headers: Headers


class ZeroGpu:
    """gpu: the decorator `spaces.GPU`. emulate(): from now on this thread's torch believes in a GPU. visitor: the request of who asks.

    room: of the GPU, for the weights of all engines together.
    """

    def __init__(
        self,
        gpu: Callable[..., Callable],
        emulate: Callable[[], None],
        visitor: ContextVar[Any],
        share: GpuShare = GpuShare(),
    ):
        self.emulate = emulate
        self.share, self.room = share, GpuRoom(share.most_bytes)
        self._gpu = gpu
        self._visitor = visitor

    @property
    def has_visitor(self) -> bool:
        """Whether an event of Gradio's or a signed request is under way in this context; without one nothing is lent."""
        return self._visitor.get(None) is not None

    @contextmanager
    def visited(self, request: SignedRequest) -> Iterator[None]:
        """What is asked of the GPU meanwhile, in this context and in those that are made of it, its sender asks."""
        before = self._visitor.set(request)
        try:
            yield
        finally:
            self._visitor.reset(before)

    def lent(self, function: Callable[..., Any], seconds: Callable[..., float]) -> Callable[..., Any]:
        """The function, or sync generator, as it runs on a GPU. seconds: how long it will take, from the same arguments.

        At least one must exist when the page is launched, or the host takes the Space for one that wants no GPU.
        """
        return self._gpu(function, duration=lambda *given: self.share.to_ask(seconds(*given)), size=self.share.size)


def open_zero_gpu(size: GpuSize = "large") -> ZeroGpu:
    """The host's own, where SPACES_ZERO_GPU is set. To be called before torch is imported. Raises ZeroGpuMissing."""
    if "torch" in sys.modules and "spaces" not in sys.modules:
        raise ZeroGpuMissing(
            hint="Start the studio by python app.py.", detail="torch was imported before spaces, which then cannot lend it a GPU"
        )
    try:
        import spaces
        from gradio.context import LocalContext
        from spaces.zero.config import get_config
        from spaces.zero.torch import enter_mode
    except (ImportError, AssertionError) as error:  # an assertion: of a variable that the host sets beside SPACES_ZERO_GPU
        raise ZeroGpuMissing(
            hint="A ZeroGPU Space installs it by itself; elsewhere unset SPACES_ZERO_GPU.",
            detail=f"SPACES_ZERO_GPU is set, and the package spaces cannot be used: {error}",
        ) from error
    return ZeroGpu(spaces.GPU, enter_mode, LocalContext.request, share_of(get_config(), size))


def share_of(card: Mapping[str, Any], size: GpuSize) -> GpuShare:
    """card: what spaces/zero/configs.json says of the host's: memory and xlarge_threshold in bytes, None where every call has one size."""
    beside_work = card["memory"] - WORK_BYTES
    if size == "xlarge":
        return GpuShare(size, beside_work)
    return GpuShare(size, card["xlarge_threshold"] or beside_work, card["duration_factor"])
