"""Planned power: what a plan can find out, in words, with listeners and texts that differ in taste."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from studio.listening.plan.plan import MOST_LISTENERS, MOST_MARGIN, MOST_TEXTS, PAIRED, Method, Plan
from studio.listening.plan.questions import gold_texts, question_count, subjects_of
from studio.listening.planning.panel import ALPHA, WANTED, Panel, SimulatedPanels
from studio.listening.planning.tastes import MUSHRA_POINTS, Tastes, usual_tastes
from studio.listening.statistics.findings import Line
from studio.listening.statistics.power import CLEAR
from studio.listening.statistics.proportions import critical_one_sided
from studio.listening.statistics.strengths import STEADY_VOTES

__all__ = ["LEFT_OF_GAP", "Power", "panel_of", "power_of", "preference_found", "right_answers_power", "tastes_at"]

# Of a true gap so much is left after rounding to 1 to 5, at a mean of 3.7: the sum over k = 1 to 4 of phi((k + 0.5 - 3.7) / s) / s, where s
# is the SD of a rating, 0.967. CMOS and MUSHRA have ends that are further away.
LEFT_OF_GAP = 0.92
FEW_TEXTS = 10
MOST_SHARE = 99  # in 100, of a preference
LARGEST_GAP = 0.75  # of what systems may differ by at most; beyond, a scale has no room
LEAST_LARGER = 5  # listeners, and texts, of a larger panel that is told of beside one of two to four
NODES = 20  # of Gauss and Hermite, for a normal distribution


@dataclass(frozen=True)
class Power:
    """line: the sentence; more: others beside it; numbers: what they are made of, unrounded."""

    line: Line
    more: tuple[Line, ...] = ()
    numbers: dict[str, float] = field(default_factory=dict)


def power_of(plan: Plan, tastes: Tastes | None = None) -> Power:
    """In words. A plan that lacks systems or texts has nothing to tell yet. tastes: the usual ones where none are given."""
    panel = panel_of(plan)
    if panel is None:
        return Power(Line("power_nothing"))
    tastes = tastes or usual_tastes(plan.method)
    power = {"abx": _of_abx, "ab": _of_ab}.get(plan.method, _of_ratings)(plan, panel, tastes)
    more = [_tastes_line(tastes), *power.more] if power.numbers else list(power.more)
    if panel.n_pairs > 1:
        more.append(Line("power_several_pairs", {"n": panel.n_pairs}))
    if plan.listeners == 1:
        more.append(Line("power_one_listener"))
    if len(plan.texts) < FEW_TEXTS and plan.method != "abx":
        more.append(Line("power_few_texts", {"least": FEW_TEXTS}))
    return Power(power.line, tuple(more), power.numbers)


def panel_of(plan: Plan) -> Panel | None:
    """Who will judge what; None where there is nothing to judge."""
    all_questions = question_count(plan) - len(gold_texts(plan)) - plan.traps
    if not plan.texts or all_questions < 1:
        return None
    asked = _questions_per_listener(plan)
    votes = len(plan.texts) * plan.repeats * (min(asked, all_questions) / all_questions if asked else 1.0)
    subjects = subjects_of(plan)
    n_systems = sum(role == "system" for role, _ in subjects)
    n_pairs = max(n_systems * (n_systems - 1) // 2, 1)
    if plan.method in PAIRED:
        return Panel(plan.listeners, len(plan.texts), votes, 1, n_pairs)
    is_page = plan.method in ("mushra", "mushra-like")
    return Panel(plan.listeners, len(plan.texts), votes, n_systems, n_pairs, 1 if is_page else len(subjects))


def _questions_per_listener(plan: Plan) -> int | None:
    """How many of the ordinary questions each listener is asked; None for all of them."""
    return getattr(plan, "questions_per_listener", None)


def right_answers_power(panel: Panel, tastes: Tastes, share: float) -> float:
    """Of ABX, over listeners and texts who hear a difference more and less: how often chance is ruled out, with all pairs counted.

    share: of right answers, over all of them. Whoever guesses has no tastes, so the binomial test is exact; power is over who comes.
    """
    import numpy as np
    from scipy.special import bdtrc

    n = int(panel.n)
    needed = critical_one_sided(n, ALPHA / panel.n_pairs)
    if needed is None:
        return 0.0
    listeners = tastes.listener_system / panel.listeners if panel.listeners > 1 else 0.0
    texts = tastes.text_system / panel.texts if panel.texts > 1 else 0.0
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    shares = np.clip(share + (listeners + texts) ** 0.5 * _leaning(share) * nodes, 0.0, 1.0)
    return float((bdtrc(needed - 1, n, shares) * weights).sum() / weights.sum())


def tastes_at(tastes: Tastes, share: float) -> Tastes:
    """Of votes of which that share prefers one: tastes are narrower, and the rest is what is left of a vote's p (1 - p)."""
    listener, text = (variance * _leaning(share) ** 2 for variance in (tastes.listener_system, tastes.text_system))
    rest = max(share * (1 - share) - listener - text, 0.1 * share * (1 - share))
    return replace(tastes, listener_system=listener, text_system=text, rest=rest)


