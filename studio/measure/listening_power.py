"""Promises of plans beside what is found, simulated vote by vote: `python -m studio.measure.listening_power [--panels 1000] [--parts 0]`.

A rating is worth + listener + text + (listener x system) + (text x system) + rest, rounded to 1 to 5; of pairs the difference of two such
sums is rounded, or its sign is a vote. The first system is better than the last; others stand in the middle. Panels are judged by an
analysis of variance of their own, written apart from studio/listening/: of complete designs that is what REML comes to. Of parts REML
itself is fitted.
"""

import argparse
import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from scipy.special import bdtrc, stdtr, stdtrit

from studio.listening.planning.panel import Panel, SimulatedPanels
from studio.listening.planning.planned_power import LEFT_OF_GAP, preference_found, right_answers_power, tastes_at
from studio.listening.planning.tastes import LISTENER_SD, REST_SD, ROUNDING, TEXT_SD, Tastes

__all__ = ["differences", "fitted", "judged", "ratings"]

SIZES = ((5, 10), (10, 10), (10, 20), (20, 20), (30, 20))  # listeners x texts
SYSTEMS = (2, 3, 5)
TASTES = (0.0, 0.15, 0.25, 0.5)  # SDs, of listener x system and of text x system
PARTS = ((20, 20, 10), (40, 20, 6), (60, 20, 4))  # listeners, texts, questions for each
WORST = 3.4  # on the scale of 1 to 5
MARGIN = 0.4
ALPHA = 0.05
NORMAL = NormalDist()
Judged = tuple[float, float]  # SD of a difference, degrees of freedom


def ratings(shape: tuple[int, int, int], gap: float, taste: float, rng: np.random.Generator) -> np.ndarray:
    """(S, L, T) float64, of 1 to 5. shape: S, L, T."""
    n_systems, listeners, texts = shape
    worth = np.full((n_systems, 1, 1), WORST + gap / 2)
    worth[0], worth[-1] = WORST + gap, WORST
    shared = rng.normal(0, LISTENER_SD, (1, listeners, 1)) + rng.normal(0, TEXT_SD, (1, 1, texts))
    tastes = rng.normal(0, taste, (n_systems, listeners, 1)) + rng.normal(0, taste, (n_systems, 1, texts))
    return np.clip(np.round(worth + shared + tastes + rng.normal(0, REST_SD, shape)), 1, 5)


def differences(size: tuple[int, int], gap: float, taste: float, rng: np.random.Generator) -> np.ndarray:
    """(1, L, T) float64: by how much one of two sounds better, before anybody rounds."""
    tastes = rng.normal(0, taste * 2**0.5, (size[0], 1)) + rng.normal(0, taste * 2**0.5, (1, size[1]))
    return (gap + tastes + rng.normal(0, REST_SD * 2**0.5, size))[None]


def judged(votes: np.ndarray) -> Judged:
    """Of complete votes (S, L, T); of one system (or pair) alone, of its mean."""
    n_systems, listeners, texts = votes.shape
    contrasts, of_two = max(n_systems - 1, 1), 2 if n_systems > 1 else 1
    whole = votes.mean(axis=0, keepdims=True) if n_systems > 1 else np.zeros((1, listeners, texts))
    sums = _sums_of_squares(votes - whole)
    dfs = [(listeners - 1) * contrasts, (texts - 1) * contrasts, (listeners - 1) * (texts - 1) * contrasts]
    if n_systems > 1:  # listener x text is no part of the model: it is rest
        sums[2] += n_systems * _sums_of_squares(whole)[2]
        dfs[2] += (listeners - 1) * (texts - 1)
    shown = []
    for factor in sorted((0, 1), key=lambda factor: sums[factor] / dfs[factor]):
        if sums[factor] * dfs[2] > sums[2] * dfs[factor]:
            shown.append((sums[factor] / dfs[factor], dfs[factor]))
        else:
            sums[2], dfs[2] = sums[2] + sums[factor], dfs[2] + dfs[factor]
    parts = shown if len(shown) == 1 else [*shown, ((1 - len(shown)) * sums[2] / dfs[2], dfs[2])]
    variance = sum(part for part, _ in parts)
    df = variance**2 / max(sum(part**2 / df for part, df in parts), 1e-12)
    return (max(variance, 1e-9) * of_two / (listeners * texts)) ** 0.5, max(df, 1.0)


