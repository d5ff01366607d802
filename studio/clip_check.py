"""What keeps a clip from being enrolled on the page, and nothing else does: no speech, too short, too long, or clipped beyond use."""

from engines.clip_quality import ClipQuality
from studio.obstacle import Obstacle

__all__ = ["obstacle_in"]

# The least and the most that any engine is given (EngineInfo's own defaults); each may want more, which is said per engine.
LEAST_SECONDS, MOST_SECONDS = 1.0, 30.0
MOST_CLIPPING_PERCENT = 50.0


def obstacle_in(quality: ClipQuality) -> Obstacle | None:
    """None for every other clip: how good it is, is advice."""
    if quality.seconds < LEAST_SECONDS:
        return Obstacle(f"The region has {quality.seconds:.2f} s; at least {LEAST_SECONDS:g} s are needed.", "Widen it, or record more.")
    if quality.seconds > MOST_SECONDS:
        return Obstacle(f"The region has {quality.seconds:.1f} s; the limit is {MOST_SECONDS:g} s.", "Trim it to 6 to 20 s of speech.")
    if quality.clipping_percent > MOST_CLIPPING_PERCENT:
        fact = f"{quality.clipping_percent:.0f} % of the samples are clipped; the limit is {MOST_CLIPPING_PERCENT:g} %."
        return Obstacle(fact, "Lower the input or move back, then record again.")
    if quality.speech_seconds <= 0:
        return Obstacle("No speech was found in the region.", "Choose another part, or record close to the microphone with short pauses.")
    return None
