"""How a speech ended, and what is to be known of it, in this door's words: as headers, and as members of a last message."""

import json

from studio.speech.speech import Speech

__all__ = ["END_HEADERS", "end_headers", "end_members", "reading_headers", "spoken_alias"]

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
    """What `Speech.told` has, as headers, each a JSON array, which spells emoji in ASCII."""
    return {f"x-speech-{name.replace('_', '-')}": json.dumps(marks) for name, marks in speech.told.items()}


def spoken_alias(speech: Speech) -> str:
    """Of a name that stood for another, as a header: "alloy=Ana". "" where the voice was asked for by its own."""
    request = speech.request
    return _latin(f"{request.alias}={request.speaker or speech.engine.default_preset}") if request.alias else ""


def _latin(words: str) -> str:
    """What a header can carry; other characters are escaped."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
