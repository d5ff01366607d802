"""Refusals of ZeroGPU, in plain words. The package `spaces` raises Gradio's errors, and only their titles differ."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engines.errors import CallerMistake, EngineError, EngineFailed, EngineUnavailable
from studio.errors import SpeechCancelled, StudioError

__all__ = [
    "GpuAborted",
    "GpuBusy",
    "GpuQuotaExceeded",
    "GpuRefused",
    "GpuRoomFull",
    "GpuTimeTooLong",
    "GpuWithoutVisitor",
    "NothingToUnload",
    "ZeroGpuMissing",
    "in_plain_words",
]

# "(60s requested vs. 30s left). Try again in 3:12:07": `schedule` in spaces/zero/client.py, 0.51.3
QUOTA = re.compile(r"\((\d+)s requested vs\. (-?\d+)s left\)(?:\. Try again in ([^.]+))?")
ASKED = re.compile(r"\((\d+)s\)")  # "The requested GPU duration (180s) is larger than the maximum allowed"
RETRY_AFTER_SECONDS = 60  # as long as ZeroGPU lets a request wait before it gives up


class ZeroGpuMissing(EngineError):
    """The host says that it is ZeroGPU and has not what belongs to it."""

    code = "zero_gpu_missing"


class GpuWithoutVisitor(StudioError, CallerMistake):
    """ZeroGPU lends to visitors, and nothing says who this one is: a command's work, or a request that did not come through the Hub."""

    code = "gpu_without_visitor"
    parameter = "engine"

    def __init__(self, title: str):
        super().__init__(engine=title)


class GpuQuotaExceeded(EngineError):
    """The visitor's GPU time of the day, or the Space's for visitors without a name, is used up."""

    code = "gpu_quota_exceeded"


class GpuTimeTooLong(CallerMistake):
    code = "gpu_time_too_long"
    parameter = "text"


class GpuBusy(StudioError):
    """No GPU became free in time."""

    code = "gpu_busy"
    status = 503
    retry_after_seconds = RETRY_AFTER_SECONDS


class GpuRefused(StudioError):
    """No GPU was lent, for a reason that lies with the host or with how the visitor came."""

    code = "gpu_refused"
    status = 503


class GpuAborted(StudioError, EngineFailed):
    """The process on the GPU ended before the work did."""

    code = "gpu_aborted"


class GpuRoomFull(StudioError, EngineUnavailable):
    """Beside the other engines' weights the engine's do not fit on the GPU that is lent. free_bytes: of most_bytes."""

    code = "gpu_room_full"
    command = ""

    def __init__(self, title: str, needed_bytes: int, free_bytes: int, most_bytes: int):
        hint = (
            "Name fewer engines in STUDIO_ENGINES, those to keep first. STUDIO_ZERO_GPU_SIZE=xlarge has more room; "
            "each call then costs visitors twice the GPU time."
        )
        super().__init__(hint=hint, engine=title, needed_bytes=needed_bytes, free_bytes=free_bytes, most_bytes=most_bytes)


class NothingToUnload(StudioError, CallerMistake):
    code = "nothing_to_unload"
    parameter = "engine"

    def __init__(self, title: str):
        super().__init__(engine=title)


@contextmanager
def in_plain_words() -> Iterator[None]:
    """Errors of the package `spaces` become ours; ours pass as they are."""
    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        raise _translated(error) from error


def _translated(error: Exception) -> EngineError:
    title = str(getattr(error, "title", ""))
    if title in _BY_TITLE:
        return _BY_TITLE[title](str(getattr(error, "message", error)))
    if isinstance(error, RuntimeError) and str(error).startswith("Connection closed by visitor"):
        return SpeechCancelled()
    return GpuRefused()  # ZeroGPU's own service does not answer, or in a way that the package does not know


def _quota(message: str) -> EngineError:
    numbers = QUOTA.search(message)
    if numbers is None:
        return GpuQuotaExceeded()
    asked, left, retry_in = numbers.groups()
    again = (retry_in or "").strip()
    return GpuQuotaExceeded(
        sentence="gpu_quota_until" if again else "gpu_quota_short",
        asked_seconds=int(asked),
        left_seconds=max(0, int(left)),
        again=again,
    )


def _too_long(message: str) -> EngineError:
    asked = ASKED.search(message)
    return GpuTimeTooLong(detail=f"it asks for {asked[1]} s" if asked else "", seconds=int(asked[1]) if asked else 0)


def _client_error(message: str) -> EngineError:
    return GpuBusy() if message.startswith("No GPU was available") else GpuRefused()


# Titles as spaces/zero/client.py and wrappers.py have them, 0.51.3.
_BY_TITLE: dict[str, Callable[[str], EngineError]] = {
    "ZeroGPU quota exceeded": _quota,
    "ZeroGPU pending credits exceeded": lambda message: GpuQuotaExceeded(sentence="gpu_quota_in_use"),
    "ZeroGPU illegal duration": _too_long,
    "ZeroGPU queue timeout": lambda message: GpuBusy(),
    "ZeroGPU client error": _client_error,
    "ZeroGPU worker error": lambda message: GpuAborted(),
}
