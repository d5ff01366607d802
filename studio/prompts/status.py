"""PromptStatus: how a speaker's prompt is with an engine. It is decided from facts; nothing here looks at cache, disk or engine.

Incompatibility is why an engine cannot learn a speaker, known from what both declare, before anything is tried.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.contract.preset_blend import PresetBlend
from engines.errors import BlendInvalid, ClipsUnsupported, ClipUnusable
from studio.errors import PromptUntaken
from studio.prompt_key import Extractor, PromptKey
from studio.prompts.activity import Failure, LastSpeech
from studio.prompts.cache import CachedPrompt, PromptInFlight
from studio.prompts.refiner import Learning
from studio.speakers.speaker import Speaker
from studio.speakers.tensor import SpeakerTensor

__all__ = [
    "HINDERED",
    "Incompatibility",
    "PromptState",
    "PromptStatus",
    "StatusFacts",
    "check_taken",
    "clips_untaken",
    "incompatibility_of",
    "incompatibility_of_clip",
    "prompt_status",
    "prompt_untaken",
    "refusals",
    "why_stale",
]

# --- what both declare


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
        return _of_tensor(speaker, speaker.tensor, info, engines)
    if blend := speaker.blend_with(info.id):
        return _of_blend(blend, info)
    found = incompatibility_of_clip(speaker.seconds, writes_words or speaker.transcript is not None, info, engines)
    if found is None or found.parameter != "transcript":
        return found
    return replace(found, values={**found.values, "sentence": "transcript_of_voice", "name": speaker.name})


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


def refusals(clip: Clip, engines: Iterable[EngineInfo]) -> dict[str, ClipUnusable]:
    """By the engine's id why it refuses the sound of a clip; each check is asked once, however many engines have it. For worker threads."""
    found: dict[str, ClipUnusable] = {}
    engines_of: dict[Callable[[Clip], None], list[str]] = {}
    for info in engines:
        if info.sound_check is not None:
            engines_of.setdefault(info.sound_check, []).append(info.id)
    for check, ids in engines_of.items():
        try:
            check(clip)
        except ClipUnusable as error:
            found |= dict.fromkeys(ids, error)
    return found


def check_taken(speaker: Speaker, info: EngineInfo, engines: Collection[EngineInfo]) -> None:
    """Raises PromptUntaken, ClipsUnsupported, with those of `engines` that would do: nobody need wait until this one is opened."""
    if speaker.tensor is None and not info.clones_clips and not speaker.blend_with(info.id):
        raise clips_untaken(info, engines)
    if speaker.tensor is not None and speaker.tensor.form and not speaker.tensor.suits(info):
        raise prompt_untaken(speaker, info, engines)


def clips_untaken(info: EngineInfo, engines: Collection[EngineInfo]) -> ClipsUnsupported:
    """Why an engine learns from no recording, and which of `engines` do."""
    takers = [engine for engine in engines if engine.clones_clips]
    if not takers:
        return ClipsUnsupported(sentence="clips_untaken_here", engine=info.title)
    hint = f"Choose one of them, or another engine. Engines that learn from recordings: {', '.join(engine.id for engine in takers)}."
    titles = tuple(engine.title for engine in takers)
    return ClipsUnsupported(hint=hint, sentence="clips_taken_by", engine=info.title, engines=titles)


def prompt_untaken(speaker: Speaker, info: EngineInfo, engines: Collection[EngineInfo]) -> PromptUntaken:
    """Why an engine cannot speak with what other tools made, and which of `engines` can."""
    takers = {engine.id: engine.title for engine in engines if speaker.tensor is not None and speaker.tensor.suits(engine)}
    return PromptUntaken(speaker.name, info.title, takers)


def _of_tensor(speaker: Speaker, tensor: SpeakerTensor, info: EngineInfo, engines: Collection[EngineInfo]) -> Incompatibility | None:
    if tensor.suits(info):
        return None
    if tensor.form:
        error = prompt_untaken(speaker, info, engines)
        return Incompatibility(error.fact, error.hint, "clip", error.code, error.values)
    takes = "none" if info.embedding_size is None else f"those of {info.embedding_size}"
    fact = f"The speaker embedding has {tensor.shape[0]} values; {info.title} takes {takes}."
    return Incompatibility(
        fact, "Upload a recording instead.", "clip", "embedding_unusable", {"sentence": "embedding_untaken", "engine": info.title}
    )


def _of_blend(blend: str, info: EngineInfo) -> Incompatibility | None:
    """Of the engine that made it: whether it still has those speakers."""
    try:
        PresetBlend.of(blend, info)
    except BlendInvalid as error:
        return Incompatibility(error.fact, error.hint, "clip", error.code, error.values)
    return None


# --- how a prompt stands


# refining: in memory, and getting more alike.
PromptState = Literal["none", "queued", "extracting", "memory", "refining", "disk", "stale", "failed", "unsupported", "unavailable"]
# Of a prompt that there will not be as things are; what an engine said when it heard the clip counts most.
HINDERED: tuple[PromptState, ...] = ("failed", "unsupported", "unavailable")


@dataclass(frozen=True)
class PromptStatus:
    """What is shown of one speaker and one engine.

    fact and hint: why it is stale, failed, unsupported or unavailable; the last without a hint, since doors differ in what can be done
    about an engine that cannot be opened. Of one in memory, why it gets no more alike. code and values: the same, for who says it in words
    of its own. learning: how alike it is by now, None where its engine learns all at once, or nothing is in memory.
    parameter: what of the speaker would mend it (clip, transcript), "" where nothing of it would.
    can_learn: whether the engine could extract it now. key: the first digits of the prompt's digest, "" where there is no prompt.
    n_hits: since the prompt came into memory; None where others' lookups are among them. last_speech: None before the first.
    """

    engine: str
    state: PromptState
    fact: str = ""
    hint: str = ""
    memory_bytes: int = 0
    disk_bytes: int = 0
    n_hits: int | None = 0
    pinned: bool = False
    last_speech: LastSpeech | None = None
    key: str = ""
    can_learn: bool = True
    parameter: str = ""
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    learning: Learning | None = None


