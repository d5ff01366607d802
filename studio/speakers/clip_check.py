"""check_enrollable: what keeps a clip from being enrolled on the page, and nothing else does. How good it is, is advice."""

from engines.clip_quality import ClipQuality
from engines.errors import ClipUnusable

__all__ = ["check_enrollable"]

# The least and the most that any engine is given (EngineInfo's own defaults); each may want more, which is said per engine.
LEAST_SECONDS, MOST_SECONDS = 1.0, 30.0
MOST_CLIPPING_PERCENT = 50.0


def check_enrollable(quality: ClipQuality, what: str = "region") -> None:
    """what: the word for what was measured, as a person knows it.

    Raises ClipUnusable: clip_too_short, clip_too_long, clip_clipped, clip_no_speech.
    """
    seconds, percent = quality.seconds, quality.clipping_percent
    if seconds < LEAST_SECONDS:
        fact = f"The {what} has {seconds:.2f} s; at least {LEAST_SECONDS:g} s are needed."
        raise ClipUnusable("clip_too_short", fact, "Widen it, or record more.")
    if seconds > MOST_SECONDS:
        fact = f"The {what} has {seconds:.1f} s; the limit is {MOST_SECONDS:g} s."
        raise ClipUnusable("clip_too_long", fact, "Trim it to 6 to 20 s of speech.")
    if percent > MOST_CLIPPING_PERCENT:
        fact = f"{percent:.0f} % of the samples are clipped; the limit is {MOST_CLIPPING_PERCENT:g} %."
        raise ClipUnusable("clip_clipped", fact, "Lower the input or move back, then record again.")
    if quality.speech_seconds <= 0:
        hint = "Choose another part, or record close to the microphone with short pauses."
        raise ClipUnusable("clip_no_speech", f"No speech was found in the {what}.", hint)
