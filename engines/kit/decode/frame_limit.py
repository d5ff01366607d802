"""FrameLimit: how many frames an autoregressive engine may make of a text, and what it means when it made them all."""

from dataclasses import dataclass

from engines.contract.speech_end import SpeechEnd
from engines.text.spoken_length import most_spoken_seconds

__all__ = ["FrameLimit", "frame_limit"]


@dataclass(frozen=True)
class FrameLimit:
    """frames: at most. cut: the end of a stream that has made them and is not at its own end."""

    frames: int
    cut: SpeechEnd


def frame_limit(
    text: str, *, frames_per_second: float, asked: int, room: int, heeds_text: bool = True, by_tokens: int | None = None
) -> FrameLimit:
    """The smallest of what the request allows (asked), what the engine can hold (room) and what a reading of the text can take.

    heeds_text: False leaves the text out of it. by_tokens: frames that the model's makers allow for its tokens, where they do.
    """
    by_text = int(most_spoken_seconds(text) * frames_per_second) if heeds_text else asked
    by_text = by_text if by_tokens is None else min(by_text, by_tokens)
    frames = min(asked, room, by_text)
    seconds = frames / frames_per_second
    if frames == room:
        return FrameLimit(frames, SpeechEnd.without_room(seconds))
    return FrameLimit(frames, SpeechEnd.capped_as_asked(seconds) if frames == asked else SpeechEnd.capped_by_text(seconds))
