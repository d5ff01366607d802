"""Promises of plans beside what is found, simulated vote by vote: `python -m studio.measure.listening_power [--findings 200]`.

A rating is worth + listener + text + (listener x system) + (text x system) + rest, rounded to 1 to 5; of pairs the difference of two such
sums is rounded, or its sign is a vote. The first system is better than the last; others stand in the middle. Panels are judged by an
analysis of variance of their own, which of complete designs is what the model comes to. With --findings, by `findings_of`, parts too.
"""

import argparse
import itertools
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import NormalDist

import numpy as np
from scipy.special import fdtri, stdtr, stdtrit

from studio.crossed.crossed_model import Contrast
from studio.crossed.ranges import judged_share
from studio.crossed.together import ALPHA, Family
from studio.listening.plan.plan import Method
from studio.listening.planning.panel import Panel, SimulatedPanels
from studio.listening.planning.planned_power import LEFT_OF_GAP
from studio.listening.planning.shares import SharePower
from studio.listening.planning.tastes import LISTENER_SD, REST_SD, ROUNDING, TEXT_SD, Tastes
from studio.listening.statistics.analysis import findings_of
from studio.listening.vote.vote import Vote

__all__ = ["differences", "judged", "ratings"]

SIZES = ((5, 10), (10, 10), (10, 20), (20, 20), (30, 20))  # listeners x texts
SYSTEMS = (2, 3, 5)
TASTES = (0.0, 0.15, 0.25, 0.5)  # SDs, of listener x system and of text x system
Case = tuple[Method, int, int, int, int]  # systems, listeners, texts, votes of each listener on each system (or pair)
JUDGED: tuple[Case, ...] = (
    ("mos", 2, 20, 20, 20),
    ("mos", 3, 10, 10, 10),
    ("mos", 2, 40, 20, 4),
    ("cmos", 2, 10, 10, 10),
    ("cmos", 3, 10, 10, 10),
    ("ab", 2, 10, 10, 10),
    ("ab", 3, 10, 10, 10),
    ("ab", 2, 40, 20, 4),
    ("abx", 2, 10, 4, 4),
)
WORST = 3.4  # on the scale of 1 to 5
MARGIN = 0.4
RIGHT = 0.7  # of right answers
NORMAL = NormalDist()


def ratings(shape: tuple[int, int, int], gap: float, taste: float, rng: np.random.Generator) -> np.ndarray:
    """(S, L, T) float64, of 1 to 5. shape: S, L, T."""
    n_systems, listeners, texts = shape
    shared = rng.normal(0, LISTENER_SD, (1, listeners, 1)) + rng.normal(0, TEXT_SD, (1, 1, texts))
    tastes = rng.normal(0, taste, (n_systems, listeners, 1)) + rng.normal(0, taste, (n_systems, 1, texts))
    return np.clip(np.round(_worth(n_systems, gap) + shared + tastes + rng.normal(0, REST_SD, shape)), 1, 5)


def differences(shape: tuple[int, int, int], gap: float, taste: float, rng: np.random.Generator) -> np.ndarray:
    """(P, L, T) float64: by how much the first of each two systems sounds better, before anybody rounds."""
    n_systems, listeners, texts = shape
    liked = _worth(n_systems, gap) + rng.normal(0, taste, (n_systems, listeners, 1)) + rng.normal(0, taste, (n_systems, 1, texts))
    pairs = [liked[one] - liked[other] for one, other in itertools.combinations(range(n_systems), 2)]
    return np.stack(pairs) + rng.normal(0, REST_SD * 2**0.5, (len(pairs), listeners, texts))


def _worth(n_systems: int, gap: float) -> np.ndarray:
    worth = np.full((n_systems, 1, 1), WORST + gap / 2)
    worth[0], worth[-1] = WORST + gap, WORST
    return worth


def judged(votes: np.ndarray) -> Contrast:
    """Of complete votes (S, L, T) the first system less the last; of one system (or pair) alone its mean."""
    n_systems, listeners, texts = votes.shape
    contrasts, of_two = max(n_systems - 1, 1), 2 if n_systems > 1 else 1
    whole = votes.mean(axis=0, keepdims=True) if n_systems > 1 else np.zeros((1, listeners, texts))
    sums = _sums_of_squares(votes - whole)
    dfs = [(listeners - 1) * contrasts, (texts - 1) * contrasts, (listeners - 1) * (texts - 1) * contrasts]
    if n_systems > 1:  # listener x text is no part of the model: it is rest
        sums[2] += n_systems * _sums_of_squares(whole)[2]
        dfs[2] += (listeners - 1) * (texts - 1)
    shown = []
    for factor in sorted((0, 1), key=lambda factor: sums[factor] / dfs[factor] / fdtri(dfs[factor], dfs[2], 0.75)):
        if sums[factor] * dfs[2] > sums[2] * dfs[factor] * fdtri(dfs[factor], dfs[2], 0.75):
            shown.append((sums[factor] / dfs[factor], dfs[factor]))
        else:
            sums[2], dfs[2] = sums[2] + sums[factor], dfs[2] + dfs[factor]
    parts = shown if len(shown) == 1 else [*shown, ((1 - len(shown)) * sums[2] / dfs[2], dfs[2])]
    variance = max(sum(part for part, _ in parts), 1e-9)
    df = variance**2 / max(sum(part**2 / df for part, df in parts), 1e-12)
    means = votes.mean(axis=(1, 2))
    estimate = means[0] - means[-1] if n_systems > 1 else means[0]
    return Contrast(float(estimate), (variance * of_two / (listeners * texts)) ** 0.5, max(df, 1.0))


