"""begin_evaluation_test: a blind listening test of what differs most in an evaluation, with its sounds: nothing is said again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from studio.errors import EvaluationSystemUnknown, EvaluationTestEmpty
from studio.evaluations.plan.cell import EvaluatedCell
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem, EvaluationText
from studio.evaluations.statistics.differ_most import differ_most
from studio.listening.plan.plan import MOST_NAME_CHARACTERS, MOST_SIGNALS, MOST_TEXT_CHARACTERS, MOST_TEXTS
from studio.listening.plan.plan_check import plan_of
from studio.listening.plan.uploads import LEAST_SOUND_SECONDS, MOST_SOUND_SECONDS
from studio.service import Studio

__all__ = ["BegunTest", "EvaluationTestMethod", "EvaluationTestOrder", "SkippedItem", "begin_evaluation_test"]

EvaluationTestMethod = Literal["ab", "abx", "cmos", "mos", "mushra-like"]  # those that need no reference
USUAL_TEXTS = 20  # a test of ten minutes
MOST_LABEL_CHARACTERS = 120


@dataclass(frozen=True)
class EvaluationTestOrder:
    """n: of texts. method: None for the one that suits: AB of two systems, pages of more. systems: ids or labels, None for all of them."""

    n: int = USUAL_TEXTS
    method: EvaluationTestMethod | None = None
    systems: tuple[str, ...] | None = None
    name: str = ""


@dataclass(frozen=True)
class SkippedItem:
    """A text in a voice that differs, and is not in the test. why: "long" or "short", a sound of it; "text", it has too many characters."""

    voice: str
    text: str
    why: Literal["long", "short", "text"]


@dataclass(frozen=True)
class BegunTest:
    """test: its id. n: of texts that are heard in it, one for each voice and text."""

    test: str
    n: int
    skipped: tuple[SkippedItem, ...] = ()


@dataclass(frozen=True)
class _Item:
    """One text in one voice, with the sound of each system, in their order."""

    text: EvaluationText
    cells: tuple[EvaluatedCell, ...]


@dataclass
class _Chosen:
    items: list[_Item] = field(default_factory=list)
    skipped: list[SkippedItem] = field(default_factory=list)


def begin_evaluation_test(studio: Studio, evaluation_id: str, order: EvaluationTestOrder) -> BegunTest:
    """A draft whose sounds are leveled from then on, on a thread. Blocks until they are sent; where that fails, no draft is left.

    Raises EvaluationUnknown, EvaluationSystemUnknown, EvaluationTestEmpty, what `Listening.create` and `add_sound` do.
    """
    data = studio.evaluations.data(evaluation_id)
    systems = _systems(data.evaluation.plan, order.systems)
    chosen = _chosen(data, systems, min(order.n, MOST_TEXTS))
    if not chosen.items:
        raise EvaluationTestEmpty(len(chosen.skipped))
    test = studio.listening.create(plan_of(_plan(data.evaluation.plan, systems, order, chosen.items)))
    is_sent = False
    try:
        for number, item in enumerate(chosen.items):
            for place, cell in enumerate(item.cells):
                assert cell.said.sound is not None  # or it would not have been chosen
                sound = studio.evaluations.sound(evaluation_id, cell.said.sound.sha256)
                studio.listening.add_sound(test.id, _test_id(place), number, sound, f"{number}.flac")
        studio.listening.begin_rendering(test.id)
        is_sent = True
    finally:
        if not is_sent:
            studio.listening.delete(test.id)
    return BegunTest(test.id, len(chosen.items), tuple(chosen.skipped))


def _systems(plan: EvaluationPlan, named: Sequence[str] | None) -> tuple[EvaluationSystem, ...]:
    """Raises EvaluationSystemUnknown."""
    known = {name: system for system in plan.systems for name in (system.label, system.id)}
    labels = tuple(system.label for system in plan.systems)
    if unknown := next((name for name in named or () if name not in known), None):
        raise EvaluationSystemUnknown(unknown, labels)
    chosen = {known[name].id: known[name] for name in (named if named is not None else labels)}
    if len(chosen) < 2:
        raise EvaluationSystemUnknown(next(iter(chosen.values())).label, labels)
    return tuple(chosen.values())


def _chosen(data: EvaluationData, systems: Sequence[EvaluationSystem], n: int) -> _Chosen:
    """The n that differ most of those that a listening test takes; then those of which no figure differs."""
    ids = [system.id for system in systems]
    n_asked = n
    while True:  # the choice depends on how many are wanted, since texts and voices are spread over them
        ranked = differ_most(data, n_asked, ids)
        chosen = _fitting(data, ids, ranked, n)
        if len(chosen.items) == n or len(ranked) < n_asked:
            break
        n_asked += n - len(chosen.items)
    rest = dict.fromkeys((cell.key.voice, cell.key.text) for cell in data.cells if (cell.key.voice, cell.key.text) not in set(ranked))
    return chosen if len(chosen.items) == n else _fitting(data, ids, [*ranked, *rest], n)


def _fitting(data: EvaluationData, ids: Sequence[str], places: Sequence[tuple[str, str]], n: int) -> _Chosen:
    """places: (voice, text), in their order."""
    texts = {text.id: text for text in data.evaluation.plan.texts}
    said, chosen = _first_sounds(data), _Chosen()
    for voice, text in places:
        cells = tuple(cell for system in ids if (cell := said.get((system, voice, text))) is not None)
        if len(cells) < len(ids):
            continue
        if why := _unfit(texts[text], cells):
            chosen.skipped.append(SkippedItem(voice, text, why))
        elif len(chosen.items) < n:
            chosen.items.append(_Item(texts[text], cells))
    return chosen


def _first_sounds(data: EvaluationData) -> Mapping[tuple[str, str, str], EvaluatedCell]:
    """(system, voice, text) -> the first of the seeds that has a sound."""
    found: dict[tuple[str, str, str], EvaluatedCell] = {}
    for cell in data.cells:
        if cell.said.sound is not None:
            found.setdefault(cell.key[:3], cell)
    return found


def _unfit(text: EvaluationText, cells: Sequence[EvaluatedCell]) -> Literal["long", "short", "text", ""]:
    seconds = [cell.said.sound.seconds for cell in cells if cell.said.sound is not None]
    if max(seconds) > MOST_SOUND_SECONDS:
        return "long"
    if min(seconds) < LEAST_SOUND_SECONDS:
        return "short"
    return "" if 0 < len(" ".join(text.text.split())) <= MOST_TEXT_CHARACTERS else "text"


def _plan(
    plan: EvaluationPlan, systems: Sequence[EvaluationSystem], order: EvaluationTestOrder, items: Sequence[_Item]
) -> dict[str, object]:
    labels = [system.label[:MOST_LABEL_CHARACTERS] for system in systems]
    told = [{"id": _test_id(place), "label": label, "source": "files"} for place, label in enumerate(labels)]
    languages = {item.text.language for item in items}
    test: dict[str, object] = {
        "name": (order.name or f"{plan.title or 'Evaluation'}: {' / '.join(labels)}")[:MOST_NAME_CHARACTERS],
        "method": order.method or _usual_method(len(systems)),
        "systems": told,
        "texts": [item.text.text for item in items],
    }
    return test | ({"language": languages.pop()} if len(languages) == 1 and None not in languages else {})


def _usual_method(n_systems: int) -> EvaluationTestMethod:
    if n_systems == 2:
        return "ab"
    return "mushra-like" if n_systems <= MOST_SIGNALS else "mos"


def _test_id(place: int) -> str:
    """Of a system within the test: those of evaluations have letters that those of tests have not."""
    return f"s{place + 1}"
