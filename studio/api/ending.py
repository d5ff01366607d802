"""How a speech ended, in this door's words: why, and a warning where there is something to know about it."""

from studio.speech.speech import Speech

__all__ = ["END_HEADERS", "end_headers", "end_members"]

END_HEADERS = ("x-speech-end", "x-speech-warning")


def end_members(speech: Speech) -> dict[str, str]:
    """Members of the last message about a speech; none while it is under way."""
    if speech.end is None:
        return {}
    return {"end": speech.end.reason} | ({"warning": speech.end.warning} if speech.end.warning else {})


def end_headers(speech: Speech) -> dict[str, str]:
    """The same as headers, or as trailers."""
    return dict(zip(END_HEADERS, end_members(speech).values(), strict=False))
