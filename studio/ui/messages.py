"""Message: what a handler tells the person, as a line on the page: a fact and the next step, never a stack trace."""

import functools
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engines.errors import EngineError

__all__ = ["Message", "answered", "said_on_the_page"]

log = logging.getLogger("studio.ui")


DEFECT = ("The studio made a mistake; nothing was changed on purpose.", "The log names it.")


@dataclass(frozen=True)
class Message:
    """fact: what is so. hint: the next step. voice: the voice that now exists, or is gone."""

    kind: Literal["done", "problem", "note"]
    fact: str
    hint: str = ""
    code: str = ""
    voice: str | None = None

    @classmethod
    def of(cls, error: EngineError) -> "Message":
        return cls("problem", error.fact, error.hint, error.code)

    def as_value(self) -> dict[str, object]:
        """For a message line. `at` makes the same words said twice two values, so that the page shows them again."""
        return {"kind": self.kind, "fact": self.fact, "hint": self.hint, "code": self.code, "voice": self.voice, "at": time.time_ns()}


def said_on_the_page(handler: Callable[..., Message]) -> Callable[..., dict[str, object]]:
    """A handler whose message, or whose error, becomes the value of a message line."""

    @functools.wraps(handler)
    def answer(*args, **kwargs) -> dict[str, object]:
        try:
            return handler(*args, **kwargs).as_value()
        except EngineError as error:
            return Message.of(error).as_value()
        except Exception:
            log.exception("%s failed", handler.__name__)
            return Message("problem", *DEFECT).as_value()

    return answer


def answered(handler: Callable[..., dict[str, object]]) -> Callable[..., dict[str, object]]:
    """A handler that a script calls: its answer, or {problem: {fact, hint, code, parameter}} for its error."""

    @functools.wraps(handler)
    def answer(*args, **kwargs) -> dict[str, object]:
        try:
            return handler(*args, **kwargs)
        except EngineError as error:
            told = {"fact": error.fact, "hint": error.hint, "code": error.code, "parameter": getattr(error, "parameter", "") or ""}
        except Exception:
            log.exception("%s failed", handler.__name__)
            told = {"fact": DEFECT[0], "hint": DEFECT[1], "code": "defect", "parameter": ""}
        return {"problem": told}

    return answer
