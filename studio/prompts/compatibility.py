"""Incompatibility: why an engine cannot learn a speaker, known from what both declare, before anything is tried."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from engines.contract.contract import EngineInfo
from engines.errors import ClipsUnsupported
from studio.errors import PromptUntaken
from studio.speakers.speaker import Speaker

__all__ = ["Incompatibility", "check_taken", "clips_untaken", "incompatibility_of", "incompatibility_of_clip", "prompt_untaken"]


@dataclass(frozen=True)
class Incompatibility:
    """fact: what is so, with its limit. hint: what would mend it. parameter: what of the speaker that is, "" where nothing of it.

    code, values: as those of an error.
    """

    fact: str
    hint: str
    parameter: str = ""
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict, hash=False)


def incompatibility_of(
    speaker: Speaker, info: EngineInfo, *, writes_words: bool = False, engines: Collection[EngineInfo] = ()
) -> Incompatibility | None:
    """None where nothing that is declared stands in the way; the engine may still refuse the recording when it has heard it.

    writes_words: whether the studio can write down those that are missing. engines: all, of which those are named that would do.
    """
    if speaker.tensor is not None:
        return _of_tensor(speaker, info, engines)
    found = incompatibility_of_clip(speaker.seconds, writes_words or speaker.transcript is not None, info, engines)
    if found is None or found.parameter != "transcript":
        return found
    return replace(found, values=found.values | {"sentence": "transcript_of_voice", "name": speaker.name})


def incompatibility_of_clip(
    seconds: float | None, has_transcript: bool, info: EngineInfo, engines: Collection[EngineInfo] = ()
) -> Incompatibility | None:
    """The same for a clip that is nobody's yet. seconds: None where the length is not known."""
    if not info.clones_clips:
        error = clips_untaken(info, engines)
        return Incompatibility(error.fact, error.hint, "", error.code, error.values)
    if info.transcript == "required" and not has_transcript:
        fact = f"{info.title} needs the exact words of the clip, and there are none."
        return Incompatibility(fact, "Add the transcript.", "transcript", "transcript_required", {"engine": info.title})
    if seconds is not None and not info.least_clip_seconds <= seconds <= info.most_clip_seconds:
        limits = f"{info.least_clip_seconds:g} to {info.most_clip_seconds:g} s"
        least, most, title = info.least_clip_seconds, info.most_clip_seconds, info.title
        fact = f"The clip has {seconds:.1f} s; {title} takes {limits}."
        return Incompatibility(
            fact, "Replace the clip.", "clip", "clip_misfit", {"engine": title, "seconds": seconds, "least": least, "most": most}
        )
    return None


def check_taken(speaker: Speaker, info: EngineInfo, engines: Collection[EngineInfo]) -> None:
    """Raises PromptUntaken, ClipsUnsupported, with those of `engines` that would do: nobody need wait until this one is opened."""
    if speaker.tensor is None and not info.clones_clips:
        raise clips_untaken(info, engines)
    if speaker.tensor is not None and speaker.tensor.form and not speaker.tensor.suits(info):
        raise prompt_untaken(speaker, info, engines)


def clips_untaken(info: EngineInfo, engines: Collection[EngineInfo]) -> ClipsUnsupported:
    """Why an engine learns from no recording, and which of `engines` do."""
    takers = [engine for engine in engines if engine.clones_clips]
    fact = f"{info.title} speaks in built-in voices only."
    if not takers:
        hint = "Choose one of them. No engine here learns from recordings."
        return ClipsUnsupported(fact, hint, sentence="clips_untaken_here", engine=info.title)
    hint = f"Choose one of them, or another engine. Engines that learn from recordings: {', '.join(engine.id for engine in takers)}."
    titles = tuple(engine.title for engine in takers)
    return ClipsUnsupported(fact, hint, sentence="clips_taken_by", engine=info.title, engines=titles)


def prompt_untaken(speaker: Speaker, info: EngineInfo, engines: Collection[EngineInfo]) -> PromptUntaken:
    """Why an engine cannot speak with what other tools made, and which of `engines` can."""
    takers = {engine.id: engine.title for engine in engines if speaker.tensor.suits(engine)}
    return PromptUntaken(speaker.name, info.title, takers)


def _of_tensor(speaker: Speaker, info: EngineInfo, engines: Collection[EngineInfo]) -> Incompatibility | None:
    if speaker.tensor.suits(info):
        return None
    if speaker.tensor.form:
        error = prompt_untaken(speaker, info, engines)
        return Incompatibility(error.fact, error.hint, "clip", error.code, error.values)
    takes = "none" if info.embedding_size is None else f"those of {info.embedding_size}"
    fact = f"The speaker embedding has {speaker.tensor.shape[0]} values; {info.title} takes {takes}."
    return Incompatibility(
        fact, "Upload a recording instead.", "clip", "embedding_unusable", {"sentence": "embedding_untaken", "engine": info.title}
    )
