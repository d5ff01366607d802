"""Mends: the smallest changes that let a plan pass a check that it fails, as patches of the plan.

Each function gives those that there are, () where there is none. Whoever applies a patch puts it in place of the plan's own fields.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from studio.listening.plan.design import Mend
from studio.listening.plan.plan import MOST_LISTENERS, MOST_SIGNALS, OpenReference, Plan, System
from studio.listening.plan.preset_texts import listening_texts
from studio.listening.plan.questions import SAME_TEXT, SoundKey, gold_texts, question_count, subjects_of
from studio.listening.plan.render_steps import LOWPASS_HZ, label_of, lead_system
from studio.listening.plan.uploads import REFERENCE

__all__ = [
    "ALONE", "MAKE", "added", "cut_short", "fewer_signals", "fewer_systems_than", "more_listeners", "original_for_likeness",
    "original_for_page", "patched", "ready_texts", "said_again", "softer", "warm", "with_low_passes", "without_anchors", "without_sounds",
    "without_texts",
]  # fmt: skip

MAKE = (Mend("make", remakes=True),)
ALONE = Mend("rate_alone", {"method": "mos"}, remakes=True)
LEAST_LUFS = -40.0  # of a plan
_IDS = "abcdefghijklmnopqrstuvwxyz"


def patched(plan: Plan, mend: Mend) -> Plan:
    """Raises ValidationError where the patch does not fit the plan."""
    return Plan.model_validate(plan.model_dump(mode="json") | dict(mend.patch))


def added(**fields: object) -> tuple[Mend, ...]:
    """What a warning misses, such as gold=1."""
    return (Mend("add", fields, remakes="gold" in fields),)


def fewer_systems_than(plan: Plan) -> tuple[Mend, ...]:
    """Of a plan with fewer systems than its method compares: each rated alone, or one more."""
    if not plan.systems:
        return (_systems(plan, "add_voice", [System(id="a")]),)
    last = plan.systems[-1]
    if last.source != "speech" or last.cold or not last.speaker:
        return (ALONE,)
    anew = last.model_copy(update={"id": _new_id(plan), "cold": True, "label": ""})
    return ALONE, _systems(plan, "add_cold", [*plan.systems, anew])


def ready_texts(plan: Plan) -> tuple[Mend, ...]:
    """Of a plan without texts."""
    presets = listening_texts()
    texts = presets.get((plan.language or "en").partition("-")[0]) or presets["en"]
    return (Mend("ready_texts", {"texts": texts}, {"n": len(texts)}, remakes=True),)


def original_for_likeness(plan: Plan) -> tuple[Mend, ...]:
    """Of SMOS without a reference."""
    lead = lead_system(plan)
    recording = Mend("take_recording", {"reference": {"source": "recording"}}, remakes=True)
    return ((recording,) if lead is not None and lead.speaker else ()) + _system_as_original(plan)


def original_for_page(plan: Plan) -> tuple[Mend, ...]:
    """Of MUSHRA, and of others that compare with an original, without one that says the same text."""
    if plan.method != "mushra":
        return (*_system_as_original(plan), Mend(ALONE.key, {**ALONE.patch, "reference": None}, remakes=True))
    return (*_system_as_original(plan), Mend("no_original", {"method": "mushra-like", "reference": None}, remakes=True))


def with_low_passes(plan: Plan) -> tuple[Mend, ...]:
    wanted = [*plan.anchors, *(anchor for anchor in LOWPASS_HZ if anchor not in plan.anchors)]
    return (Mend("add_low_passes", {"anchors": wanted}, remakes=True),)


def without_anchors(plan: Plan, anchors: Collection[str]) -> tuple[Mend, ...]:
    """MUSHRA needs its low-passes: without one of them it is another method."""
    kept = [one for one in plan.anchors if one not in anchors]
    if plan.method == "mushra" and not LOWPASS_HZ.keys().isdisjoint(anchors):
        return (Mend("no_original", {"method": "mushra-like", "reference": None, "anchors": kept}, remakes=True),)
    return (Mend("leave_out_anchors", {"anchors": kept}, {"n": len(plan.anchors) - len(kept)}, remakes=True),)


def fewer_signals(plan: Plan) -> tuple[Mend, ...]:
    """Of a page with more than people compare: without the anchors that nobody needs, else the first systems alone, or one by one."""
    needed = [anchor for anchor in plan.anchors if plan.method == "mushra" and anchor in LOWPASS_HZ]
    bare = plan.model_copy(update={"anchors": tuple(needed)})
    if len(needed) < len(set(plan.anchors)) and len(subjects_of(bare)) <= MOST_SIGNALS:
        n = len(plan.anchors) - len(needed)
        return Mend("leave_out_anchors", {"anchors": needed}, {"n": n}, remakes=True), ALONE
    kept = list(plan.systems)
    while len(kept) > 1 and len(subjects_of(bare.model_copy(update={"systems": tuple(kept)}))) > MOST_SIGNALS:
        kept.pop()
    patch = _systems(plan, "first_systems", kept, {"n": len(kept)})
    return Mend(patch.key, {**patch.patch, "anchors": needed}, patch.values, remakes=True), ALONE


def without_texts(plan: Plan, texts: Collection[int]) -> tuple[Mend, ...]:
    """texts: their indices. () where no other is left."""
    kept = [one for at, one in enumerate(plan.texts) if at not in texts]
    told = {"n": len(texts), "texts": [at + 1 for at in sorted(texts)]}
    return (Mend("leave_out_texts", {"texts": kept}, told, remakes=True),) if kept else ()


def without_sounds(plan: Plan, lacking: Iterable[SoundKey]) -> tuple[Mend, ...]:
    """Of sounds that nobody can make. lacking: what they would be made of."""
    if not plan.systems:
        return fewer_systems_than(plan)
    of_system: dict[str, set[int]] = {}
    for key in lacking:
        of_system.setdefault(key.system, set()).add(key.text)
    anchors = of_system.keys() & set(plan.anchors)
    if anchors:
        return without_anchors(plan, anchors)
    whole = [system for system, texts in of_system.items() if len(texts) == len(plan.texts)]
    if REFERENCE in whole:
        return original_for_page(plan) if plan.method in SAME_TEXT else _system_as_original(plan, but=plan.reference)
    fewer_texts = without_texts(plan, set().union(*of_system.values()))
    lacking_systems = [system for system in whole or of_system if system != REFERENCE]
    fewer_systems = _without_systems(plan, lacking_systems) if lacking_systems else original_for_page(plan)
    return fewer_systems if whole else (*fewer_texts, *fewer_systems)


def cut_short(plan: Plan, fits: Callable[[Plan], bool]) -> tuple[Mend, ...]:
    """Of a session that tires: a part of the questions for each listener; or fewer repeats, else fewer texts, else nothing beside the
    questions, else each sound alone."""
    return (*_in_parts(plan, fits), *_shorter(plan, fits))


def _in_parts(plan: Plan, fits: Callable[[Plan], bool]) -> tuple[Mend, ...]:
    asked = question_count(plan) - len(gold_texts(plan)) - plan.traps
    parts = (n for n in range(asked - 1, 0, -1) if fits(plan.model_copy(update={"questions_per_listener": n})))
    n = next(parts, 0) if plan.repeats == 1 else 0  # who is asked a part is asked nothing twice
    return (Mend("ask_a_part", {"questions_per_listener": n}, {"n": n}),) if n else ()


def _shorter(plan: Plan, fits: Callable[[Plan], bool]) -> tuple[Mend, ...]:
    fewer = next((n for n in range(plan.repeats - 1, 0, -1) if fits(plan.model_copy(update={"repeats": n}))), 1)
    if plan.repeats > 1:
        return (Mend("fewer_repeats", {"repeats": fewer}, {"n": fewer}),)
    if len(plan.texts) > 1:
        shorter = (n for n in range(len(plan.texts) - 1, 0, -1) if fits(plan.model_copy(update={"texts": plan.texts[:n]})))
        n = next(shorter, 1)
        return (Mend("first_texts", {"texts": list(plan.texts[:n])}, {"n": n}, remakes=True),)
    if plan.gold or plan.traps or plan.training:
        return (Mend("no_extras", {"gold": 0, "traps": 0, "training": False}, remakes=True),)
    return (ALONE,)


def more_listeners(plan: Plan, step: int) -> tuple[Mend, ...]:
    """The next multiple of step."""
    n = -(-plan.listeners // step) * step
    return (Mend("listeners", {"listeners": n}, {"n": n}),) if plan.listeners < n <= MOST_LISTENERS else ()


def softer(plan: Plan, off: float, texts: Collection[int]) -> tuple[Mend, ...]:
    """Of sounds that cannot be as loud as the others, of these texts. off: by so many dB at most; infinite of silence."""
    lufs = max(LEAST_LUFS, plan.lufs - off)
    mends = (*without_texts(plan, texts), Mend("as_loud_as_it_is", {"match_loudness": False}, remakes=True))
    if not plan.match_loudness or lufs == LEAST_LUFS:
        return mends
    return (Mend("softer", {"lufs": round(lufs, 1)}, {"db": round(plan.lufs - lufs, 1)}, remakes=True), *mends)


def said_again(plan: Plan, system: str, text: int) -> tuple[Mend, ...]:
    """One text of one system that is spoken here, with another seed."""
    words = plan.texts[text]
    systems = [
        one.model_copy(update={"again": one.again | {words: one.again.get(words, 0) + 1}}) if one.id == system else one
        for one in plan.systems
    ]
    return (_systems(plan, "say_again", systems),)


def warm(plan: Plan) -> tuple[Mend, ...]:
    """Of a system whose speaker was not learned anew for each sound."""
    return (_systems(plan, "warm", [one.model_copy(update={"cold": False}) for one in plan.systems]),)


def _system_as_original(plan: Plan, but: OpenReference | None = None) -> tuple[Mend, ...]:
    """but: a reference that is no good."""
    if not plan.systems:
        return fewer_systems_than(plan)
    first = plan.systems[0]
    if but is not None and but.system == first.id:
        return ()
    reference = {"source": "system", "system": first.id}
    return (Mend("take_system", {"reference": reference}, {"system": label_of(plan, "system", first.id)}, remakes=True),)


def _without_systems(plan: Plan, systems: Collection[str]) -> tuple[Mend, ...]:
    kept = [one for one in plan.systems if one.id not in systems]
    labels = [label_of(plan, "system", system) for system in systems]
    return (_systems(plan, "leave_out_systems", kept, {"n": len(labels), "systems": labels}),)


def _systems(plan: Plan, key: str, systems: Sequence[System], values: Mapping[str, object] = {}) -> Mend:
    """A reference that is none of them becomes the first of them."""
    told = [system.model_dump(mode="json") for system in systems]
    return Mend(key, {"systems": told, **_reference_among(plan, systems)}, values, remakes=True)


def _reference_among(plan: Plan, systems: Iterable[System]) -> dict[str, object]:
    names = [system.id for system in systems]
    reference = plan.reference
    if reference is None or reference.system is None or reference.system in names:
        return {}
    first = {"source": "system", "system": names[0]} if names else None
    return {"reference": first}


def _new_id(plan: Plan) -> str:
    taken = {system.id for system in plan.systems}
    return next(letter for letter in (*_IDS, *(f"s{n}" for n in range(100))) if letter not in taken)