def preference_found(panel: Panel, tastes: Tastes) -> int | None:
    """The first preference, in 100, that is noticed WANTED of the time; None where not even that of nearly all is."""
    low, high = 50, MOST_SHARE + 1
    while high - low > 1:
        share = (low + high) // 2
        panels = SimulatedPanels.of(panel, tastes_at(tastes, share / 100))
        is_found = panels is not None and panels.power(share / 100 - 0.5) >= WANTED
        low, high = (low, share) if is_found else (share, high)
    return high if high <= MOST_SHARE else None


def _leaning(share: float) -> float:
    """How much of a taste is left in a share, which is that of a normal variable above 0: the density there, 1 in the middle."""
    from scipy.special import ndtri

    return math.exp(-(float(ndtri(min(max(share, 0.01), 0.99))) ** 2) / 2)


def _tastes_line(tastes: Tastes) -> Line:
    return Line("power_tastes_earlier", {"n": tastes.n_tests}) if tastes.n_tests else Line("power_tastes_usual")


def _larger(panel: Panel, *, least: int = 2) -> Iterator[Panel]:
    """Twice the listeners, and twice the texts: who is asked all of them is asked twice as much.

    least: of which there have to be so many already: with one, a difference is that of this listener or text, and a second one says more
    about others, but less about a difference.
    """
    listeners, texts = (max(2 * n, LEAST_LARGER) for n in (panel.listeners, panel.texts))
    if least <= panel.listeners <= MOST_LISTENERS // 2:
        yield replace(panel, listeners=listeners)
    if least <= panel.texts <= MOST_TEXTS // 2:
        yield replace(panel, texts=texts, votes=panel.votes * texts / panel.texts)


def _more(panels: Iterator[Panel], key: str, found: Callable[[Panel], dict[str, object] | None]) -> list[Line]:
    told = ((larger, found(larger)) for larger in panels)
    return [Line(key, {"listeners": larger.listeners, "texts": larger.texts, **values}) for larger, values in told if values]


def _of_abx(plan: Plan, panel: Panel, tastes: Tastes) -> Power:
    n = int(panel.n)
    least = math.ceil(math.log2(panel.n_pairs / ALPHA))  # all of so many right: chance does that less than ALPHA of the time
    needed = critical_one_sided(n, ALPHA / panel.n_pairs)
    if needed is None:
        return Power(Line("power_abx_too_few", {"n": n, "least": least}))
    numbers = {f"power_{percent}": right_answers_power(panel, tastes, percent / 100) for percent in (65, 75, 85)}
    more = [Line("power_abx_others", {"power_65": _percent(numbers["power_65"]), "power_85": _percent(numbers["power_85"])})]
    if _percent(numbers["power_75"]) < MOST_SHARE:
        larger = _larger(panel, least=1)
        more += _more(larger, "power_abx_more", lambda panel: {"power": _percent(right_answers_power(panel, tastes, CLEAR))})
    if plan.margin is not None:
        panels = SimulatedPanels.of(panel, replace(tastes, listener_system=0.0, text_system=0.0, rest=0.25))  # who guesses has none
        more += [_equal_line(panels.below(plan.margin), plan)] if panels else []
    return Power(Line("power_abx", {"n": n, "power": _percent(numbers["power_75"]), "needed": needed}), tuple(more), {"n": n, **numbers})


