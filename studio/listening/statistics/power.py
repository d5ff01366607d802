"""Power: what a planned test can find out, before anybody listens. Exact for questions with two answers; a closed form for ratings.

A rating is thought to be what the system deserves + listener (SD 0.5) + text (0.35) + rest (0.75), rounded to 1 to 5. Of a difference of
two systems only the rest is left. Its range is that of the two-way bootstrap (Owen 2007, of a whole cube). The ranges of findings are
narrower where nothing but the rest is at work, about the same where listeners and texts differ with an SD of 0.15 in which system they
favor, and wider where they differ more (`studio/measure/listening_tests.py` prints both). Of preferences it is the power
that the sign test has with two thirds of the votes: findings ask for crossed effects beside it, and for more where tastes differ.
"""

import math
from dataclasses import dataclass, field
from functools import cache

from studio.listening.plan.plan import PAGES, PAIRED, Method, Plan
from studio.listening.statistics.findings import Line
from studio.listening.statistics.proportions import critical_one_sided, critical_two_sided
from studio.listening.statistics.strengths import STEADY_VOTES

__all__ = [
    "Power",
    "ab_power",
    "abx_power",
    "power_of",
    "preference_power",
    "rating_gap",
    "rating_half_width",
    "rating_power",
    "votes_needed",
]

LISTENER_SD, TEXT_SD, REST_SD = 0.5, 0.35, 0.75  # on a scale of 1 to 5
# Of a true gap so much is left after rounding to 1 to 5, at a mean of 3.7: the sum over k = 1 to 4 of phi((k + 0.5 - 3.7) / s) / s, where s
# is the SD of a rating, 0.967. CMOS has ends that are further away.
LEFT_OF_GAP = 0.92
MUSHRA_POINTS = 25  # of 100, for one of 1 to 5
QUANTILE, EIGHTY = 1.959964, 0.841621  # of the normal distribution at 0.975 and at 0.8
CLEAR = 0.75  # a difference that is heard 3 times in 4
WANTED = 0.8
# Of votes, what findings make of them: with crossed effects beside it, a sign test finds as much as alone with so many, where nobody has
# tastes. 600 tests each: of 75 to 25, 5 x 7 votes find it in 67 % (promised 65), 5 x 10 in 84 (82), 3 x 20, whose listeners are few, in
# 73 (90); of 65 to 35, 10 x 10 in 72 (65), 8 x 20 in 90 (86).
CONFIRMED = 2 / 3
SHARES = (75, 70, 65, 60, 55)  # of preferences
FEW_TEXTS = 10
IN_A_ROW = 10  # counts of votes that all reach the power wanted, since exact power saws up and down with their parity
MOST_VOTES = 1500
LARGEST_GAP = 3.0  # of 1 to 5; beyond, a scale has no room


@dataclass(frozen=True)
class Power:
    """line: the sentence; more: others beside it; numbers: what they are made of, unrounded."""

    line: Line
    more: tuple[Line, ...] = ()
    numbers: dict[str, float] = field(default_factory=dict)


def power_of(plan: Plan) -> Power:
    """In words. A plan that lacks systems or texts has nothing to tell yet."""
    n_systems, cells = len(plan.systems), plan.listeners * len(plan.texts) * plan.repeats
    if not cells or n_systems < (2 if plan.method in PAIRED else 1):
        return Power(Line("power_nothing"))
    if plan.method == "abx":
        power = _of_abx(cells, plan.listeners)
    elif plan.method == "ab":
        power = _of_ab(cells, n_systems)
    else:
        power = _of_ratings(plan)
    more = list(power.more)
    n_pairs = n_systems * (n_systems - 1) // 2
    if n_pairs > 1:
        more.append(Line("power_several_pairs", {"n": n_pairs}))
    if plan.listeners == 1 and plan.method != "abx":
        more.append(Line("power_one_listener"))
    if len(plan.texts) < FEW_TEXTS and plan.method != "abx":
        more.append(Line("power_few_texts", {"least": FEW_TEXTS}))
    return Power(power.line, tuple(more), power.numbers)


def abx_power(n: int, share: float, alpha: float = 0.05) -> float:
    """Of n questions, of which each is answered right with probability `share`: how often chance is ruled out, one-sided."""
    from scipy.special import bdtrc

    needed = critical_one_sided(n, alpha)
    return float(bdtrc(needed - 1, n, share)) if needed else 0.0


def ab_power(n: int, share: float, alpha: float = 0.05) -> float:
    """Of n votes that prefer one with probability `share`: how often the sign test, two-sided, says so."""
    from scipy.special import bdtr, bdtrc

    needed = critical_two_sided(n, alpha)
    return float(bdtrc(needed - 1, n, share) + bdtr(n - needed, n, share)) if needed else 0.0


def preference_power(n: int, share: float) -> float:
    """Of n votes that prefer one with probability `share`, over several listeners and texts: about how often findings say so."""
    return ab_power(int(CONFIRMED * n), share)


@cache
def votes_needed(percent: int) -> int:
    """From which on a sign test finds a preference of that many in 100 at 80 %: the first of IN_A_ROW counts that all reach it."""
    import numpy as np
    from scipy.special import bdtr, bdtrik

    n = np.arange(1, MOST_VOTES + 1)
    losses = np.floor(bdtrik(0.025, n, 0.5))  # the most that still make a majority of the rest
    losses = np.where(bdtr(np.maximum(losses, 0), n, 0.5) > 0.025, losses - 1, losses)
    possible = losses >= 0
    share, losses = percent / 100, np.maximum(losses, 0)
    reached = possible & (bdtr(losses, n, 1 - share) + bdtr(losses, n, share) >= WANTED)
    in_a_row = np.convolve(reached, np.ones(IN_A_ROW, int), "valid") == IN_A_ROW
    return int(n[np.argmax(in_a_row)])


