"""Trust in figures of listening tests, simulated: `python -m studio.measure.listening_tests [--panels 2000] [--seed 1]`.

Simulates panels of whom the truth is known, and prints how often 95 % ranges hold it (93 to 97 % is wanted), and how often a difference
is called that is none (5.5 % at most). What planning promises is beside this, in `listening_power.py`.
A rating is a system's worth + listener + text + (listener x system) + (text x system) + rest, where wanted rounded to 1 to 5.
"""

import argparse
import itertools
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from studio.listening.plan.plan import Method
from studio.listening.planning.tastes import LISTENER_SD, REST_SD, TEXT_SD
from studio.listening.statistics.analysis import findings_of
from studio.listening.statistics.bootstrap import percentile_interval, resampled_means
from studio.listening.statistics.permutation import sign_flip, wilcoxon
from studio.listening.statistics.proportions import critical_one_sided, one_sided, two_sided
from studio.listening.statistics.ranges import MeanRange, ranges_of
from studio.listening.vote.vote import Vote

__all__ = ["SCENES", "Scene", "coverage", "simulated"]

SIZES = ((5, 10), (8, 12), (10, 10), (10, 20), (15, 20), (20, 20), (30, 20))  # listeners x texts
N_RESAMPLES = 1000
AT_ONCE = 50  # panels
WORTH = 3.7  # of a system, on the scale of 1 to 5


@dataclass(frozen=True)
class Scene:
    """tastes: SDs of listener x system and of text x system. missing: share of cells. is_rounded: to 1 to 5."""

    name: str
    tastes: tuple[float, float] = (0.0, 0.0)
    missing: float = 0.0
    is_rounded: bool = False


SCENES = (
    Scene("alike in taste"),
    Scene("alike, rounded", is_rounded=True),
    Scene("tastes .15", (0.15, 0.15)),
    Scene("tastes .25", (0.25, 0.25)),
    Scene("tastes .25, rounded", (0.25, 0.25), is_rounded=True),
    Scene("listeners' tastes .5", (0.5, 0.0)),
    Scene("texts' tastes .35", (0.0, 0.35)),
    Scene("tastes .25, 30 % missing", (0.25, 0.25), missing=0.3),
)


def simulated(scene: Scene, shape: tuple[int, int, int], rng: np.random.Generator, gap: float = 0.0) -> np.ndarray:
    """(2, N, L, T) float64: of two systems, the first better by gap. shape: N, L, T."""
    n, listeners, texts = shape
    shared = rng.normal(0, LISTENER_SD, (1, n, listeners, 1)) + rng.normal(0, TEXT_SD, (1, n, 1, texts))
    tastes = rng.normal(0, 1, (2, n, listeners, 1)) * scene.tastes[0] + rng.normal(0, 1, (2, n, 1, texts)) * scene.tastes[1]
    worth = np.array([WORTH + gap, WORTH]).reshape(2, 1, 1, 1)
    ratings = worth + shared + tastes + rng.normal(0, REST_SD, (2, *shape))
    if scene.is_rounded:
        ratings = np.clip(np.round(ratings), 1, 5)
    ratings[:, rng.random(shape) < scene.missing] = np.nan
    return ratings


