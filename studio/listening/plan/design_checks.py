"""Design checks: whether a plan has what its method needs, and whether its orders are balanced over the planned panel."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from studio.listening.plan import mends
from studio.listening.plan.design import Check, Item, Mend
from studio.listening.plan.orders import williams
from studio.listening.plan.parts import counted
from studio.listening.plan.plan import MOST_SIGNALS, PAGES, PAIRED, REFERRED, Plan
from studio.listening.plan.questions import (
    OPEN,
    SAME_TEXT,
    CellFinder,
    Question,
    gold_texts,
    question_count,
    questions_of,
    subjects_of,
)
from studio.listening.plan.render_steps import LOWPASS_HZ, label_of
from studio.listening.plan.trials import session_seconds

__all__ = ["MOST_SESSION_MINUTES", "design_checks"]

TWO_AT_LEAST = (*PAIRED, "mushra-like")  # systems; of the others one
LEAST_TEXTS = 10  # that say something about other texts
MOST_LENGTH_RATIO = 3
MOST_SESSION_MINUTES = 30  # BS.1534-3: people tire after 20 to 30
SURE_QUESTIONS = 7  # of which there are so many orders that no two listeners have the same by chance
MOST_TRIED = 4000  # questions that are drawn to look at their balance; of larger panels the first listeners
MOST_PARTS = 60  # listeners who are tried where each is asked a part, which takes longer to choose


def design_checks(plan: Plan, items: Sequence[Item]) -> tuple[Check, ...]:
    """items: what is rendered so far, whose lengths say how long a session takes. What is needed and fails says what mends it."""
    checks = [*_systems_and_texts(plan), *_references(plan)]
    if question_count(plan):
        checks += [_session(plan, items), *_balance(plan)]
    return (*checks, *_attention(plan))


def _systems_and_texts(plan: Plan) -> list[Check]:
    least, n = 2 if plan.method in TWO_AT_LEAST else 1, len(plan.systems)
    checks = [
        _check("systems", n >= least, {"n": n, "least": least}, lambda: mends.fewer_systems_than(plan)),
        _check("texts", bool(plan.texts), {"n": len(plan.texts)}, lambda: mends.ready_texts(plan)),
    ]
    if not plan.texts:
        return checks
    lengths = [len(text) for text in plan.texts]
    kinds = any(any(map(str.isdecimal, text)) for text in plan.texts) and any("?" in text or "？" in text for text in plan.texts)
    return [
        *checks,
        Check("texts_many", len(lengths) >= LEAST_TEXTS, needed=False, values={"n": len(lengths), "least": LEAST_TEXTS}),
        Check("texts_kinds", kinds, needed=False),
        Check(
            "texts_lengths",
            max(lengths) <= MOST_LENGTH_RATIO * min(lengths),
            needed=False,
            values={"most": max(lengths), "least": min(lengths)},
        ),
    ]


def _references(plan: Plan) -> list[Check]:
    checks = []
    low = set(LOWPASS_HZ) & set(plan.anchors)
    if plan.method == "smos":
        checks.append(_check("reference_clip", plan.reference is not None, {}, lambda: mends.original_for_likeness(plan)))
    if plan.method in SAME_TEXT:
        key = "hidden_reference" if plan.method == "mushra" else "open_reference"
        same_text = plan.reference is not None and plan.reference.source != "recording"
        checks += [
            _check(key, plan.reference is not None, {}, lambda: mends.original_for_page(plan)),
            _check("reference_text", same_text, {}, lambda: mends.original_for_page(plan)),
        ]
    if plan.method == "mushra":
        checks.append(_check("anchors", low == set(LOWPASS_HZ), {}, lambda: mends.with_low_passes(plan)))
    if plan.method in PAGES:
        n = len(subjects_of(plan))
        checks.append(_check("signals", n <= MOST_SIGNALS, {"n": n, "most": MOST_SIGNALS}, lambda: mends.fewer_signals(plan)))
    if plan.method not in (*PAIRED, *SAME_TEXT) and low and plan.systems:
        first = label_of(plan, "system", plan.systems[0].id)
        checks.append(Check("anchor_source", plan.reference is not None, needed=False, values={"system": first}))
    if plan.method not in PAIRED and "other-voice" in plan.anchors:
        checks.append(_check("other_speaker", plan.other_speaker is not None, {}, lambda: mends.without_anchors(plan, ("other-voice",))))
    return checks


def _session(plan: Plan, items: Sequence[Item]) -> Check:
    def minutes_of(plan: Plan) -> int:
        return round(session_seconds(plan, items) / 60)

    minutes = minutes_of(plan)
    values = {"minutes": max(1, minutes), "most": MOST_SESSION_MINUTES}
    is_needed, fits = plan.method == "mushra", minutes <= MOST_SESSION_MINUTES
    return _check(
        "session",
        fits,
        values,
        lambda: mends.cut_short(plan, lambda shorter: minutes_of(shorter) <= MOST_SESSION_MINUTES) if is_needed else (),
        needed=is_needed,
    )


def _balance(plan: Plan) -> list[Check]:
    """Found in the questions of the panel, drawn as they will be but with another key.

    That most hear the same order is told where there are few questions, and so few orders; that all do where there are many is a fault.
    """
    panel = _panel(plan)
    told = {tuple((one.text, one.sounds) for one in questions) for questions in panel}
    n_orders = min(len(panel), math.factorial(min(len(panel[0]), 7)))  # that there are: 7! is more than listeners; some are drawn twice
    if len(plan.texts) == 1:  # then there is nothing but the rows of the square
        n_orders = min(n_orders, len(williams(len({_compared(one) for one in panel[0]}))))
    is_faulty = len(told) == 1 < len(panel) and len(panel[0]) >= SURE_QUESTIONS
    drawn_anew = (Mend("other_orders", {"seed": (plan.seed + 1) % 2**31}),)
    orders = _check("orders", len(told) > n_orders / 2, {}, lambda: drawn_anew if is_faulty else (), needed=is_faulty)
    checks = [orders, _repeats(plan, panel) if plan.questions_per_listener is None else _coverage(plan)]
    if plan.method in (*PAIRED, *REFERRED):
        checks.append(_both_orders(plan, panel))
    elif plan.questions_per_listener is None:
        checks.append(_places(plan, panel))
    if plan.method == "abx":
        checks.append(_x(panel))
    return checks


def _panel(plan: Plan) -> list[list[Question]]:
    """What the listeners are asked, one after the other."""
    most = max(2, MOST_TRIED // question_count(plan))
    most = most if plan.questions_per_listener is None else min(most, MOST_PARTS)
    n = plan.listeners if plan.listeners <= most else most - (most - plan.listeners) % 2
    finder, panel, asked = CellFinder(plan), [], Counter()
    for listener in range(1, n + 1):
        panel.append([one for one in questions_of(plan, listener, b"", asked) if one.kind == "item"])
        if plan.questions_per_listener is not None:
            asked += counted(map(finder.cell, panel[-1]))
    return panel


def _coverage(plan: Plan) -> Check:
    """By how many listeners each system, pair or page of each text is judged: as good as equal, whoever comes and goes (parts.py)."""
    whole = plan.model_copy(update={"questions_per_listener": None, "repeats": 1, "gold": 0, "traps": 0})
    n_cells, extra = question_count(whole), len(gold_texts(plan)) + plan.traps
    times = plan.listeners * (question_count(plan) - extra) / n_cells
    return Check("coverage", times >= 1, needed=False, values={"least": math.floor(times), "most": math.ceil(times), "n": n_cells})


def _repeats(plan: Plan, panel: Sequence[Sequence[Question]]) -> Check:
    """Each listener is asked about each pair, system or page of each text as often as the plan says."""
    n = question_count(plan) - len(gold_texts(plan)) - plan.traps
    counts = [Counter((one.text, _compared(one)) for one in questions) for questions in panel]
    equal = all(set(asked.values()) == {plan.repeats} and asked.total() == n for asked in counts)
    return Check("repeats", equal, values={"repeats": plan.repeats})


def _compared(question: Question) -> frozenset[tuple[str, str]]:
    return frozenset((sound.role, sound.system) for label, sound in question.sounds if label != OPEN)


def _both_orders(plan: Plan, panel: Sequence[Sequence[Question]]) -> Check:
    turned: Counter[int] = Counter()
    for cell in map(CellFinder(plan).cell, (question for questions in panel for question in questions)):
        turned[cell.subject] += -1 if cell.is_turned else 1
    most = 0 if plan.questions_per_listener is None else 1  # of parts one may be left over
    values, equal = {"listeners": plan.listeners}, all(abs(n) <= most for n in turned.values())
    return _check("both_orders", equal, values, lambda: mends.more_listeners(plan, 2), needed=False)


def _places(plan: Plan, panel: Sequence[Sequence[Question]]) -> Check:
    """Of ratings the place in the block of trials in which each system comes once; of a page the slot."""
    n_subjects = len(subjects_of(plan))
    counts: Counter[tuple[str, str, object]] = Counter()
    for questions in panel:
        for index, question in enumerate(questions):
            for label, sound in question.sounds:
                place = index % n_subjects if label == "A" else label
                counts[sound.role, sound.system, place] += label != OPEN
    heard = [count for (_, _, place), count in counts.items() if place != OPEN]
    equal = len(heard) == n_subjects**2 and len(set(heard)) == 1
    values = {"listeners": plan.listeners, "rows": len(williams(n_subjects))}
    return _check("places", equal, values, lambda: mends.more_listeners(plan, len(williams(n_subjects))), needed=False)


def _x(panel: Sequence[Sequence[Question]]) -> Check:
    """Of each listener, and each pair, to one trial."""
    per_pair: Counter[tuple[int, frozenset]] = Counter()
    for listener, questions in enumerate(panel):
        for question in questions:
            per_pair[listener, _compared(question)] += 1 if question.right == "A" else -1
    a = sum(question.right == "A" for questions in panel for question in questions)
    n = sum(map(len, panel))
    return Check("x", max(map(abs, per_pair.values()), default=0) <= 1, values={"a": a, "b": n - a})


def _attention(plan: Plan) -> list[Check]:
    n = len(gold_texts(plan))
    return [
        *([] if plan.scales else [_check("gold", n > 0, {"n": n}, lambda: mends.added(gold=1), needed=False)]),
        _check("traps", plan.traps > 0, {"n": plan.traps}, lambda: mends.added(traps=1), needed=False),
        _check("training", plan.training, {}, lambda: mends.added(training=True), needed=False),
        _check("headphones", plan.headphones, {}, lambda: mends.added(headphones=True), needed=False),
    ]


def _check(key: str, passed: bool, values: Mapping[str, object], mended: Callable[[], tuple[Mend, ...]], *, needed: bool = True) -> Check:
    return Check(key, passed, needed, values, () if passed else mended())