def _sums_of_squares(cells: np.ndarray) -> list[float]:
    """Of listeners, of texts and of the rest, summed over the first axis. cells: (K, L, T)."""
    _, listeners, texts = cells.shape
    of_listeners, of_texts = cells.mean(axis=2, keepdims=True), cells.mean(axis=1, keepdims=True)
    mean = cells.mean(axis=(1, 2), keepdims=True)
    rest = ((cells - of_listeners - of_texts + mean) ** 2).sum()
    return [float(texts * ((of_listeners - mean) ** 2).sum()), float(listeners * ((of_texts - mean) ** 2).sum()), float(rest)]


def _is_noticed(means: np.ndarray, error: Judged) -> bool:
    """Whether the first is called better than the last, with all pairs counted (Holm). means: (S,)."""
    gaps = np.array([one - other for one, other in itertools.combinations(means, 2)])
    ps = 2 * stdtr(error[1], -np.abs(gaps) / error[0])
    asked = len(means) - 2  # the place of (first, last) among all pairs
    for rank, pair in enumerate(np.argsort(ps)):
        if ps[pair] >= ALPHA / (len(ps) - rank):
            return False
        if pair == asked:
            return bool(gaps[pair] > 0)
    return False


def _is_equal(difference: float, error: Judged, margin: float) -> bool:
    return bool(abs(difference) + stdtrit(error[1], 1 - ALPHA) * error[0] < margin)


def of_ratings(n_panels: int, rng: np.random.Generator) -> Iterator[str]:
    yield "MOS: the gap promised at 80 %, and how often it is found; half widths; of equal systems called equal within .4"
    for taste, n_systems, (listeners, texts) in itertools.product(TASTES, SYSTEMS, SIZES):
        panel = Panel(listeners, texts, texts, n_systems, math.comb(n_systems, 2), n_systems)
        panels = SimulatedPanels.of(panel, _tastes_of_ratings(taste))
        assert panels is not None
        gap, found, widths, equal = panels.noticed() / LEFT_OF_GAP, 0, [], 0
        for _ in range(n_panels):
            votes = ratings((n_systems, listeners, texts), gap, taste, rng)
            error = judged(votes)
            widths.append(stdtrit(error[1], 1 - ALPHA / 2) * error[0])
            found += _is_noticed(votes.mean(axis=(1, 2)), error)
            alike = ratings((n_systems, listeners, texts), 0.0, taste, rng)
            means = alike.mean(axis=(1, 2))
            equal += _is_equal(means[0] - means[-1], judged(alike), MARGIN)
        at_first = f"{100 * panels.power(0.24 * LEFT_OF_GAP):.0f}"
        yield (
            f"  tastes {taste:<5} {n_systems} systems {listeners:>3} x {texts}  gap {gap:5.2f} found {100 * found / n_panels:5.1f} %"
            f"   width {panels.half_width():.2f} found {np.mean(widths):.2f}"
            f"   equal {100 * panels.equal(MARGIN):3.0f} % found {100 * equal / n_panels:3.0f} %   (a gap of .24: {at_first} %)"
        )


def of_pairs(n_panels: int, rng: np.random.Generator) -> Iterator[str]:
    yield "Pairs: CMOS, the gap at 80 %; AB, the preference of so many in 100; ABX of 5 listeners and 4 texts, how often chance is out"
    for taste, size in itertools.product(TASTES, SIZES):
        panel = Panel(*size, size[1], 1)
        yield f"  tastes {taste:<5} {size[0]:>3} x {size[1]}" + "".join(
            f"   {of_kind(panel, taste, n_panels, rng)}" for of_kind in (_of_cmos, _of_ab, _of_abx)
        )


