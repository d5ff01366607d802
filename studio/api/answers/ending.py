"""How a speech ended, in this door's words: why, what was left out of its text, a warning where there is something to know about it."""

import json

from studio.speech.speech import Speech
from studio.text.markup import shown_marks

__all__ = ["END_HEADERS", "end_headers", "end_members", "left_out_headers", "left_out_members"]

END_HEADERS = ("x-speech-end", "x-speech-warning")


def end_members(speech: Speech) -> dict[str, object]:
    """Members of the last message about a speech; none while it is under way."""
    if speech.end is None:
        return {}
    told = {"warning": speech.warning, "end_values": dict(speech.end.values)}
    return {"end": speech.end.reason} | {name: member for name, member in told.items() if member} | left_out_members(speech)


def end_headers(speech: Speech) -> dict[str, str]:
    """The same as headers, or as trailers."""
    members = end_members(speech)
    told = {name: members.get(member) for name, member in zip(END_HEADERS, ("end", "warning"), strict=True)}
    return {name: _latin(words) for name, words in told.items() if words}


def left_out_members(speech: Speech) -> dict[str, list[str]]:
    """`left_out`, where something was; known before the first sound."""
    return {"left_out": shown_marks(speech.left_out)} if speech.left_out else {}


def left_out_headers(speech: Speech) -> dict[str, str]:
    """The same as a header: a JSON array, which spells emoji in ASCII."""
    return {"x-speech-left-out": json.dumps(shown_marks(speech.left_out))} if speech.left_out else {}


def _latin(words: str) -> str:
    """What a header can carry; other characters are escaped."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
