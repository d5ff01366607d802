"""How a speech ended, in this door's words: `end`, and `warning` where there is something to know about it."""

from studio.speech.speech import Speech

__all__ = ["end_members"]


def end_members(speech: Speech) -> dict[str, str]:
    """Members of the last message about a speech; none while it is under way."""
    if speech.end is None:
        return {}
    return {"end": speech.end.reason} | ({"warning": speech.end.warning} if speech.end.warning else {})
