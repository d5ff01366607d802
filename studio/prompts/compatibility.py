"""Incompatibility: why an engine cannot learn a speaker, known from what both declare, before anything is tried."""

from dataclasses import dataclass

from engines.contract import EngineInfo
from studio.speakers.speaker import Speaker

__all__ = ["Incompatibility", "incompatibility_of", "incompatibility_of_clip"]


@dataclass(frozen=True)
class Incompatibility:
    """fact: what is so, with its limit. hint: what would mend it. parameter: what of the speaker that is, "" where nothing of it."""

    fact: str
    hint: str
    parameter: str = ""


def incompatibility_of(speaker: Speaker, info: EngineInfo) -> Incompatibility | None:
    """None where nothing that is declared stands in the way; the engine may still refuse the recording when it has heard it."""
    if speaker.embedding is not None:
        return _of_embedding(len(speaker.embedding), info)
    return incompatibility_of_clip(speaker.seconds, speaker.transcript is not None, info)


def incompatibility_of_clip(seconds: float | None, has_transcript: bool, info: EngineInfo) -> Incompatibility | None:
    """The same for a clip that is nobody's yet. seconds: None where the length is not known."""
    if not info.clones_clips:
        return Incompatibility(f"{info.title} speaks in built-in voices only.", "Choose another engine.")
    if info.transcript == "required" and not has_transcript:
        return Incompatibility(f"{info.title} needs the exact words of the clip, and there are none.", "Add the transcript.", "transcript")
    if seconds is not None and not info.least_clip_seconds <= seconds <= info.most_clip_seconds:
        limits = f"{info.least_clip_seconds:g} to {info.most_clip_seconds:g} s"
        return Incompatibility(f"The clip has {seconds:.1f} s; {info.title} takes {limits}.", "Replace the clip.", "clip")
    return None


def _of_embedding(width: int, info: EngineInfo) -> Incompatibility | None:
    if info.embedding_size == width:
        return None
    takes = "none" if info.embedding_size is None else f"those of {info.embedding_size}"
    return Incompatibility(f"The speaker embedding has {width} values; {info.title} takes {takes}.", "Upload a recording instead.", "clip")