def _of_ab(plan: Plan, panel: Panel, tastes: Tastes) -> Power:
    n, least = int(panel.n), math.ceil(math.log2(2 * panel.n_pairs / ALPHA))
    if n < least:
        return Power(Line("power_ab_too_few", {"n": n, "least": least}))
    found = preference_found(panel, tastes)
    more = _more(_larger(panel), "power_ab_more", lambda larger: _preference(preference_found(larger, tastes)))
    more += _equal_lines(plan, SimulatedPanels.of(panel, tastes_at(tastes, 0.5)))
    if panel.n_pairs > 1 and n < STEADY_VOTES:
        more.append(Line("power_votes_per_pair", {"least": STEADY_VOTES, "n": n}))
    line = Line("power_ab", {"n": n, **values}) if (values := _preference(found)) else Line("power_ab_beyond", {"n": n})
    return Power(line, tuple(more), {"n": n, "share": (found or 100) / 100})


def _preference(percent: int | None) -> dict[str, object] | None:
    return {"percent": percent, "rest": 100 - percent} if percent else None


def _of_ratings(plan: Plan, panel: Panel, tastes: Tastes) -> Power:
    scale, points = _scale(plan.method)
    if panel.n_systems == 1 and plan.method not in PAIRED:
        panels = SimulatedPanels.of(panel, _of_mean(tastes))
        if panels is None:
            return Power(Line("power_nothing"))
        width = panels.half_width()
        return Power(Line("power_one_system", {"width": _rounded(width, points), "scale": scale}), numbers={"half_width": width})
    left = LEFT_OF_GAP if scale == 5 else 1.0
    values = {"listeners": plan.listeners, "texts": len(plan.texts), "scale": scale}
    panels = SimulatedPanels.of(panel, tastes)
    gap = panels.noticed() / left if panels else math.inf
    most = LARGEST_GAP * MOST_MARGIN[plan.method]
    if panels is None or gap > most:
        return Power(Line("power_ratings_beyond", values), numbers={"gap": gap})

    def larger_gap(larger: Panel) -> dict[str, object] | None:
        found = SimulatedPanels.of(larger, tastes)
        gap = found.noticed() / left if found else math.inf
        return {"gap": _rounded(gap, points)} if gap <= most else None

    width = panels.half_width()
    more = [Line("power_ratings_width", {"width": _rounded(width, points)}), *_more(_larger(panel), "power_ratings_more", larger_gap)]
    more += _equal_lines(plan, panels)
    key = "power_cmos" if plan.method == "cmos" else "power_ratings"
    return Power(Line(key, {**values, "gap": _rounded(gap, points)}), tuple(more), {"gap": gap, "half_width": width})


def _of_mean(tastes: Tastes) -> Tastes:
    """Of one system alone: what listeners and texts differ by is not taken away."""
    listener, text = tastes.listener + tastes.listener_system, tastes.text + tastes.text_system
    return replace(tastes, listener_system=listener, text_system=text)


def _equal_lines(plan: Plan, panels: SimulatedPanels | None) -> list[Line]:
    return [_equal_line(panels.equal(plan.margin), plan)] if panels and plan.margin is not None else []


def _equal_line(power: float, plan: Plan) -> Line:
    return Line("power_equal", {"margin": plan.margin, "power": _percent(power)})


def _scale(method: Method) -> tuple[int, float]:
    """What its points are of, and how many of them are one of 1 to 5."""
    if method == "cmos":
        return 3, 1.0
    return (5, 1.0) if method in ("mos", "smos") else (100, MUSHRA_POINTS)


def _rounded(value: float, points: float) -> float:
    """Up to a twentieth of 1 to 5, or to whole points of 100."""
    return math.ceil(value) if points == MUSHRA_POINTS else round(math.ceil(20 * value) / 20, 2)


def _percent(share: float) -> int:
    """1 to 99: nothing is certain."""
    return min(max(round(100 * share), 1), 99)
