"""Questions: what one listener is asked, and in which order. They follow from the plan alone.

Here sounds are named by what they are; trials.py gives the files.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from types import MappingProxyType

from studio.listening.plan.design import RightAnswer, Role, TrialKind
from studio.listening.plan.orders import drawn, in_blocks, pair_orders, spread, trial_order, williams
from studio.listening.plan.parts import Asked, Cell, part_of
from studio.listening.plan.plan import PAGES, PAIRED, REFERRED, SINGLE, Plan

__all__ = [
    "NOBODY_ASKED", "OPEN", "REFERENCED", "SAME_TEXT", "CellFinder", "Question", "SoundKey", "gold_texts", "pairs_of", "question_count",
    "questions_of", "scale_order", "subjects_of",
]  # fmt: skip

OPEN = "R"  # the label of the open reference
REFERENCED = ("smos", "mushra", "dcr", "ccr", "bs1116")  # methods that need one,
OPENLY = ("smos", "mushra", "dcr", "bs1116")  # and that show it
SAME_TEXT = ("mushra", "dcr", "ccr", "bs1116")  # and compare what says the same
NOBODY_ASKED: Asked = MappingProxyType({})


@dataclass(frozen=True, order=True)
class SoundKey:
    """One sound of a test: what it is, and of which text. system: as Item has it, the id of a system or its role."""

    role: Role
    system: str
    text: int


@dataclass(frozen=True)
class Question:
    """A trial without files. sounds: (label, sound) of each slot. right, asked: as Trial has them."""

    kind: TrialKind
    text: int
    sounds: tuple[tuple[str, SoundKey], ...]
    right: RightAnswer | None = None
    asked: RightAnswer | None = None

    def slot_of(self, role: Role) -> str:
        """The label of the first slot of that role that is not the open reference."""
        return next(label for label, sound in self.sounds if sound.role == role and label != OPEN)


def subjects_of(plan: Plan) -> tuple[tuple[Role, str], ...]:
    """(role, system) of what is rated or compared: the systems, of ratings the anchors too, and of MUSHRA the hidden reference first.

    A system that is the reference, and says the same text, is no subject beside it.
    """
    hidden = plan.reference if plan.method == "mushra" else None
    left_out = plan.reference.system if plan.reference is not None and plan.method in SAME_TEXT else None
    subjects: list[tuple[Role, str]] = [("reference", "reference")] if hidden is not None else []
    subjects.extend(("system", system.id) for system in plan.systems if system.id != left_out)
    if plan.method not in PAIRED:
        subjects.extend((anchor, anchor) for anchor in dict.fromkeys(plan.anchors))
    return tuple(subjects)


def pairs_of(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Of ABX, AB and CMOS: each two systems, in the plan's order."""
    return tuple(combinations([system.id for system in plan.systems], 2))


