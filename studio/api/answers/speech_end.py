"""How a speech ended, in this door's words: why, what was left out of its text, a warning where there is something to know about it."""

import json

from studio.speech.speech import Speech

__all__ = ["END_HEADERS", "end_headers", "end_members", "reading_headers"]

END_HEADERS = ("x-speech-end", "x-speech-warning")


def end_members(speech: Speech) -> dict[str, object]:
    """Members of the last message about a speech; none while it is under way."""
    if speech.end is None:
        return {}
    told = {"warning": speech.warning, "end_values": dict(speech.end.values)}
    return {"end": speech.end.reason} | {name: member for name, member in told.items() if member} | speech.told


def end_headers(speech: Speech) -> dict[str, str]:
    """The same as headers, or as trailers."""
    members = end_members(speech)
    told = {name: members.get(member) for name, member in zip(END_HEADERS, ("end", "warning"), strict=True)}
    return {name: _latin(words) for name, words in told.items() if words}


def reading_headers(speech: Speech) -> dict[str, str]:
    """What of the text is told, as headers, each a JSON array, which spells emoji in ASCII."""
    return {f"x-speech-{name.replace('_', '-')}": json.dumps(marks) for name, marks in speech.told.items()}


def _latin(words: str) -> str:
    """What a header can carry; other characters are escaped."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
