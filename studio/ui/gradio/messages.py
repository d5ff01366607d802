"""Message: what a handler says to the person, as a line on the page. It holds a fact and the next step, never a stack trace.

What went wrong comes as a problem: {code, values, fact, hint, parameter}, fact and hint in the visitor's language, as
assets/web/words/words.js says them from code and values.
"""

import functools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from engines.errors import EngineError
from studio.errors.clean import clean
from studio.speech.refusal import refusal_of, tellable, told_values
from studio.ui.gradio.words import problem_words
from studio.web.faults import INTERNAL_ERROR, LEAST_FAULT, report_fault

__all__ = ["Message", "PageProblem", "answered", "problem_of", "reported", "said_on_the_page"]


class PageProblem(TypedDict):
    """What went wrong, as the page has it. fact, hint: in the visitor's language. parameter: "" for none."""

    code: str
    values: Mapping[str, object]
    fact: str
    hint: str
    parameter: str


@dataclass(frozen=True)
class Message:
    """fact: what is so. hint: the next step. voice: the voice that now exists, or is gone. code, values: of what went wrong.

    act: a button of the line that takes the next step: {words, asked}, asked as the section's own buttons ask; None without one.
    """

    kind: Literal["done", "problem", "note"]
    fact: str
    hint: str = ""
    code: str = ""
    voice: str | None = None
    act: Mapping[str, object] | None = None
    values: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, error: Exception, act: Mapping[str, object] | None = None) -> "Message":
        told = problem_of(error)
        return cls("problem", told["fact"], told["hint"], told["code"], act=act, values=told["values"])

    def as_value(self) -> dict[str, object]:
        """For a message line. `at` makes the same words said twice two values, so that the page shows them again."""
        told = {"kind": self.kind, "fact": self.fact, "hint": self.hint, "code": self.code, "values": self.values}
        return told | {"voice": self.voice, "act": self.act, "at": time.time_ns()}


def said_on_the_page(handler: Callable[..., Message]) -> Callable[..., dict[str, object]]:
    """A handler whose message, or whose error, becomes the value of a message line."""

    @functools.wraps(handler)
    def answer(*args, **kwargs) -> dict[str, object]:
        try:
            return handler(*args, **kwargs).as_value()
        except Exception as error:
            reported(handler.__name__, error)
            return Message.of(error).as_value()

    return answer


def answered(handler: Callable[..., dict[str, object]]) -> Callable[..., dict[str, object]]:
    """A handler that a script calls: its answer, or {problem} for its error."""

    @functools.wraps(handler)
    def answer(*args, **kwargs) -> dict[str, object]:
        try:
            return handler(*args, **kwargs)
        except Exception as error:
            reported(handler.__name__, error)
            return {"problem": problem_of(error)}

    return answer


def problem_of(error: Exception) -> PageProblem:
    """{code, values, fact, hint, parameter} of what was raised. What is no refusal of ours is told as a defect, and names no path."""
    known = tellable(error)
    if known is None:
        code, values, parameter, otherwise = "defect", {}, "", ("", "")
    else:
        code, values, parameter, otherwise = known.code, told_values(known), known.parameter or "", (clean(known.fact), clean(known.hint))
    fact, hint = problem_words(code, values, otherwise)
    return {"code": code, "values": values, "fact": fact, "hint": hint, "parameter": parameter}


def reported(about: str, error: Exception) -> EngineError | None:
    """What people are told of it, None for a defect. What is the studio's own fault goes into log and metrics. about: the handler."""
    known = tellable(error)
    if known is None:
        report_fault("page", INTERNAL_ERROR, about=about, error=error)
    elif refusal_of(known).status >= LEAST_FAULT:
        report_fault("page", known.code, about=about, error=error)
    return known
