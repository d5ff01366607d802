"""Trust in verdicts of listening tests: `python -m studio.measure.listening_tests [--panels 2000] [--methods mos,ab] [--lmer 200]`.

Simulates panels in which all systems are alike, and prints for each cell of a grid (method, systems, listeners x texts, tastes, share of
votes that are there) how often `findings_of` calls any difference (3 to 6 % is wanted) and how often the 95 % range of a pair holds the
truth (93 to 97 %). A rating is a system's worth + listener + text + (listener x system) + (text x system) + rest, rounded to the scale.
`--lmer N` compares N of them, complete and partial, with lmer of R (lmerTest), where Rscript is installed.
"""

import argparse
import csv
import itertools
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.crossed.crossed_model import CrossedModel
from studio.listening.model.designs import cell_means, rated_design
from studio.listening.plan.plan import Method
from studio.listening.statistics.analysis import findings_of
from studio.listening.vote.vote import Vote

__all__ = ["Scene", "false_verdicts", "panel"]

WORTH, LISTENER_SD, TEXT_SD, REST_SD = 3.7, 0.5, 0.35, 0.75  # on 1 to 5
POINTS = 25.0  # of MUSHRA, for one of 1 to 5
SIZES = ((5, 10), (10, 10), (10, 20), (20, 20), (30, 20))  # listeners x texts
TASTES = ((0.0, 0.0), (0.15, 0.15), (0.25, 0.25), (0.5, 0.5), (0.0, 0.5), (0.5, 0.0))  # SDs of listener x system, of text x system
TIE = 0.4  # preferences below it are none
HEARS = 0.25  # share of listeners who hear a difference for certain, where some do
SCORES: dict[Method, Callable[[float], float]] = {
    "mos": lambda rating: float(np.clip(np.round(rating), 1, 5)),
    "smos": lambda rating: float(np.clip(np.round(rating), 1, 5)),
    "mushra": lambda rating: float(np.clip(np.round(60 + POINTS * (rating - WORTH)), 0, 100)),
    "cmos": lambda gap: float(np.clip(np.round(gap), -3, 3)),
    "ab": lambda gap: 0.5 if abs(gap) < TIE else float(gap > 0),
}
R_SCRIPT = """
suppressMessages(library(lmerTest)); for (path in commandArgs(TRUE)) { d <- read.csv(path); d$system <- factor(d$system)
m <- suppressWarnings(suppressMessages(lmer(score ~ system + (1|listener) + (1|text) + (1|listener:system) + (1|text:system), d)))
cat(sprintf("%.10g %.10g %.10g\\n", summary(m)$coefficients[2, 1], summary(m)$coefficients[2, 2], summary(m)$coefficients[2, 5])) }
"""


@dataclass(frozen=True)
class Scene:
    """size: listeners, texts. tastes: as TASTES has them. kept: share of the votes that are there. some_hear: of ABX."""

    method: Method
    n_systems: int
    size: tuple[int, int]
    tastes: tuple[float, float] = (0.0, 0.0)
    kept: float = 1.0
    some_hear: bool = False


def panel(scene: Scene, rng: np.random.Generator) -> list[Vote]:
    """The votes of one test, in which no system is better than another."""
    (listeners, texts), systems = scene.size, [f"s{number}" for number in range(scene.n_systems)]
    own = rng.normal(0, scene.tastes[0], (listeners, 1, len(systems))) + rng.normal(0, scene.tastes[1], (1, texts, len(systems)))
    shared = WORTH + rng.normal(0, LISTENER_SD, (listeners, 1)) + rng.normal(0, TEXT_SD, (1, texts))
    hears = rng.random(listeners) < HEARS if scene.some_hear else np.zeros(listeners, bool)
    is_rated = scene.method in ("mos", "smos", "mushra")
    asked = [(one, None) for one in range(len(systems))] if is_rated else list(itertools.combinations(range(len(systems)), 2))
    votes = []
    for listener, text, (one, other) in itertools.product(range(listeners), range(texts), asked):
        if rng.random() >= scene.kept:
            continue
        rest = rng.normal(0, REST_SD if other is None else REST_SD * 2**0.5)
        if scene.method == "abx":
            score = float(hears[listener] or rng.random() < 0.5)
        elif other is None:
            score = SCORES[scene.method](shared[listener, text] + own[listener, text, one] + rest)
        else:
            score = SCORES[scene.method](own[listener, text, one] - own[listener, text, other] + rest)
        names = systems[one], "" if other is None else systems[other]
        votes.append(Vote(scene.method, f"L{listener}", len(votes), "item", f"t{text}", *names, score))
    return votes


