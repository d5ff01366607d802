"""News: what a page asks by itself at each tick of its timer, in one event.

Each event costs a request and Gradio's look over every component of the page, in the browser as well: one for each tab would cost an idle
page some 4 % of a processor more.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import gradio as gr
from gradio.components import Component

from studio.ui.events import LIGHT
from studio.ui.messages import reported

__all__ = ["News"]


@dataclass(frozen=True)
class _Question:
    ask: Callable[..., tuple]
    inputs: Sequence[Component]
    outputs: Sequence[Component]

    def answer(self, values: Iterator[object]) -> tuple:
        """Takes its own of the values. What is raised is reported, and changes nothing that is shown: the next tick asks again."""
        own = [next(values) for _ in self.inputs]
        try:
            return self.ask(*own)
        except Exception as error:
            reported(self.ask.__name__, error)
            return (gr.skip(),) * len(self.outputs)


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
        """The one event for all questions."""
        questions = tuple(self._questions)

        def show_news(*values: object) -> tuple:
            left = iter(values)
            return tuple(answer for asked in questions for answer in asked.answer(left))

        inputs = [part for asked in questions for part in asked.inputs]
        outputs = [part for asked in questions for part in asked.outputs]
        self._timer.tick(show_news, inputs, outputs, **LIGHT)