def _sums_of_squares(cells: np.ndarray) -> list[float]:
    """Of listeners, of texts and of the rest, summed over the first axis. cells: (K, L, T)."""
    _, listeners, texts = cells.shape
    of_listeners, of_texts = cells.mean(axis=2, keepdims=True), cells.mean(axis=1, keepdims=True)
    mean = cells.mean(axis=(1, 2), keepdims=True)
    rest = ((cells - of_listeners - of_texts + mean) ** 2).sum()
    return [float(texts * ((of_listeners - mean) ** 2).sum()), float(listeners * ((of_texts - mean) ** 2).sum()), float(rest)]


def _leans(found: Contrast, family: Family) -> bool:
    return found.estimate > 0 and family.p(float(2 * stdtr(found.df, -found.estimate / found.error))) < ALPHA


def of_ratings(n_panels: int, rng: np.random.Generator) -> Iterator[str]:
    yield "MOS: the gap promised at 80 %, and how often it is found; half widths; of equal systems called equal within .4"
    for taste, n_systems, (listeners, texts) in itertools.product(TASTES, SYSTEMS, SIZES):
        shape, family = (n_systems, listeners, texts), Family.of_all(n_systems)
        panels = _panels(Panel(listeners, texts, texts, n_systems, n_subjects=n_systems, family=family), _tastes_of_ratings(taste))
        gap, found, widths, equal = panels.noticed() / LEFT_OF_GAP, 0, [], 0
        for _ in range(n_panels):
            one, alike = judged(ratings(shape, gap, taste, rng)), judged(ratings(shape, 0.0, taste, rng))
            widths.append(stdtrit(one.df, 1 - ALPHA / 2) * one.error)
            found += _leans(one, family)
            equal += abs(alike.estimate) + stdtrit(alike.df, 1 - ALPHA / family.n_pairs) * alike.error < MARGIN
        yield (
            f"  tastes {taste:<5} {n_systems} systems {listeners:>3} x {texts}  gap {gap:5.2f} found {100 * found / n_panels:5.1f} %"
            f"   width {panels.half_width():.2f} found {np.mean(widths):.2f}"
            f"   equal {100 * panels.equal(MARGIN):3.0f} % found {100 * equal / n_panels:3.0f} %"
            f"   (a gap of .24: {100 * panels.power(0.24 * LEFT_OF_GAP):.0f} %)"
        )


def of_pairs(n_panels: int, rng: np.random.Generator) -> Iterator[str]:
    yield "Two systems: CMOS, the gap at 80 %; AB, the preference of so many in 100; ABX, how often 70 in 100 right are no chance"
    for taste, (listeners, texts) in itertools.product(TASTES, SIZES):
        panel, shape = Panel(listeners, texts, texts, 2, is_paired=True), (2, listeners, texts)
        gap = _panels(panel, _tastes_of_differences(taste)).noticed()
        cmos = _share(n_panels, partial(_is_better, shape, gap, taste, rng))
        preference, answers = SharePower(panel, _tastes_of_votes(taste)), SharePower(panel, _tastes_of_votes(taste), is_guessed=True)
        percent = preference.noticed() or 99
        ab = _share(n_panels, partial(_is_clear, shape, _gap_of(percent / 100, taste), taste, rng))
        abx = _share(n_panels, partial(_is_clear, shape, _gap_of(RIGHT, taste), taste, rng, of_chance=True))
        yield (
            f"  tastes {taste:<5} {listeners:>3} x {texts}   CMOS {gap:.2f} found {cmos:.0f} %"
            f"   AB {percent} ({100 * preference.power(percent / 100):.0f} %) found {ab:.0f} %"
            f"   ABX {100 * answers.power(RIGHT):.0f} % found {abx:.0f} %"
        )


def of_findings(n_panels: int, rng: np.random.Generator) -> Iterator[str]:
    yield "Judged by findings_of: what is promised, and how often the first system is called better (of ABX, heard)"
    for taste, case in itertools.product(TASTES[:3], JUDGED):
        method, n_systems, listeners, texts, votes = case
        family = Family.of_all(n_systems)
        panel = Panel(listeners, texts, votes, n_systems, method != "mos", 1 if method != "mos" else n_systems, family)
        promised, gap = _promise(method, panel, taste)
        found = _share(n_panels, partial(_is_called, case, gap, taste, rng))
        named = f"{method} {n_systems} systems {listeners} x {votes} of {texts}"
        yield f"  tastes {taste:<5} {named:<32} gap {gap:.2f} promised {100 * promised:.0f} % found {found:.0f} %"


