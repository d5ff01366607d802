"""Planned power: what a plan can find out, in words, with listeners and texts that differ in taste."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from studio.crossed.together import Family
from studio.listening.plan.plan import MOST_LISTENERS, MOST_MARGIN, MOST_TEXTS, PAGES, PAIRED, REFERRED, Plan
from studio.listening.plan.questions import gold_texts, question_count, subjects_of
from studio.listening.planning.panel import Panel, SimulatedPanels
from studio.listening.planning.shares import SharePower
from studio.listening.planning.tastes import MUSHRA_POINTS, NAMES, Tastes, usual_tastes
from studio.listening.statistics.power import CLEAR
from studio.listening.statistics.proportions import critical_one_sided
from studio.listening.statistics.strengths import STEADY_VOTES
from studio.words.line import Line

__all__ = ["LEFT_OF_GAP", "Power", "panel_of", "power_of"]

# Of a true gap so much is left after rounding to 1 to 5, at a mean of 3.7: the sum over k = 1 to 4 of phi((k + 0.5 - 3.7) / s) / s, where s
# is the SD of a rating, 0.967. CMOS and MUSHRA have ends that are further away.
LEFT_OF_GAP = 0.92
FEW_TEXTS = 10
MOST_PERCENT = 99  # nothing is certain
LARGEST_GAP = 0.75  # of what systems may differ by at most; beyond, a scale has no room
LEAST_LARGER = 5  # listeners, and texts, of a larger panel that is told of beside one of two to four


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
    tastes = _on_scale(plan, tastes or usual_tastes(plan.method))
    power = {"abx": _of_abx, "ab": _of_ab}.get(plan.method, _of_ratings)(plan, panel, tastes)
    more = [_tastes_line(tastes), *power.more] if power.numbers else list(power.more)
    if panel.family.n_pairs > 1:
        more.append(Line("power_several_pairs", {"n": panel.family.n_pairs}))
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
    asked = plan.questions_per_listener
    votes = len(plan.texts) * plan.repeats * (min(asked, all_questions) / all_questions if asked else 1.0)
    subjects = subjects_of(plan)
    n_systems = sum(role == "system" for role, _ in subjects)
    family = Family.of_all(n_systems)
    if plan.method == "abx":
        return Panel(plan.listeners, len(plan.texts), votes, 2, is_paired=True, family=Family(family.n_pairs))
    if plan.method in PAIRED:
        return Panel(plan.listeners, len(plan.texts), votes, n_systems, is_paired=True, family=family)
    if plan.method in REFERRED:  # each system against the reference
        return Panel(plan.listeners, len(plan.texts), votes, 2, is_paired=True, family=Family(n_systems))
    n_subjects = 1 if plan.method in PAGES else len(subjects)
    return Panel(plan.listeners, len(plan.texts), votes, n_systems, n_subjects=n_subjects, family=family)


def _on_scale(plan: Plan, tastes: Tastes) -> Tastes:
    """Of a scale of one's own: usual tastes are those of 1 to 5."""
    if not plan.scales or tastes.n_tests:
        return tastes
    return replace(tastes, **{name: getattr(tastes, name) * _scale(plan)[1] ** 2 for name in NAMES})


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
    found = SharePower(panel, tastes, is_guessed=True)
    n, needed = int(panel.n), critical_one_sided(int(panel.n), found.alpha)
    if needed is None:
        return Power(Line("power_abx_too_few", {"n": n, "least": found.least}))
    numbers = {f"power_{percent}": found.power(percent / 100) for percent in (65, 75, 85)}
    more = [Line("power_abx_others", {"power_65": _percent(numbers["power_65"]), "power_85": _percent(numbers["power_85"])})]
    if _percent(numbers["power_75"]) < MOST_PERCENT:
        larger = _larger(panel, least=1)
        more += _more(larger, "power_abx_more", lambda panel: {"power": _percent(replace(found, panel=panel).power(CLEAR))})
    more += _equal_lines(plan, found)
    return Power(Line("power_abx", {"n": n, "power": _percent(numbers["power_75"]), "needed": needed}), tuple(more), {"n": n, **numbers})


