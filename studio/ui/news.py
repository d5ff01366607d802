"""News: what a page asks by itself at each tick of its timer, in one event.

Each event costs a request and Gradio's look over every component of the page, in the browser as well: one for each tab would cost an idle
page some 4 % of a processor more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import gradio as gr
from gradio.components import Component

from studio.ui.events import LIGHT

__all__ = ["News"]


@dataclass(frozen=True)
class _Question:
    ask: Callable[..., tuple]
    inputs: Sequence[Component]
    outputs: Sequence[Component]


class News:
    """Filled while the page is wired; `wire` comes last."""

    def __init__(self, timer: gr.Timer):
        self._timer = timer
        self._questions: list[_Question] = []

    def bring(self, ask: Callable[..., tuple], inputs: Sequence[Component], outputs: Sequence[Component]) -> None:
        """ask(*values of `inputs`) -> a value for each of `outputs`, which no other question has."""
        self._questions.append(_Question(ask, inputs, outputs))

    def run(self, script: str) -> None:
        """A function of JavaScript, called at each tick without a request."""
        self._timer.tick(None, None, None, js=script, **LIGHT)

    def wire(self) -> None:
        """The one event for all questions. What one of them raises leaves all without an answer, until a later tick."""
        questions = tuple(self._questions)

        def show_news(*values: object) -> tuple:
            left = iter(values)
            return tuple(answer for asked in questions for answer in asked.ask(*(next(left) for _ in asked.inputs)))

        inputs = [part for asked in questions for part in asked.inputs]
        outputs = [part for asked in questions for part in asked.outputs]
        self._timer.tick(show_news, inputs, outputs, **LIGHT)