def false_verdicts(scene: Scene, n_panels: int, seed: int = 1) -> tuple[float, float]:
    """Shares of panels with any verdict, and of the first pairs' ranges that hold the truth."""
    rng, called, held = np.random.default_rng(seed), 0, []
    even = (0.5 + 0.5 * HEARS * scene.some_hear) if scene.method in ("ab", "abx") else 0.0
    for _ in range(n_panels):
        pairs = findings_of(scene.method, panel(scene, rng), {}, {}).pairs
        called += any(pair.is_clear for pair in pairs)
        low, high = (pairs[0].share_low, pairs[0].share_high) if even else (pairs[0].low, pairs[0].high)
        held.append(low is not None and high is not None and low <= even <= high)
    return called / n_panels, float(np.mean(held))


def _scenes(methods: tuple[Method, ...]) -> Iterator[Scene]:
    for method, size, kept in itertools.product(methods, SIZES, (1.0, 0.6)):
        if method == "abx":
            yield Scene(method, 2, size, kept=kept)
            yield Scene(method, 2, size, kept=kept, some_hear=True)
            continue
        for n_systems, tastes in itertools.product((2, 3, 5), TASTES):
            yield Scene(method, n_systems, size, tastes, kept)


def _print_grid(methods: tuple[Method, ...], n_panels: int) -> None:
    print(f"{'method':8}{'systems':>8}{'L x T':>9}{'tastes':>12}{'kept':>6}{'called':>9}{'held':>8}{'ms':>7}")
    for scene in _scenes(methods):
        began = time.perf_counter()
        called, held = false_verdicts(scene, n_panels)
        milliseconds = 1000 * (time.perf_counter() - began) / n_panels
        told = "some hear" if scene.some_hear else "{:g} {:g}".format(*scene.tastes)
        size = "{} x {}".format(*scene.size)
        line = f"{scene.method:8}{scene.n_systems:>8}{size:>9}{told:>12}{scene.kept:>6}{100 * called:>8.1f}%{100 * held:>7.1f}%"
        print(f"{line}{milliseconds:>7.0f}", flush=True)


def _beside_lmer(n_sets: int) -> None:
    """Largest differences of estimates, errors and p of the second system less the first; with every variance in the model."""
    rng, ours, paths = np.random.default_rng(1), [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n_sets):
            tastes, size = TASTES[number % len(TASTES)], SIZES[number % 3]
            scene = Scene("mos", 2 + number % 3, size, tastes, 0.6 if number % 2 else 1.0)
            rows, systems = cell_means(panel(scene, rng)), [f"s{one}" for one in range(scene.n_systems)]
            names = sorted({row[2] for row in rows})
            paths.append(Path(folder) / f"{number}.csv")
            with paths[-1].open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([("listener", "text", "system", "other", "score"), *rows])
            ours.append(
                [
                    _told(model, len(systems))
                    for model in (CrossedModel(rated_design(rows, names), None), CrossedModel(rated_design(rows, names)))
                ]
            )
        said = subprocess.run(["Rscript", "-e", R_SCRIPT, *map(str, paths)], capture_output=True, encoding="utf-8", check=True).stdout
    theirs = np.array([line.split() for line in said.splitlines()], float)
    whole, pooled = (np.array([pair[at] for pair in ours]) for at in (0, 1))
    for name, at in (("estimate", 0), ("error", 1), ("p", 2)):
        gaps = np.sort(np.abs(whole[:, at] - theirs[:, at]))
        print(f"{name}: largest difference {gaps[-1]:.2g}, 95 of 100 below {gaps[int(0.95 * len(gaps))]:.2g}")
    found = [np.mean(ps < 0.05) for ps in (theirs[:, 2], whole[:, 2], pooled[:, 2])]
    print("p below 0.05: lmer {:.3f}, with every variance {:.3f}, as judged {:.3f}".format(*found))
    print(f"judged as by lmer: {np.mean((pooled[:, 2] < 0.05) == (theirs[:, 2] < 0.05)):.3f}")


def _told(model: CrossedModel, n_systems: int) -> tuple[float, float, float]:
    """Estimate, error and p of the second system less the first."""
    from scipy.special import stdtr

    found = model.contrast(np.eye(n_systems)[1] - np.eye(n_systems)[0])
    return found.estimate, found.error, float(2 * stdtr(found.df, -abs(found.estimate) / found.error))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--panels", type=int, default=2000, help="simulated tests for each cell")
    parser.add_argument("--methods", default="mos,smos,mushra,cmos,ab,abx")
    parser.add_argument("--lmer", type=int, default=0, metavar="N", help="compare so many data sets with lmer, and do nothing else")
    given = parser.parse_args()
    if given.lmer and not shutil.which("Rscript"):
        parser.error("Rscript is not installed: apt-get install r-cran-lmertest")
    _beside_lmer(given.lmer) if given.lmer else _print_grid(tuple(given.methods.split(",")), given.panels)


if __name__ == "__main__":
    main()