def _is_found(n: int, percent: int) -> bool:
    """By n votes, and by the next few counts too."""
    return all(preference_power(count, percent / 100) >= WANTED for count in range(n, n + IN_A_ROW))


def rating_half_width(listeners: int, texts: int, repeats: int = 1) -> float:
    """Of the 95 % range of a difference of two means, in points of 1 to 5. inf for a single rating."""
    n = listeners * texts
    if n < 2:
        return float("inf")
    from scipy.special import stdtrit

    over_listeners, over_texts = (listeners - 1) / listeners, (texts - 1) / texts
    times = over_listeners + over_texts + over_listeners * over_texts
    of_few = float(stdtrit(n - 1, 0.975))  # what any range needs, with one listener or one text
    return _deviation(n * repeats) * max(QUANTILE * times**0.5, of_few)


def rating_power(listeners: int, texts: int, gap: float, repeats: int = 1) -> float:
    """How often a true gap, in points of 1 to 5, is noticed."""
    from scipy.special import ndtr

    deviation = _deviation(listeners * texts * repeats)
    return float(ndtr((LEFT_OF_GAP * gap - rating_half_width(listeners, texts, repeats)) / deviation))


def rating_gap(listeners: int, texts: int, repeats: int = 1) -> float:
    """The true gap, in points of 1 to 5, that is noticed 80 % of the time."""
    return (rating_half_width(listeners, texts, repeats) + EIGHTY * _deviation(listeners * texts * repeats)) / LEFT_OF_GAP


def _deviation(n: int) -> float:
    """Of the mean of n differences."""
    return REST_SD * (2 / n) ** 0.5


def _of_abx(n: int, listeners: int) -> Power:
    needed = critical_one_sided(n)
    if needed is None:
        return Power(Line("power_abx_too_few", {"n": n}))
    numbers = {f"power_{percent}": abx_power(n, percent / 100) for percent in (65, 75, 85)}
    more = [Line("power_abx_others", {"power_65": _percent(numbers["power_65"]), "power_85": _percent(numbers["power_85"])})]
    if listeners == 1:
        numbers["power_75_of_5"] = abx_power(5 * n, CLEAR)
        more.append(Line("power_abx_five", {"listeners": 5, "power": _percent(numbers["power_75_of_5"])}))
    line = Line("power_abx", {"n": n, "power": _percent(numbers["power_75"]), "needed": needed})
    return Power(line, tuple(more), {"n": n, "needed": needed, **numbers})


def _of_ab(n: int, n_systems: int) -> Power:
    if critical_two_sided(n) is None:
        return Power(Line("power_ab_too_few", {"n": n}))
    found = next((percent for percent in range(51, 100) if _is_found(n, percent)), None)
    needed = {f"n_{percent}": math.ceil(votes_needed(percent) / CONFIRMED) for percent in SHARES}
    more = [Line("power_ab_needed", needed)]
    if n_systems > 2 and n < STEADY_VOTES:
        more.append(Line("power_votes_per_pair", {"least": STEADY_VOTES, "n": n}))
    line = Line("power_ab", {"n": n, "percent": found, "rest": 100 - found}) if found else Line("power_ab_beyond", {"n": n})
    return Power(line, tuple(more), {"n": n, "share": (found or 100) / 100, **needed})


def _of_ratings(plan: Plan) -> Power:
    listeners, texts, repeats = plan.listeners, len(plan.texts), plan.repeats
    scale, points = _scale(plan.method)
    if len(plan.systems) == 1:
        mean = LISTENER_SD**2 / listeners + TEXT_SD**2 / texts + REST_SD**2 / (listeners * texts * repeats)
        width = QUANTILE * mean**0.5 * points
        return Power(Line("power_one_system", {"width": _rounded(width, points), "scale": scale}), numbers={"half_width": width})
    gap, width = (value(listeners, texts, repeats) * points for value in (rating_gap, rating_half_width))
    numbers = {"gap": gap, "half_width": width}
    values = {"listeners": listeners, "texts": texts, "scale": scale}
    if gap > LARGEST_GAP * points:
        return Power(Line("power_ratings_beyond", values), numbers=numbers)
    more = [Line("power_ratings_width", {"width": _rounded(width, points)})]
    if (listeners, texts) != (20, 20):
        more.append(Line("power_ratings_more", {"listeners": 20, "texts": 20, "gap": _rounded(rating_gap(20, 20) * points, points)}))
    key = "power_cmos" if plan.method in ("cmos", "ccr") else "power_ratings"
    return Power(Line(key, {**values, "gap": _rounded(gap, points)}), tuple(more), numbers)


def _scale(method: Method) -> tuple[int, float]:
    """What its points are of, and how many of them are one of 1 to 5; of CMOS one is one, and more of a gap is left."""
    if method in ("cmos", "ccr"):
        return 3, LEFT_OF_GAP
    return (5, 1.0) if method not in PAGES else (100, MUSHRA_POINTS)


def _rounded(value: float, points: float) -> float:
    """Up to a twentieth of 1 to 5, or to whole points of 100."""
    return math.ceil(value) if points == MUSHRA_POINTS else round(math.ceil(20 * value) / 20, 2)


def _percent(share: float) -> int:
    """1 to 99: nothing is certain."""
    return min(max(round(100 * share), 1), 99)
