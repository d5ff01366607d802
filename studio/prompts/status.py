"""PromptStatus: how one speaker's prompt for one engine stands. Decided from facts; nothing here looks at cache, disk or engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engines.contract.contract import EngineInfo
from studio.prompt_key import Extractor, PromptKey
from studio.prompts.cache import CachedPrompt, PromptInFlight
from studio.prompts.compatibility import Incompatibility
from studio.prompts.notes import Failure, LastSpeech

__all__ = ["PromptState", "PromptStatus", "StatusFacts", "prompt_status", "why_stale"]

PromptState = Literal["none", "queued", "extracting", "memory", "disk", "stale", "failed", "unsupported", "unavailable"]


@dataclass(frozen=True)
class PromptStatus:
    """What is shown of one speaker and one engine.

    fact and hint: why it is stale, failed, unsupported or unavailable; the last without a hint, since doors differ in what can be done
    about an engine that cannot be opened. code and values: the same, for who says it in words of its own.
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


@dataclass(frozen=True)
class StatusFacts:
    """All that decides about a PromptStatus.

    source_digest, words_digest: of what the speaker is now; the latter "" where it has no transcript.
    extractor: of the engine as it was opened last; None before, when its weights are not known.
    lacking: why the engine cannot be opened, None where it can.
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


def prompt_status(facts: StatusFacts) -> PromptStatus:
    """What is under way comes first, then what the engine could use now, then what stands in the way, then what is out of date."""
    current = next((cached for cached in facts.cached if why_stale(cached.key, facts) is None), None)
    kept = next((key for key, _ in facts.stored if key is not None and why_stale(key, facts) is None), None)
    status = PromptStatus(
        facts.info.id,
        "none",
        memory_bytes=sum(cached.n_bytes for cached in facts.cached),
        disk_bytes=sum(n_bytes for _, n_bytes in facts.stored),
        n_hits=(current.n_hits if current else 0) if facts.is_own else None,
        pinned=any(cached.pinned for cached in facts.cached),
        last_speech=facts.last_speech if facts.is_own else None,
        key=(current.key if current else kept).digest[:12] if current or kept else "",
        can_learn=facts.lacking is None and facts.incompatibility is None,
    )
    if any(flight.learning for flight in facts.flights):
        return replace(status, state="extracting")
    if facts.flights or facts.asked:
        return replace(status, state="queued")
    if current or kept:
        return replace(status, state="memory" if current else "disk")
    return _hindered(status, facts) or _stale(status, facts)


def _hindered(status: PromptStatus, facts: StatusFacts) -> PromptStatus | None:
    """None where nothing stands in the way. What an engine said of the clip is no news while it cannot be opened at all."""
    declared, failure = facts.incompatibility, None if facts.lacking else facts.failure
    if declared and failure and declared.code and declared.code == failure.code:
        failure = None  # it was told what is declared, which names engines that would do
    for state, why in (("failed", failure), ("unsupported", declared)):
        if why is not None:
            return replace(status, state=state, fact=why.fact, hint=why.hint, parameter=why.parameter, code=why.code, values=why.values)
    lacking = facts.lacking
    if lacking is None:
        return None
    return replace(status, state="unavailable", fact=lacking.fact, code=lacking.code, values=lacking.values)


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
    code, why = ("stale_unreadable", "The file on disk cannot be read") if old[0] is None else why_stale(old[0], facts)
    return replace(status, state="stale", fact=f"{why}.", hint="Extract it again.", code=code, values={"engine": facts.info.title})