@dataclass(frozen=True)
class StatusFacts:
    """All that decides about a PromptStatus.

    source_digest, words_digest: of what the speaker is now; the latter "" where it has no transcript.
    extractor: of the engine as it was opened last; None before, when its weights are not known.
    lacking: why the engine cannot be opened, None where it can.
    learning, refusal: how alike what is in memory is, and why it gets no more so.
    cached, flights: of this speaker and engine. stored: keys on disk with their bytes; a key is None where the file cannot be read.
    is_own: whether nobody else's lookups and speeches are among those that were counted.
    """

    info: EngineInfo
    source_digest: str
    words_digest: str
    extractor: Extractor | None
    cached: tuple[CachedPrompt, ...] = ()
    flights: tuple[PromptInFlight, ...] = ()
    stored: tuple[tuple[PromptKey | None, int], ...] = ()
    asked: bool = False
    failure: Failure | None = None
    incompatibility: Incompatibility | None = None
    last_speech: LastSpeech | None = None
    lacking: Failure | None = None
    is_own: bool = True
    learning: Learning | None = None
    refusal: Failure | None = None


def prompt_status(facts: StatusFacts) -> PromptStatus:
    """What is under way comes first, then what the engine could use now, then what stands in the way, then what is out of date."""
    current = next((cached for cached in facts.cached if why_stale(cached.key, facts) is None), None)
    kept = next((key for key, _ in facts.stored if key is not None and why_stale(key, facts) is None), None)
    key = current.key if current else kept
    status = PromptStatus(
        facts.info.id,
        "none",
        memory_bytes=sum(cached.n_bytes for cached in facts.cached),
        disk_bytes=sum(n_bytes for _, n_bytes in facts.stored),
        n_hits=(current.n_hits if current else 0) if facts.is_own else None,
        pinned=any(cached.pinned for cached in facts.cached),
        last_speech=facts.last_speech if facts.is_own else None,
        key=key.digest[:12] if key else "",
        can_learn=facts.lacking is None and facts.incompatibility is None,
    )
    if any(flight.learning for flight in facts.flights):
        return replace(status, state="extracting")
    if facts.flights or facts.asked:
        return replace(status, state="queued")
    if current:
        status = replace(status, state="refining" if facts.learning and facts.learning.is_under_way else "memory", learning=facts.learning)
        return _told(status, facts.refusal) if facts.refusal else status
    if kept:
        return replace(status, state="disk")
    return _hindered(status, facts) or _stale(status, facts)


def _hindered(status: PromptStatus, facts: StatusFacts) -> PromptStatus | None:
    """None where nothing stands in the way. What an engine said of the clip is no news while it cannot be opened at all."""
    declared, failure = facts.incompatibility, None if facts.lacking else facts.failure
    if declared and failure and declared.code and declared.code == failure.code:
        failure = None  # it was told what is declared, which names engines that would do
    for state, why in (("failed", failure), ("unsupported", declared)):
        if why is not None:
            return _told(replace(status, state=state), why)
    lacking = facts.lacking
    if lacking is None:
        return None
    return replace(status, state="unavailable", fact=lacking.fact, code=lacking.code, values=lacking.values)


def _told(status: PromptStatus, why: Failure | Incompatibility) -> PromptStatus:
    return replace(status, fact=why.fact, hint=why.hint, parameter=why.parameter, code=why.code, values=why.values)


def why_stale(key: PromptKey, facts: StatusFacts) -> tuple[str, str] | None:
    """(code, fact) of what about a prompt the engine would make otherwise now; None where nothing is known."""
    info = facts.extractor.info if facts.extractor else facts.info
    fingerprint, mode = key.weights_fingerprint, key.numeric_mode
    if facts.extractor is not None:
        fingerprint, mode = facts.extractor.weights_fingerprint, facts.extractor.numeric_mode
    words = facts.words_digest if info.transcript_shapes_prompt else ""
    revision, now = info.extractor_revision, f"{info.title} is at"
    differences = (
        (key.source_digest, facts.source_digest, "stale_recording", "It was learned from another recording"),
        (
            key.extractor_revision,
            revision,
            "stale_revision",
            f"It was made by extractor revision {key.extractor_revision}; {now} {revision}",
        ),
        (key.transcript_digest, words, "stale_words", "It was made with another transcript"),
        (key.weights_fingerprint, fingerprint, "stale_weights", f"It was made with other weights than {info.title} has now"),
        (key.numeric_mode, mode, "stale_precision", f"It was made in {key.numeric_mode}; {info.title} computes in {mode} now"),
    )
    return next(((code, why) for its, wanted, code, why in differences if its != wanted), None)


def _stale(status: PromptStatus, facts: StatusFacts) -> PromptStatus:
    old = [cached.key for cached in facts.cached] + [key for key, _ in facts.stored]
    if not old:
        return status
    unreadable = "stale_unreadable", "The file on disk cannot be read"
    code, why = unreadable if old[0] is None else why_stale(old[0], facts) or ("", "")
    return replace(status, state="stale", fact=f"{why}.", hint="Extract it again.", code=code, values={"engine": facts.info.title})