def _of_cmos(panel: Panel, taste: float, n_panels: int, rng: np.random.Generator) -> str:
    panels = SimulatedPanels.of(panel, Tastes(0, 0, 2 * taste**2, 2 * taste**2, 2 * REST_SD**2 + ROUNDING))
    assert panels is not None
    size, gap = (panel.listeners, panel.texts), panels.noticed()
    found = _share(n_panels, lambda: _leans(np.clip(np.round(differences(size, gap, taste, rng)), -3, 3)))
    return f"CMOS {gap:.2f} found {found:.0f} %"


def _of_ab(panel: Panel, taste: float, n_panels: int, rng: np.random.Generator) -> str:
    tastes = _tastes_of_votes(taste)
    percent = preference_found(panel, tastes)
    if percent is None:
        return "AB none"
    size, gap = (panel.listeners, panel.texts), _gap_of(percent / 100, taste)
    promised = SimulatedPanels.of(panel, tastes_at(tastes, percent / 100))
    assert promised is not None
    found = _share(n_panels, lambda: _leans((differences(size, gap, taste, rng) > 0) - 0.5))
    return f"AB {percent} ({100 * promised.power(percent / 100 - 0.5):.0f} %) found {found:.0f} %"


def _of_abx(panel: Panel, taste: float, n_panels: int, rng: np.random.Generator) -> str:
    """Of four texts, asked again and again, or all is certain."""
    few = replace(panel, listeners=5, texts=4, votes=4.0 * panel.listeners / 5)
    n, size = int(few.n), (5, 4 * panel.listeners // 5)
    gap, needed = _gap_of(0.65, taste), next(right for right in range(n + 1) if bdtrc(right - 1, n, 0.5) <= ALPHA)
    found = _share(n_panels, lambda: (_repeated(size, gap, taste, rng) > 0).sum() >= needed)
    return f"ABX, {n} questions, 65 right: {100 * right_answers_power(few, _tastes_of_votes(taste), 0.65):.0f} % found {found:.0f} %"


def _repeated(size: tuple[int, int], gap: float, taste: float, rng: np.random.Generator) -> np.ndarray:
    """differences() of 4 texts that are asked again and again. size: listeners, questions of each."""
    texts = np.resize(rng.normal(0, taste * 2**0.5, 4), size[1])
    return gap + texts + rng.normal(0, taste * 2**0.5, (size[0], 1)) + rng.normal(0, REST_SD * 2**0.5, size)


def _tastes_of_ratings(taste: float) -> Tastes:
    """What is left of them after rounding to 1 to 5; of the rest as much as rounding adds."""
    listener, text, taste = ((LEFT_OF_GAP * sd) ** 2 for sd in (LISTENER_SD, TEXT_SD, taste))
    return Tastes(listener, text, taste, taste, (LEFT_OF_GAP * REST_SD) ** 2 + ROUNDING)


def _tastes_of_votes(taste: float) -> Tastes:
    """Of shares: two votes of one listener agree as signs of normal variables do (Sheppard 1899)."""
    variance = math.asin(taste**2 / (2 * taste**2 + REST_SD**2)) / (2 * math.pi)
    return Tastes(0, 0, variance, variance, 0.25 - 2 * variance)


def _gap_of(share: float, taste: float) -> float:
    """That this share of all votes is for."""
    return NORMAL.inv_cdf(share) * (2 * REST_SD**2 + 4 * taste**2) ** 0.5


def _leans(votes: np.ndarray) -> bool:
    """Whether votes (1, L, T) of one pair are called above 0."""
    error = judged(votes)
    return bool(votes.mean() / error[0] > stdtrit(error[1], 1 - ALPHA / 2))


def _share(n: int, is_found: Callable[[], object]) -> float:
    return 100 * sum(bool(is_found()) for _ in range(n)) / n


def of_parts(n_panels: int, rng: np.random.Generator) -> Iterator[str]:
    yield "MOS, 2 systems, each listener a part: the gap promised at 80 %, and how often REML finds it; half widths"
    for taste, (listeners, texts, asked) in itertools.product(TASTES[1:3], PARTS):
        panels = SimulatedPanels.of(Panel(listeners, texts, asked / 2, 2, 1, 2), _tastes_of_ratings(taste))
        assert panels is not None
        gap, found, widths = panels.noticed() / LEFT_OF_GAP, 0, []
        for _ in range(n_panels):
            votes = ratings((2, listeners, texts), gap, taste, rng)
            difference, (error, df) = fitted(votes, _dealt(listeners, texts, asked, rng))
            widths.append(stdtrit(df, 1 - ALPHA / 2) * error)
            found += difference > widths[-1]
        yield (
            f"  tastes {taste:<5} {listeners:>3} x {asked} of {texts} texts  gap {gap:.2f} found {100 * found / n_panels:.1f} %"
            f"   width {panels.half_width():.2f} found {np.mean(widths):.2f}"
        )


def _dealt(listeners: int, texts: int, asked: int, rng: np.random.Generator) -> np.ndarray:
    """(N, 3) int64: system, listener and text of each vote, of both systems as many, the texts that were asked least."""
    counts, rows = np.zeros((2, texts)), []
    for listener, system in itertools.product(range(listeners), range(2)):
        chosen = np.lexsort((rng.random(texts), counts[system]))[: asked // 2]
        counts[system, chosen] += 1
        rows += [(system, listener, text) for text in chosen]
    return np.array(rows)


def fitted(votes: np.ndarray, dealt: np.ndarray) -> tuple[float, Judged]:
    """(difference of the two systems, how sure) by REML, with Satterthwaite's degrees of freedom. votes: (2, L, T); dealt: (N, 3)."""
    from scipy.optimize import minimize

    system, listener, text = dealt.T
    y, x = votes[system, listener, text], np.stack([np.ones(len(system)), 0.5 - system], axis=1)
    kinds = [listener, text, 2 * listener + system, 2 * text + system, np.arange(len(system))]
    shares = [(kind[:, None] == kind[None]).astype(float) for kind in kinds]

    def solved(variances: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        inverse = np.linalg.inv(sum(variance * share for variance, share in zip(variances, shares, strict=True)))
        covariance = np.linalg.inv(x.T @ inverse @ x)
        return inverse, covariance, inverse - inverse @ x @ covariance @ x.T @ inverse

    def deviance(variances: np.ndarray) -> tuple[float, np.ndarray]:
        inverse, covariance, projection = solved(variances)
        left = projection @ y
        value = -np.linalg.slogdet(inverse)[1] - np.linalg.slogdet(covariance)[1] + y @ left
        return value, np.array([(projection * share).sum() - left @ share @ left for share in shares])

    least = [0.0] * 4 + [1e-3]
    best = minimize(deviance, [0.1, 0.1, 0.05, 0.05, 0.6], jac=True, bounds=[(low, None) for low in least], method="L-BFGS-B").x
    inverse, covariance, projection = solved(best)
    shown = [share for share, variance in zip(shares, best, strict=True) if variance > 1e-6]
    products = [projection @ share for share in shown]
    information = np.array([[(one * other.T).sum() / 2 for other in products] for one in products])
    leaning = inverse @ x @ covariance[:, 1]
    slopes = np.array([leaning @ share @ leaning for share in shown])
    variance = covariance[1, 1]
    df = 2 * variance**2 / (slopes @ np.linalg.solve(information, slopes))
    return float((covariance @ x.T @ inverse @ y)[1]), (float(variance**0.5), max(float(df), 1.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--panels", type=int, default=1000, help="simulated tests for each figure")
    parser.add_argument("--parts", type=int, default=0, help="simulated tests of parts for each figure; they take long")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began, rng = time.perf_counter(), np.random.default_rng(asked.seed)
    lines = itertools.chain(of_ratings(asked.panels, rng), of_pairs(asked.panels, rng), of_parts(asked.parts, rng) if asked.parts else ())
    for line in lines:
        print(line, flush=True)
    print(f"seed {asked.seed}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
