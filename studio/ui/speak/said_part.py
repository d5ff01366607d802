"""Saying a part of a take again by an event of Gradio's queue: where a GPU is lent, only such an event says to whom."""

from studio.service import Studio
from studio.takes.said_again import PartSaying
from studio.timeline import Timeline
from studio.ui.gradio.messages import answered

__all__ = ["say_part"]


@answered
def say_part(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {take, part, input}, input without the words that the part has now. Gives nothing: the page asks for the parts as always."""
    saying = PartSaying(studio, str(asked["take"]), int(asked["part"]), str(asked.get("input") or "").strip() or None)
    speech = saying.open(Timeline())
    saying.keep(speech, speech.read_all())
    return {}