def _of_ab(plan: Plan, panel: Panel, tastes: Tastes) -> Power:
    found, n = SharePower(panel, tastes), int(panel.n)
    if n < found.least:
        return Power(Line("power_ab_too_few", {"n": n, "least": found.least}))
    share = found.noticed()
    more = _more(_larger(panel), "power_ab_more", lambda larger: _preference(SharePower(larger, tastes).noticed()))
    more += _equal_lines(plan, found)
    if panel.family.n_pairs > 1 and n < STEADY_VOTES:
        more.append(Line("power_votes_per_pair", {"least": STEADY_VOTES, "n": n}))
    line = Line("power_ab", {"n": n, **values}) if (values := _preference(share)) else Line("power_ab_beyond", {"n": n})
    return Power(line, tuple(more), {"n": n, "share": (share or 100) / 100})


def _preference(percent: int | None) -> dict[str, object] | None:
    return {"percent": percent, "rest": 100 - percent} if percent else None


def _of_ratings(plan: Plan, panel: Panel, tastes: Tastes) -> Power:
    scale, points = _scale(plan)
    if panel.n_systems == 1 and plan.method not in (*PAIRED, *REFERRED):
        panels = SimulatedPanels.of(panel, _of_mean(tastes))
        if panels is None:
            return Power(Line("power_nothing"))
        width = panels.half_width()
        return Power(Line("power_one_system", {"width": _rounded(width, points), "scale": scale}), numbers={"half_width": width})
    left = LEFT_OF_GAP if scale == 5 else 1.0
    values = {"listeners": plan.listeners, "texts": len(plan.texts), "scale": scale}
    panels = SimulatedPanels.of(panel, tastes)
    gap = panels.noticed() / left if panels else math.inf
    most = LARGEST_GAP * (scale - 1 if plan.scales else MOST_MARGIN[plan.method])
    if panels is None or gap > most:
        return Power(Line("power_ratings_beyond", values), numbers={"gap": gap})

    def larger_gap(larger: Panel) -> dict[str, object] | None:
        found = SimulatedPanels.of(larger, tastes)
        gap = found.noticed() / left if found else math.inf
        return {"gap": _rounded(gap, points)} if gap <= most else None

    width = panels.half_width()
    more = [Line("power_ratings_width", {"width": _rounded(width, points)}), *_more(_larger(panel), "power_ratings_more", larger_gap)]
    more += _equal_lines(plan, panels)
    key = "power_cmos" if plan.method in ("cmos", "ccr") else "power_ratings"
    return Power(Line(key, {**values, "gap": _rounded(gap, points)}), tuple(more), {"gap": gap, "half_width": width})


def _of_mean(tastes: Tastes) -> Tastes:
    """Of one system alone: what listeners and texts differ by is not taken away."""
    listener, text = tastes.listener + tastes.listener_system, tastes.text + tastes.text_system
    return replace(tastes, listener_system=listener, text_system=text)


def _equal_lines(plan: Plan, found: SimulatedPanels | SharePower) -> list[Line]:
    if plan.margin is None:
        return []
    return [Line("power_equal", {"margin": plan.margin, "power": _percent(found.equal(plan.margin))})]


def _scale(plan: Plan) -> tuple[int, float]:
    """What its points are of, and how many of them are one of 1 to 5."""
    if plan.method in ("cmos", "ccr"):
        return 3, 1.0
    if plan.method in PAGES:
        return 100, MUSHRA_POINTS
    n_points = plan.scales[0].n_points if plan.scales else 5
    return n_points, (n_points - 1) / 4


def _rounded(value: float, points: float) -> float:
    """Up to a twentieth of 1 to 5, or to whole points of 100."""
    return math.ceil(value) if points == MUSHRA_POINTS else round(math.ceil(20 * value) / 20, 2)


def _percent(share: float) -> int:
    """From 1 on."""
    return min(max(round(100 * share), 1), MOST_PERCENT)
