"""Checks: find out by code whether a test is blind and its result has a meaning. Checks of the plan are in design_checks.py."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.listening.keep.sound_files import SoundFile, read_sound_file
from studio.listening.plan import mends
from studio.listening.plan.design import Check, Item, Mend
from studio.listening.plan.design_checks import design_checks
from studio.listening.plan.materials import SILENCE_SECONDS
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import SoundKey
from studio.listening.plan.render_steps import RECORDED, RecordedStep, SpokenStep, label_of, original_of, render_steps_of, sounds_of
from studio.listening.plan.uploads import Uploads
from studio.listening.render.guesser import guesser_checks
from studio.listening.render.mastering import LEAST_BANDWIDTH_HZ, SAME_BANDWIDTH

__all__ = ["MOST_PAGE_SECONDS", "checks_of"]

MOST_LOUDNESS_OFF = 0.5  # LU, of each sound from what all should have (EBU R 128 allows programmes as much)
MOST_PAGE_SECONDS = 12.0  # of a sound of MUSHRA (BS.1534-3; webMUSHRA refuses more)
FULL_SCALE_DB = -0.1  # what peaks above it may have been cut off
LEAST_SILENCE, MOST_SILENCE = SILENCE_SECONDS - 0.025, SILENCE_SECONDS + 0.1  # a soft beginning counts as silence
_ID_CHARACTERS, _ID_LENGTH = set("0123456789abcdef"), 32


def checks_of(plan: Plan, items: Sequence[Item], folder: Path) -> tuple[Check, ...]:
    """All of them, in the order in which people should see them. items: what is rendered, in `folder` as `<item id>.wav`; each is read.

    values: for sentence `tests.check_<key>`, of failed ones `tests.check_<key>_not`. Raises OSError.
    """
    return (*_of_sounds(plan, items, folder), *design_checks(plan, items))


@dataclass(frozen=True)
class _Heard:
    """An item with what its file holds."""

    item: Item
    file: SoundFile


def _of_sounds(plan: Plan, items: Sequence[Item], folder: Path) -> list[Check]:
    made = {SoundKey(item.role, item.system, item.text): item for item in items}
    items_heard = [made[key] for key in sounds_of(plan) if key in made]
    files = [(item, read_sound_file(folder / f"{item.id}.wav", item.seconds)) for item in items_heard]
    there = [_Heard(item, file) for item, file in files if file is not None]
    checks = [_made(plan, there, folder)]
    if not files:
        return checks
    conditions: dict[str, Callable[[_Heard], bool]] = {
        "container": lambda each: each.file.is_plain,
        "names": lambda each: each.file.is_bare and _is_opaque(each.item.id) and _is_alone(each, there),
        "hashes": lambda each: each.file.sha256 == each.item.sha256,
        "lengths": lambda each: each.file.n_bytes == _usual_bytes(plan, each, there),
    }
    checks += [_each(plan, key, there, passes, mends.MAKE) for key, passes in conditions.items()]
    if plan.match_loudness:
        checks += _loudness(plan, there)
    checks.append(_clipping(plan, there))
    if plan.trim_silence:
        checks.append(_silences(plan, there))
    checks += [*_bandwidth(plan, there), *_identical(plan, there), *_cold(plan, there), *_builds(plan, there)]
    if plan.method == "mushra":
        checks.append(_short(plan, there))
    return [*checks, *guesser_checks(plan, items, {each.item.id: each.file for each in there})]


def _made(plan: Plan, heard: Sequence[_Heard], folder: Path) -> Check:
    wanted = sounds_of(plan)
    there = {SoundKey(each.item.role, each.item.system, each.item.text) for each in heard}
    missing = next((key for key in wanted if key not in there), None)
    values: dict[str, object] = {"n": len(there), "total": len(wanted)}
    if missing:
        values |= {"system": label_of(plan, missing.role, missing.system), "text": missing.text + 1}
    passed = missing is None and bool(wanted)
    return Check("sounds", passed, values=values, mends=() if passed else _mends_of_missing(plan, missing, folder))


def _mends_of_missing(plan: Plan, missing: SoundKey | None, folder: Path) -> tuple[Mend, ...]:
    """Make what can be made; else leave out what cannot."""
    if missing is None:
        return mends.ready_texts(plan) if plan.systems else mends.fewer_systems_than(plan)
    files = Uploads(folder).files()
    steps = {
        step.key: isinstance(step, SpokenStep | RecordedStep) or (step.key.system, step.key.text) in files for step in render_steps_of(plan)
    }
    made_of = {key: original_of(plan, key) or key for key in sounds_of(plan)}
    if steps.get(made_of[missing]):
        return mends.MAKE
    return mends.without_sounds(plan, [original for original in made_of.values() if not steps.get(original)])


def _each(plan: Plan, key: str, heard: Sequence[_Heard], passes: Callable[[_Heard], bool], mended: tuple[Mend, ...]) -> Check:
    failing = next((each for each in heard if not passes(each)), None)
    return Check(key, failing is None, values=_place(plan, failing), mends=mended if failing else ())


def _place(plan: Plan, each: _Heard | None) -> dict[str, object]:
    return {} if each is None else {"system": label_of(plan, each.item.role, each.item.system), "text": each.item.text + 1}


def _is_opaque(item_id: str) -> bool:
    return len(item_id) == _ID_LENGTH and set(item_id) <= _ID_CHARACTERS


def _is_alone(each: _Heard, heard: Iterable[_Heard]) -> bool:
    return not any(other is not each and other.item.id == each.item.id for other in heard)


def _stands_apart(plan: Plan, item: Item) -> bool:
    """The open reference that is a recording: of another text, so of another length."""
    return item.role == "reference" and plan.reference is not None and plan.reference.source == RECORDED


def _usual_bytes(plan: Plan, each: _Heard, heard: Sequence[_Heard]) -> int:
    """What most files of its text have."""
    if _stands_apart(plan, each.item):
        return each.file.n_bytes
    sizes = [other.file.n_bytes for other in heard if other.item.text == each.item.text and not _stands_apart(plan, other.item)]
    return max(sorted(set(sizes)), key=sizes.count)


def _loudness(plan: Plan, heard: Sequence[_Heard]) -> list[Check]:
    """All as loud as each other, and whether that is softer than planned."""
    known = sorted(each.file.lufs for each in heard if each.file.lufs is not None)
    target = known[len(known) // 2] if known else plan.lufs
    worst = max(heard, key=lambda each: _off(each, target), default=None)
    if worst is None:
        return []
    off = _off(worst, target)
    values: dict[str, object] = {"lufs": round(target, 1), "off": round(min(off, 99.0), 1)} | _place(plan, worst)
    passed = off <= MOST_LOUDNESS_OFF
    if not passed:
        values["lufs"] = round(worst.file.lufs, 1) if worst.file.lufs is not None else "-∞"
    loudest = max(heard, key=lambda each: each.file.peak_db)
    softer = {"db": max(0.0, round(plan.lufs - target, 1)), **_place(plan, loudest)}
    return [
        Check(
            "loudness",
            passed,
            values=values,
            mends=() if passed else mends.softer(plan, off, {each.item.text for each in heard if _off(each, target) > MOST_LOUDNESS_OFF}),
        ),
        Check("lowered", abs(plan.lufs - target) <= MOST_LOUDNESS_OFF, needed=False, values=softer),
    ]


def _off(each: _Heard, target: float) -> float:
    return abs(each.file.lufs - target) if each.file.lufs is not None else float("inf")


def _clipping(plan: Plan, heard: Sequence[_Heard]) -> Check:
    loudest = max(heard, key=lambda each: each.file.peak_db, default=None)
    peak = loudest.file.peak_db if loudest else 0.0
    passed, values = peak <= FULL_SCALE_DB, {"peak": round(peak, 1)} | _place(plan, loudest)
    return Check(
        "clipping",
        passed,
        values=values,
        mends=()
        if passed or not loudest
        else mends.softer(plan, 1.0, {each.item.text for each in heard if each.file.peak_db > FULL_SCALE_DB}),
    )


def _silences(plan: Plan, heard: Sequence[_Heard]) -> Check:
    """Of what is spoken whole; what is filtered, distorted or cut begins and ends as it does."""
    whole = [each for each in heard if each.item.role in ("system", "other-voice", "embedded", "reference")]
    whole = [each for each in whole if not _stands_apart(plan, each.item)]
    failing = next((each for each in whole if not (_is_silence(each.file.before) and _is_silence(each.file.after))), None)
    values: dict[str, object] = {"ms": round(1000 * SILENCE_SECONDS)} | _place(plan, failing)
    if failing:
        values |= {"before": round(1000 * (failing.file.before or 0)), "after": round(1000 * (failing.file.after or 0))}
    as_it_is = Mend("keep_silence", {"trim_silence": False}, remakes=True)
    return Check(
        "silences", failing is None, values=values, mends=(as_it_is, *mends.without_texts(plan, {failing.item.text})) if failing else ()
    )


def _is_silence(seconds: float | None) -> bool:
    return seconds is not None and LEAST_SILENCE <= seconds <= MOST_SILENCE


def _bandwidth(plan: Plan, heard: Sequence[_Heard]) -> list[Check]:
    reach: dict[str, float] = {}
    for each in heard:
        if each.item.role == "system":
            reach[each.item.system] = max(reach.get(each.item.system, LEAST_BANDWIDTH_HZ), each.item.bandwidth_hz)
    if len(reach) < 2:
        return []
    low, high = min(reach, key=reach.__getitem__), max(reach, key=reach.__getitem__)
    values = {
        "khz": round(reach[low] / 1000, 1),
        "other_khz": round(reach[high] / 1000, 1),
        "system": label_of(plan, "system", low),
        "other": label_of(plan, "system", high),
    }
    passed = reach[high] <= SAME_BANDWIDTH * reach[low]
    same = (Mend("same_bandwidth", {"equalise_bandwidth": True}, remakes=True),)
    return [Check("bandwidth", passed, False, values, () if passed or plan.equalise_bandwidth else same)]


def _identical(plan: Plan, heard: Sequence[_Heard]) -> list[Check]:
    """Whether what is compared differs at all."""
    spoken = [each for each in heard if each.item.role == "system"]
    if len({each.item.system for each in spoken}) < 2:
        return []
    first: dict[tuple[int, str], _Heard] = {}
    values: dict[str, object] = {}
    for each in spoken:
        other = first.setdefault((each.item.text, each.file.sha256), each)
        if other is not each:
            values = _place(plan, other) | {"other": label_of(plan, "system", each.item.system)}
    return [Check("identical", not values, needed=False, values=values)]


def _cold(plan: Plan, heard: Sequence[_Heard]) -> list[Check]:
    cold = {system.id for system in plan.systems if system.cold and system.source == "speech" and system.speaker}
    if not cold:
        return []
    return [
        _each(plan, "cold", heard, lambda each: each.item.system not in cold or each.item.cache in ("miss", "bypass"), mends.warm(plan))
    ]


def _builds(plan: Plan, heard: Sequence[_Heard]) -> list[Check]:
    builds: dict[str, set[str]] = {}
    for each in heard:
        if each.item.role == "system":
            builds.setdefault(each.item.system, set()).add(each.item.build)
    mixed = next((system for system, found in builds.items() if len(found) > 1), None)
    values = {"system": label_of(plan, "system", mixed)} if mixed else {}
    return [Check("builds", mixed is None, values=values, mends=mends.MAKE if mixed else ())]


def _short(plan: Plan, heard: Sequence[_Heard]) -> Check:
    longest = max(heard, key=lambda each: each.file.n_bytes, default=None)
    seconds = longest.file.padded_seconds if longest else 0.0
    values: dict[str, object] = {"most": round(MOST_PAGE_SECONDS), "seconds": round(seconds, 1)}
    passed = seconds <= MOST_PAGE_SECONDS
    mended = (
        ()
        if passed or longest is None
        else (*mends.without_texts(plan, {each.item.text for each in heard if each.file.padded_seconds > MOST_PAGE_SECONDS}), mends.ALONE)
    )
    return Check("short", passed, values=values | ({"text": longest.item.text + 1} if longest else {}), mends=mended)
