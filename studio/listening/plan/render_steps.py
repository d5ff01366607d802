"""RenderStep: one sound that has to be spoken, read or fetched for a plan. Also which sounds of the test are made of it."""

from dataclasses import dataclass
from typing import Literal

from studio.listening.plan.design import Role
from studio.listening.plan.plan import PAIRED, OpenReference, Plan, System
from studio.listening.plan.questions import REFERENCED, SoundKey, gold_texts, subjects_of

__all__ = [
    "LOWPASS_HZ",
    "RECORDED",
    "RecordedStep",
    "RenderStep",
    "SpokenStep",
    "label_of",
    "lead_system",
    "original_of",
    "render_steps_of",
    "sounds_of",
]

LOWPASS_HZ = {"lowpass-3.5": 3500.0, "lowpass-7": 7000.0}
RECORDED = "recording"


@dataclass(frozen=True)
class RenderStep:
    """One sound to be had: a file, unless it is one of those below."""

    key: SoundKey


@dataclass(frozen=True)
class SpokenStep(RenderStep):
    """system: who speaks it. source: `embedded` is spoken by the engine that needs no weights."""

    system: System
    source: Literal["speech", "embedded"] = "speech"


@dataclass(frozen=True)
class RecordedStep(RenderStep):
    """speaker: what they were learned from. part: of it, where a test needs two sounds of it (0 and 1); None for all of it."""

    speaker: str
    part: int | None = None


def render_steps_of(plan: Plan) -> tuple[RenderStep, ...]:
    """System by system, so that no engine is wanted twice; the other sounds behind them. What cannot be had (another speaker whom nobody
    named, files of no system) is no job, and missing among the sounds."""
    texts = range(len(plan.texts))
    keys = [(one, SoundKey("system", one.id, text)) for one in plan.systems for text in texts]
    jobs = [SpokenStep(key, one) if one.source == "speech" else RenderStep(key) for one, key in keys]
    if plan.reference is not None and _wants_reference(plan):
        jobs += [job for text in texts for job in _reference(plan, plan.reference, text)]
    if plan.method not in PAIRED:
        jobs += [job for anchor in dict.fromkeys(plan.anchors) for text in texts for job in _anchor(plan, SoundKey(anchor, anchor, text))]
    return tuple(jobs)


def sounds_of(plan: Plan) -> tuple[SoundKey, ...]:
    """All sounds that listeners hear, each once."""
    texts = range(len(plan.texts))
    found = [SoundKey(role, system, text) for role, system in subjects_of(plan) for text in texts]
    if plan.method in REFERENCED and plan.reference is not None:
        found += [SoundKey("reference", "reference", text) for text in texts]
    return tuple(dict.fromkeys(found + [SoundKey("gold", "gold", text) for text in gold_texts(plan)]))


def original_of(plan: Plan, key: SoundKey) -> SoundKey | None:
    """The job that a sound is made of: itself, or what is filtered, distorted or repeated. None where there is nothing to make it of.

    A reference that is a system says the same text, but where likeness is asked: there the next one, since another text of the same
    speaker is what people compare with.
    """
    first = plan.systems[0].id if plan.systems else None
    if key.role == "reference" and plan.reference is not None and plan.reference.source == "system":
        text = (key.text + 1) % len(plan.texts) if plan.method == "smos" else key.text
        return SoundKey("system", plan.reference.system, text) if plan.reference.system else None
    if key.role in LOWPASS_HZ and plan.reference is not None:
        return original_of(plan, SoundKey("reference", "reference", key.text))
    if key.role == "gold" or key.role in LOWPASS_HZ:
        return SoundKey("system", first, key.text) if first else None
    return key


def label_of(plan: Plan, role: Role, system: str) -> str:
    """What people call a sound's system; of anything else its role."""
    if role != "system":
        return role
    labels = {one.id: one.label or " ".join(filter(None, (one.speaker, one.engine))) or one.id for one in plan.systems}
    alike = [one for one in plan.systems if labels[one.id] == labels[system]]
    if len(alike) > 1:
        labels |= {one.id: ", ".join((labels[one.id], *_options_apart(one, alike))) for one in alike}
    is_alone = list(labels.values()).count(labels[system]) == 1
    return labels[system] if is_alone else f"{labels[system]} ({system})"


def _options_apart(system: System, alike: list[System]) -> tuple[str, ...]:
    """Such as "speed 1.3": the options of `system` that are not the same in all of alike."""
    return tuple(f"{name} {value}" for name, value in system.options.items() if any(one.options.get(name) != value for one in alike))


def lead_system(plan: Plan) -> System | None:
    """The first that is spoken here: anchors are spoken by its engine, or with its speaker."""
    return next((system for system in plan.systems if system.source == "speech"), None)


def _wants_reference(plan: Plan) -> bool:
    if plan.reference is None or plan.reference.source == "system" or plan.method in PAIRED:
        return False
    return plan.method in REFERENCED or not set(plan.anchors).isdisjoint(LOWPASS_HZ)


def _reference(plan: Plan, reference: OpenReference, text: int) -> list[RenderStep]:
    key = SoundKey("reference", "reference", text)
    if reference.source == "files":
        return [RenderStep(key)]
    speaker = _recorded(plan)
    return [RecordedStep(key, speaker, 0 if RECORDED in plan.anchors else None)] if speaker else []


def _anchor(plan: Plan, key: SoundKey) -> list[RenderStep]:
    lead = lead_system(plan)
    if key.role == RECORDED:
        speaker, is_twice = _recorded(plan), plan.reference is not None and plan.reference.source == RECORDED and _wants_reference(plan)
        return [RecordedStep(key, speaker, 1 if is_twice else None)] if speaker else []
    if lead is None or key.role in LOWPASS_HZ or (key.role == "other-voice" and plan.other_speaker is None):
        return []
    if key.role == "other-voice":
        return [SpokenStep(key, lead.model_copy(update={"speaker": plan.other_speaker, "cold": False}))]
    return [SpokenStep(key, System(id=lead.id, speaker=lead.speaker, seed=lead.seed), "embedded")]


def _recorded(plan: Plan) -> str | None:
    """Whose recording is heard."""
    lead = lead_system(plan)
    named = plan.reference.speaker if plan.reference is not None else None
    return named or (lead.speaker if lead is not None else None)
