"""RenderStep: one sound that has to be spoken, read or fetched for a plan. Also which sounds of the test are made of it."""

from dataclasses import dataclass
from typing import Literal

from studio.listening.plan.design import Role
from studio.listening.plan.plan import PAIRED, Plan, System
from studio.listening.plan.questions import REFERENCED, SoundKey, gold_texts, subjects_of

__all__ = ["LOWPASS_HZ", "RECORDED", "RenderStep", "label_of", "lead_system", "original_of", "render_steps_of", "sounds_of"]

# embedded: spoken by the engine that needs no weights. recording: what the speaker was learned from.
RenderSource = Literal["speech", "embedded", "file", "recording"]
LOWPASS_HZ = {"lowpass-3.5": 3500.0, "lowpass-7": 7000.0}
RECORDED = "recording"


@dataclass(frozen=True)
class RenderStep:
    """One sound to be had. system: who speaks it, or whose recording it is; None of files. part: of the recording, where a test needs two
    sounds of it (0 and 1); None for all of it."""

    key: SoundKey
    source: RenderSource
    system: System | None = None
    part: int | None = None


def render_steps_of(plan: Plan) -> tuple[RenderStep, ...]:
    """System by system, so that no engine is wanted twice; the other sounds behind them. What cannot be had (another speaker whom nobody
    named, files of no system) is no job, and missing among the sounds."""
    texts = range(len(plan.texts))
    jobs = [
        RenderStep(
            SoundKey("system", one.id, text), "speech" if one.source == "speech" else "file", one if one.source == "speech" else None
        )
        for one in plan.systems
        for text in texts
    ]
    if _wants_reference(plan):
        jobs += [job for text in texts for job in _reference(plan, text)]
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


def _reference(plan: Plan, text: int) -> list[RenderStep]:
    key = SoundKey("reference", "reference", text)
    if plan.reference.source == "files":
        return [RenderStep(key, "file")]
    system = _recorded(plan)
    return [RenderStep(key, RECORDED, system, 0 if RECORDED in plan.anchors else None)] if system else []


def _anchor(plan: Plan, key: SoundKey) -> list[RenderStep]:
    lead = lead_system(plan)
    if key.role == RECORDED:
        system, is_twice = _recorded(plan), plan.reference is not None and plan.reference.source == RECORDED and _wants_reference(plan)
        return [RenderStep(key, RECORDED, system, 1 if is_twice else None)] if system else []
    if lead is None or key.role in LOWPASS_HZ or (key.role == "other-voice" and plan.other_speaker is None):
        return []
    if key.role == "other-voice":
        return [RenderStep(key, "speech", lead.model_copy(update={"speaker": plan.other_speaker, "cold": False}))]
    return [RenderStep(key, "embedded", System(id=lead.id, speaker=lead.speaker, seed=lead.seed))]


def _recorded(plan: Plan) -> System | None:
    """Whose recording is heard."""
    lead = lead_system(plan)
    named = plan.reference.speaker if plan.reference is not None else None
    return System(id="recorded", speaker=named) if named else lead if lead is not None and lead.speaker else None