def _promise(method: Method, panel: Panel, taste: float) -> tuple[float, float]:
    """The power, and the gap between worths that it is of."""
    if method in ("mos", "cmos"):
        panels = _panels(panel, _tastes_of_ratings(taste) if method == "mos" else _tastes_of_differences(taste))
        gap = panels.noticed()
        return panels.power(gap), gap / (LEFT_OF_GAP if method == "mos" else 1.0)
    found = SharePower(panel, _tastes_of_votes(taste), is_guessed=method == "abx")
    share = RIGHT if method == "abx" else (found.noticed() or 99) / 100
    return found.power(share), _gap_of(share, taste)


def _is_called(case: Case, gap: float, taste: float, rng: np.random.Generator) -> bool:
    """One panel, of whom each judges those texts of each system (or pair) that were judged least."""
    method, n_systems, listeners, texts, n_votes = case
    shape = n_systems, listeners, texts
    cells = ratings(shape, gap, taste, rng) if method == "mos" else differences(shape, gap, taste, rng)
    if method in ("ab", "abx"):
        cells = (cells > 0).astype(float)
    cells = _rounded(cells) if method == "cmos" else cells
    systems = "abcde"[:n_systems]
    names = [(name, "") for name in systems] if method == "mos" else list(itertools.combinations(systems, 2))
    counts, votes = np.zeros((len(cells), texts)), []
    for (kind, name), listener in itertools.product(enumerate(names), range(listeners)):
        chosen = np.lexsort((rng.random(texts), counts[kind]))[:n_votes]
        counts[kind, chosen] += 1
        votes += [Vote(method, f"L{listener}", 0, "item", f"t{text}", *name, float(cells[kind, listener, text])) for text in chosen]
    pairs = findings_of(method, votes, {}, {}).pairs
    pair = next(pair for pair in pairs if (pair.system, pair.other) == ("a", systems[-1]))
    return pair.is_clear and (pair.difference or (pair.share or 0.0) - 0.5) > 0


def _panels(panel: Panel, tastes: Tastes) -> SimulatedPanels:
    panels = SimulatedPanels.of(panel, tastes)
    assert panels is not None
    return panels


def _tastes_of_ratings(taste: float) -> Tastes:
    """What is left of them after rounding to 1 to 5; of the rest as much as rounding adds."""
    listener, text, own = ((LEFT_OF_GAP * sd) ** 2 for sd in (LISTENER_SD, TEXT_SD, taste))
    return Tastes(listener, text, own, own, (LEFT_OF_GAP * REST_SD) ** 2 + ROUNDING)


def _tastes_of_differences(taste: float) -> Tastes:
    return Tastes(0, 0, 2 * taste**2, 2 * taste**2, 2 * REST_SD**2 + ROUNDING)


def _tastes_of_votes(taste: float) -> Tastes:
    """Of shares: two votes of one listener agree as signs of normal variables do (Sheppard 1899)."""
    variance = math.asin(taste**2 / (2 * taste**2 + REST_SD**2)) / (2 * math.pi)
    return Tastes(0, 0, variance, variance, 0.25 - 2 * variance)


def _gap_of(share: float, taste: float) -> float:
    """That this share of all votes is for."""
    return NORMAL.inv_cdf(share) * (2 * REST_SD**2 + 4 * taste**2) ** 0.5


def _rounded(cells: np.ndarray) -> np.ndarray:
    return np.clip(np.round(cells), -3, 3)


def _is_better(shape: tuple[int, int, int], gap: float, taste: float, rng: np.random.Generator) -> bool:
    """Whether a panel of CMOS says so of the first of two systems."""
    return _leans(judged(_rounded(differences(shape, gap, taste, rng))), Family(1))


def _is_clear(shape: tuple[int, int, int], gap: float, taste: float, rng: np.random.Generator, *, of_chance: bool = False) -> bool:
    """Whether votes for one of two are clearly for the first."""
    votes = (differences(shape, gap, taste, rng) > 0).astype(float)
    found = judged_share(judged(votes), Family(1), votes.size, of_chance=of_chance)
    return found.is_clear and found.known > 0.5


def _share(n: int, is_found: Callable[[], object]) -> float:
    return 100 * sum(bool(is_found()) for _ in range(n)) / n


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--panels", type=int, default=1000, help="simulated tests for each figure")
    parser.add_argument("--findings", type=int, default=0, help="so many judged as the studio judges votes, which takes longer")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began, rng = time.perf_counter(), np.random.default_rng(asked.seed)
    grids = ((of_ratings, asked.panels), (of_pairs, asked.panels), (of_findings, asked.findings))
    for line in itertools.chain.from_iterable(grid(n_panels, rng) for grid, n_panels in grids if n_panels):
        print(line, flush=True)
    print(f"seed {asked.seed}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
