"""Message: what a handler tells the person, as a line on the page: a fact and the next step, never a stack trace."""

import errno
import functools
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from engines.errors import EngineError

__all__ = ["Message", "answered", "said_on_the_page"]

log = logging.getLogger("studio.ui")


DEFECT = ("The studio made a mistake; nothing was changed on purpose.", "The log names it.", "defect")
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Message:
    """fact: what is so. hint: the next step. voice: the voice that now exists, or is gone.

    act: a button of the line that takes the next step: {words, asked}, asked as the section's own buttons ask; None without one.
    """

    kind: Literal["done", "problem", "note"]
    fact: str
    hint: str = ""
    code: str = ""
    voice: str | None = None
    act: Mapping[str, object] | None = None

    @classmethod
    def of(cls, error: EngineError) -> "Message":
        return cls("problem", error.fact, error.hint, error.code)

    def as_value(self) -> dict[str, object]:
        """For a message line. `at` makes the same words said twice two values, so that the page shows them again."""
        said = {"kind": self.kind, "fact": self.fact, "hint": self.hint, "code": self.code, "voice": self.voice, "act": self.act}
        return said | {"at": time.time_ns()}


def said_on_the_page(handler: Callable[..., Message]) -> Callable[..., dict[str, object]]:
    """A handler whose message, or whose error, becomes the value of a message line."""

    @functools.wraps(handler)
    def answer(*args, **kwargs) -> dict[str, object]:
        try:
            return handler(*args, **kwargs).as_value()
        except EngineError as error:
            return Message.of(error).as_value()
        except Exception as error:
            log.exception("%s failed", handler.__name__)
            return Message("problem", *_unexpected(error)).as_value()

    return answer


def answered(handler: Callable[..., dict[str, object]]) -> Callable[..., dict[str, object]]:
    """A handler that a script calls: its answer, or {problem: {fact, hint, code, parameter}} for its error."""

    @functools.wraps(handler)
    def answer(*args, **kwargs) -> dict[str, object]:
        try:
            return handler(*args, **kwargs)
        except EngineError as error:
            told = {"fact": error.fact, "hint": error.hint, "code": error.code, "parameter": getattr(error, "parameter", "") or ""}
        except Exception as error:
            log.exception("%s failed", handler.__name__)
            fact, hint, code = _unexpected(error)
            told = {"fact": fact, "hint": hint, "code": code, "parameter": ""}
        return {"problem": told}

    return answer


def _unexpected(error: Exception) -> tuple[str, str, str]:
    """(fact, hint, code) of what is no refusal of ours: a disk that does not take what it should, else a defect. Names no path."""
    if not isinstance(error, OSError) or error.errno is None:
        return DEFECT
    if error.errno in DISK_FULL:
        return (
            "The disk of the studio is full; nothing was stored, and nothing was deleted.",
            "Free space there, then try again.",
            "disk_full",
        )
    return f"The disk of the studio failed: {error.strerror}.", "Try again; the log names the file.", "disk_failed"