def gold_texts(plan: Plan) -> tuple[int, ...]:
    """The text of each gold trial, spread over the plan's; one comes again where there are fewer texts than gold trials. None where scales
    are somebody's own: what is bad on them is not known."""
    n, n_gold = len(plan.texts), plan.gold if plan.texts and plan.systems and not plan.scales else 0
    return tuple(index * n // n_gold if n_gold <= n else index % n for index in range(n_gold))


def question_count(plan: Plan) -> int:
    """How many each listener is asked, training left out."""
    ordinary = _ordinary_count(plan)
    return ordinary + (len(gold_texts(plan)) + plan.traps if ordinary else 0)


def questions_of(plan: Plan, listener: int, key: bytes, asked: Asked = NOBODY_ASKED) -> tuple[Question, ...]:
    """In their order; training first. listener: from 1, in the order in which they came. The same arguments give the same questions.

    key: of the test, the same for all its listeners, known to none: who has it can foretell what X is.
    asked: what others are asked, where each listener is asked a part.

    Listeners 1 and 2, 3 and 4, ... who are asked everything hear each pair in opposite orders, and X is another system for the one than
    for the other.
    """
    asker = _Asker(plan, listener, key, asked)
    return asker.questions() if question_count(plan) else ()


def scale_order(plan: Plan, listener: int, key: bytes) -> tuple[str, ...]:
    """The scales of a plan, as that listener has them."""
    scales = tuple(plan.scale_points)
    return tuple(drawn(key, "scales", plan.seed, listener).sample(scales, len(scales))) if plan.scales_drawn else scales


class CellFinder:
    """Finds what a question that is neither gold nor trap was about, among all that there is to ask."""

    def __init__(self, plan: Plan):
        self._method = plan.method
        self._subjects = {subject: index for index, subject in enumerate(subjects_of(plan))}
        self._pairs = {pair: index for index, pair in enumerate(pairs_of(plan))}

    def cell(self, question: Question) -> Cell:
        """With turn 0."""
        if self._method in PAGES:
            return Cell(0, question.text)
        first, *others = (sound for label, sound in question.sounds if label != OPEN)
        if self._method in SINGLE:
            return Cell(self._subjects[first.role, first.system], question.text)
        if self._method in REFERRED:
            is_turned = first.role == "reference"
            system = others[0] if is_turned else first
            return Cell(self._subjects[system.role, system.system], question.text, is_turned)
        a, b = first.system, others[0].system
        is_turned = (a, b) not in self._pairs
        return Cell(self._pairs[(b, a) if is_turned else (a, b)], question.text, is_turned, int(question.right == "B"))


def _ordinary_count(plan: Plan) -> int:
    """Of questions to one listener without gold and traps."""
    whole = _subject_count(plan) * len(plan.texts) * plan.repeats
    return whole if plan.questions_per_listener is None else min(whole, plan.questions_per_listener)


def _subject_count(plan: Plan) -> int:
    """Of each text a trial is asked for so many subjects; all signals of a page are one."""
    if plan.method in PAIRED:
        return len(pairs_of(plan))
    return min(1, len(subjects_of(plan))) if plan.method in PAGES else len(subjects_of(plan))


class _Asker:
    def __init__(self, plan: Plan, listener: int, key: bytes, asked: Asked):
        self._plan, self._listener, self._asked = plan, listener, asked
        self._key = key
        self._chance = drawn(key, "listener", plan.seed, listener)
        self._subjects = subjects_of(plan)
        self._pairs = pairs_of(plan)

    def questions(self) -> tuple[Question, ...]:
        ordinary = self._ordinary()
        training = [replace(ordinary[self._chance.randrange(len(ordinary))], kind="training")] if self._plan.training else []
        golden = list(gold_texts(self._plan))
        extra = [self._gold(text) for text in golden] + [self._trap(ordinary) for _ in range(self._plan.traps)]
        self._chance.shuffle(extra)
        texts = [question.text for question in ordinary]
        for place, question in reversed(list(zip(spread(texts, [one.text for one in extra], self._chance), extra, strict=True))):
            ordinary.insert(place, question)
        return (*training, *ordinary)

    def _ordinary(self) -> list[Question]:
        plan, is_part = self._plan, self._plan.questions_per_listener is not None
        cells = self._part() if is_part else self._whole()
        if plan.method in (*PAIRED, *REFERRED):
            return [self._of_pair(cell) for cell in cells]
        if plan.method in PAGES:
            return [
                self._page(cell.text, cell.turn + 1, 0) if is_part else self._page(cell.text, self._listener, cell.turn) for cell in cells
            ]
        return [self._rating(*self._subjects[cell.subject], cell.text) for cell in cells]

    def _part(self) -> list[Cell]:
        plan, n_subjects = self._plan, _subject_count(self._plan)
        chance = drawn(self._key, "part", plan.seed, self._listener)
        part = part_of(n_subjects, len(plan.texts), _ordinary_count(plan), self._asked, chance)
        left: dict[tuple[int, int], list[Cell]] = {}
        for cell in part:
            left.setdefault((cell.subject, cell.text), []).append(cell)
        waiting = [[cell.text for cell in part if cell.subject == subject] for subject in range(n_subjects)]
        return [left[place].pop(0) for place in in_blocks(waiting, self._listener, self._chance)]

    def _whole(self) -> list[Cell]:
        """What is A and what X is belongs to pair and text, and to two listeners at a time, of whom the second has A and B exchanged."""
        plan, sides = self._plan, {}
        order = trial_order(_subject_count(plan), len(plan.texts), plan.repeats, self._listener, self._chance)
        for pair in range(_subject_count(plan) if plan.method in (*PAIRED, *REFERRED) else 0):
            chance = drawn(self._key, "pair", plan.seed, (self._listener - 1) // 2, pair)
            orders = pair_orders(len(plan.texts) * plan.repeats, chance)
            sides |= {(pair, text): orders[text * plan.repeats : (text + 1) * plan.repeats] for text in range(len(plan.texts))}
        turns: dict[tuple[int, int], int] = {}
        cells = []
        for subject, text in order:
            turn = turns[subject, text] = turns.get((subject, text), -1) + 1
            first, x = sides[subject, text][turn] if sides else (0, 0)
            cells.append(Cell(subject, text, bool(sides) and first != (self._listener - 1) % 2, x, turn))
        return cells

    def _of_pair(self, cell: Cell) -> Question:
        if self._plan.method in REFERRED:
            sounds = [SoundKey(*self._subjects[cell.subject], cell.text), SoundKey("reference", "reference", cell.text)]
        else:
            sounds = [SoundKey("system", system, cell.text) for system in self._pairs[cell.subject]]
        return self._pair(cell.text, sounds[::-1] if cell.is_turned else sounds, cell.x)

    def _pair(self, text: int, sounds: list[SoundKey], x: int) -> Question:
        slots = [*self._open(text), *zip("BC" if self._plan.method == "bs1116" else "AB", sounds, strict=True)]
        if self._plan.method == "abx":
            return Question("item", text, (*slots, ("X", sounds[x])), right="AB"[x])
        return Question("item", text, tuple(slots))

    def _rating(self, role: Role, system: str, text: int) -> Question:
        return Question("item", text, (*self._open(text), ("A", SoundKey(role, system, text))))

    def _page(self, text: int, nth: int, turn: int) -> Question:
        """nth: who is asked about the text, from 1. turn: of being asked again. Over as many of them as the balanced Latin square has rows
        each signal of a text stands in each slot equally often."""
        rows = williams(len(self._subjects))
        chance = drawn(self._key, "page", self._plan.seed, (nth - 1) // len(rows), text)
        subjects = chance.sample(self._subjects, len(self._subjects))
        row = rows[(nth + turn + chance.randrange(len(rows))) % len(rows)]
        return self._signals("item", text, [SoundKey(*subjects[index], text) for index in row])

    def _signals(self, kind: TrialKind, text: int, sounds: list[SoundKey]) -> Question:
        return Question(kind, text, (*self._open(text), *((str(number), sound) for number, sound in enumerate(sounds, start=1))))

    def _open(self, text: int) -> tuple[tuple[str, SoundKey], ...]:
        shown = self._plan.method in OPENLY and self._plan.reference is not None
        return ((OPEN, SoundKey("reference", "reference", text)),) * shown

    def _gold(self, text: int) -> Question:
        """An obviously bad sound: alone, beside one of what is tested, or on a page like any other in place of one of the systems."""
        plan, chance, bad = self._plan, self._chance, SoundKey("gold", "gold", text)
        if plan.method in PAGES:
            signals = [SoundKey(*subject, text) for subject in chance.sample(self._subjects, len(self._subjects))]
            systems = [place for place, signal in enumerate(signals) if signal.role == "system"]
            signals[chance.choice(systems or range(len(signals)))] = bad
            question = self._signals("gold", text, signals)
            return replace(question, right=question.slot_of("gold"))
        systems = [subject for subject in self._subjects if subject[0] in ("system", "reference")]
        other = SoundKey(*(("reference", "reference") if plan.method in REFERRED else chance.choice(systems)), text)
        sounds = chance.sample([bad, other], 2)
        if plan.method in SINGLE:
            return replace(self._rating("gold", "gold", text), kind="gold", right=1)
        question = replace(self._pair(text, sounds, chance.randrange(2)), kind="gold")
        worse = question.slot_of("gold")
        if plan.method in ("cmos", "ccr"):
            return replace(question, right=3 if worse == "A" else -3)
        return replace(question, right={"abx": question.right, "ab": "B" if worse == "A" else "A"}.get(plan.method, worse))

    def _trap(self, ordinary: list[Question]) -> Question:
        """One of the questions again, with the answer that is to be given."""
        question = self._chance.choice(ordinary)
        asked = _answer_of_chance(question, self._plan, self._chance)
        return replace(question, kind="trap", right=asked, asked=asked)


def _answer_of_chance(question: Question, plan: Plan, chance: Random) -> RightAnswer:
    if plan.method in ("abx", "ab"):
        return chance.choice("AB")
    if plan.method in ("cmos", "ccr"):
        return chance.choice((-3, -2, -1, 1, 2, 3))
    if plan.scale_points:
        return {scale: chance.randint(1, n_points) for scale, n_points in plan.scale_points.items()}
    if plan.method in PAGES or plan.method == "bs1116":
        return chance.choice([label for label, _ in question.sounds if label != OPEN])
    return chance.randint(1, 5)