def coverage(scene: Scene, size: tuple[int, int], n_panels: int, rng: np.random.Generator) -> dict[str, float]:
    """Shares of panels whose range holds the truth, of a mean and of a difference: plain percentiles, and ours. width: ours, half."""
    truth = np.nanmean(simulated(scene, (4, 600, 600), rng)) if scene.is_rounded else WORTH
    step = 1.0 if scene.is_rounded else 0.0
    held: dict[str, float] = dict.fromkeys(("mean, plain", "mean", "difference, plain", "difference", "width"), 0.0)
    for _ in range(n_panels // AT_ONCE):
        one, other = simulated(scene, (AT_ONCE, *size), rng)
        for name, cells, true, of_scale in (("mean", one, truth, step), ("difference", one - other, 0.0, step * 2**0.5)):
            low, high = percentile_interval(resampled_means(cells, rng, N_RESAMPLES))
            held[f"{name}, plain"] += float(((low <= true) & (true <= high)).sum())
            ranges = ranges_of(cells, rng, step=of_scale, ends=(-9, 9), n_resamples=N_RESAMPLES)
            lows, highs = _ends_of(ranges)
            held[name] += float(((lows <= true) & (true <= highs)).sum())
        held["width"] += float((highs - lows).sum()) / 2
    return {name: value / (n_panels // AT_ONCE * AT_ONCE) for name, value in held.items()}


def _ends_of(ranges: Sequence[MeanRange]) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of each, float64; NaN where there is none."""
    low, high = np.array([(found.low, found.high) for found in ranges], np.float64).T
    return low, high


def _print_coverage(n_panels: int, rng: np.random.Generator) -> None:
    print(f"Ranges of 95 %: how often they hold the truth, of {n_panels} panels each (percentiles of the two-way bootstrap / ours)")
    print(f"{'':26}{'L x T':>8}{'mean':>16}{'difference':>16}{'half width':>12}")
    worst: dict[str, list[float]] = {}
    for scene, size in itertools.product(SCENES, SIZES):
        held = coverage(scene, size, n_panels, rng)
        for name, share in held.items():
            worst.setdefault(name, []).append(share)
        mean, difference = (f"{100 * held[f'{name}, plain']:.1f} / {100 * held[name]:.1f}" for name in ("mean", "difference"))
        print(f"{scene.name:26}{size[0]:>4} x {size[1]}{mean:>16}{difference:>16}{held['width']:>12.2f}", flush=True)
    for name in ("mean, plain", "mean", "difference, plain", "difference"):
        print(f"  {name}: {100 * min(worst[name]):.1f} to {100 * max(worst[name]):.1f} %")


def _wrong_tests(n: int, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """(test, share of false positives) where there is nothing to find."""
    for questions in (8, 16, 20, 32, 50):
        right = rng.binomial(questions, 0.5, 20 * n)
        yield f"ABX, {questions} questions", float(np.mean(right >= (critical_one_sided(questions) or math.inf)))
    p = {votes: np.array([two_sided(k, votes) for k in range(votes + 1)]) for votes in (35, 100)}
    for votes, of_count in p.items():
        yield f"AB, sign test, {votes} votes", float(np.mean(of_count[rng.binomial(votes, 0.5, 20 * n)] < 0.05))
    for scene, size in itertools.product((SCENES[1], SCENES[5]), ((6, 10), (10, 10), (20, 20))):
        one, other = simulated(scene, (n, *size), rng)
        cells = one - other
        yield f"sign-flip, {scene.name}, {size[0]} x {size[1]}", float(np.mean([sign_flip(panel, rng, 999) < 0.05 for panel in cells]))
        ps = [wilcoxon(panel.mean(axis=1)) for panel in cells]
        yield f"Wilcoxon, {scene.name}, {size[0]} x {size[1]}", float(np.mean([p is not None and p < 0.05 for p in ps]))


def _wrong_verdicts(n: int, rng: random.Random) -> Iterator[tuple[str, float]]:
    """(test, share of tests of systems that are alike in which any is called better or heard) by `findings_of`, from votes to words."""
    scores: dict[Method, Callable[[], float]] = {
        "abx": lambda: float(rng.random() < 0.5),
        "ab": lambda: float(rng.random() < 0.5),
        "cmos": lambda: float(max(-3, min(3, round(rng.gauss(0, 1.3))))),
        "mos": lambda: float(max(1, min(5, round(rng.gauss(WORTH, REST_SD))))),
        "mushra-like": lambda: max(0.0, min(100.0, rng.gauss(60, 20))),
    }
    for (method, score), n_systems in itertools.product(scores.items(), (2, 4)):
        names = [f"s{number}" for number in range(n_systems)]
        asked = list(itertools.combinations(names, 2)) if method in ("abx", "ab", "cmos") else [(name, "") for name in names]
        wrong = 0
        for seed in range(n):
            votes = [
                Vote(method, f"L{listener}", text, "item", f"t{text}", *systems, score())
                for listener, text, systems in itertools.product(range(8), range(6), asked)
            ]
            wrong += _calls_a_difference(findings_of(method, votes, {}, {}, seed=seed))
        yield f"{method}, {n_systems} systems, 8 x 6: any called", wrong / n


def _wrong_preferences(n: int, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """(test, share of tests in which any is called preferred) where listeners and texts have tastes, and over all there is none."""
    for n_systems, tastes, listeners in itertools.product((2, 3), (0.0, 0.25), (5, 10, 20)):
        called = sum(
            _calls_a_difference(findings_of("ab", _preferences((n_systems, listeners, 10), tastes, rng), {}, {})) for _ in range(n)
        )
        yield f"ab, {n_systems} systems, {listeners} x 10, tastes {tastes}: any called", called / n


def _preferences(shape: tuple[int, int, int], tastes: float, rng: np.random.Generator) -> list[Vote]:
    """Each listener's on each text and pair. shape: systems, listeners, texts."""
    n_systems, listeners, texts = shape
    liked = rng.normal(0, tastes, (n_systems, listeners, 1)) + rng.normal(0, tastes, (n_systems, 1, texts))
    return [
        Vote("ab", f"L{listener}", text, "item", f"t{text}", f"s{one}", f"s{other}", float(difference > 0))
        for one, other in itertools.combinations(range(n_systems), 2)
        for (listener, text), difference in np.ndenumerate(liked[one] - liked[other] + rng.normal(0, REST_SD * 2**0.5, shape[1:]))
    ]


def _calls_a_difference(findings) -> bool:
    if findings.method == "abx":
        return any(pair.p_holm < 0.05 for pair in findings.pairs)
    return any(system.rank > 1 for system in findings.systems)


def _print_wrong(n_panels: int, rng: np.random.Generator, seed: int) -> None:
    print(f"\nFalse positives at 5 %, of {n_panels} panels (of exact tests {20 * n_panels}, of whole findings {n_panels // 4})")
    for name, share in itertools.chain(
        _wrong_tests(n_panels, rng), _wrong_verdicts(n_panels // 4, random.Random(seed)), _wrong_preferences(n_panels // 4, rng)
    ):
        print(f"  {name:56}{100 * share:6.2f} %{'' if share <= 0.055 else '  <- above 5.5'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--panels", type=int, default=2000, help="simulated tests for each figure")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began, rng = time.perf_counter(), np.random.default_rng(asked.seed)
    _print_coverage(asked.panels, rng)
    _print_wrong(asked.panels, rng, asked.seed)
    print(f"\n12 of 16 by chance: p = {one_sided(12, 16):.3f}; seed {asked.seed}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
