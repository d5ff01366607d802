"""Trust in verdicts of evaluations: `python -m studio.measure.evaluations [--runs 500] [--power] [--bootstrap] [--time]`.

Simulates evaluations in which all systems are alike, with tastes of voices and texts, and with wrong words as real ones are: most texts
have none, hard ones have them in every voice, a recognizer mishears some texts whoever says them, now and then a sound fails altogether.
For each scene: how often `evaluate_data` calls anything better (5 % at most is wanted), how often one comparison of wrong words alone has p
below 0.05, and how often ranges hold the truth (95 % is wanted): of a difference in wrong words, of one in likeness, of a mean of wrong
words. --power: which differences are found in 80 of 100, seven figures counted. --bootstrap: the same comparisons by resampling. --time.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from studio.crossed.together import ALPHA
from studio.evaluations.plan.cell import CellKey, CellMeasures, EvaluatedCell, KeptSound, SaidCell
from studio.evaluations.plan.evaluation import Evaluation, EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem, EvaluationText, EvaluationVoice
from studio.evaluations.statistics.cell_table import CellTable
from studio.evaluations.statistics.crossed_mean import FEWEST_VOICES
from studio.evaluations.statistics.estimates import estimated_difference
from studio.evaluations.statistics.evaluate_data import evaluate_data

__all__ = ["SimulatedScene", "false_findings", "simulated"]

# Figure -> mean; standard deviations of voices, texts, their tastes for systems (voice, text), and the rest. As engines of the studio have
# them, roughly (studio/measure/DIARY.md); of times log2.
NORMAL = {
    "likeness": (0.75, 0.06, 0.02, 0.02, 0.005, 0.025),
    "dnsmos": (3.8, 0.12, 0.10, 0.05, 0.05, 0.12),
    "distillmos": (4.2, 0.15, 0.12, 0.08, 0.08, 0.15),
    "pitch_distance": (1.0, 0.4, 0.1, 0.3, 0.05, 0.3),
    "ttfp_ms": (7.5, 0.05, 0.2, 0.02, 0.05, 0.1),
    "rtf": (-1.5, 0.03, 0.05, 0.02, 0.03, 0.05),
}
HARD, VOICE, OWN_VOICE, OWN_TEXT = 1.0, 0.3, 0.3, 0.5  # log of the rate of wrong words: of texts, of voices, and both for each system
MISHEARD, MISHEARD_EACH = 0.25, 0.85  # texts that the recognizer mishears, and in which share of sounds
FAILED_LEAST, FAILED_MOST = 0.3, 1.3  # of the words, wrong ones of a sound that fails
WORDS_LEAST, WORDS_MOST = 5, 17  # of a text
SOUND = KeptSound("", 0, 24_000, 1.0)
KEYS = ("any", "here", "words", "words_held", "likeness_held", "mean_held")
N_RESAMPLES = 400
FOUND = 0.8


@dataclass(frozen=True)
class SimulatedScene:
    """rate, failed: shares of wrong words, and of sounds that fail, before what the recognizer mishears. tastes: factor of the tastes of
    voices and texts for systems; has_tasteless_voices: those of voices are none, as where there is one voice and the verdict is for it.
    worse: by which factor of e the last system has more of both; gap: what it has more of each other figure, in standard deviations of
    the rest. refused: share of the last system's cells that are not there."""

    n_systems: int = 2
    n_voices: int = 5
    n_texts: int = 50
    n_languages: int = 1
    rate: float = 0.02
    failed: float = 0.005
    tastes: float = 1.0
    has_tasteless_voices: bool = False
    worse: float = 0.0
    gap: float = 0.0
    refused: float = 0.0
    are_bound: bool = False  # each text to a voice of its own

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.n_systems, self.n_voices, self.n_texts

    @property
    def voice_tastes(self) -> float:
        """Factor."""
        return 0.0 if self.has_tasteless_voices else self.tastes


def simulated(scene: SimulatedScene, rng: np.random.Generator, figures: tuple[str, ...] = tuple(NORMAL)) -> EvaluationData:
    """One evaluation, with wrong words and these figures."""
    errors, n_words = _wrong_words(scene, rng)
    values = {figure: _normal(scene, figure, rng) for figure in figures}
    kept = rng.random((scene.n_voices, scene.n_texts)) >= scene.refused
    plan = _plan(scene)
    cells = [
        _cell(
            CellKey(f"s{system}", f"v{voice}", f"t{text}", 0),
            float(errors[system, voice, text]),
            int(n_words[text]),
            {figure: float(found[system, voice, text]) for figure, found in values.items()},
        )
        for system in range(scene.n_systems)
        for voice in range(scene.n_voices)
        for text in ([voice] if scene.are_bound else range(scene.n_texts))
        if kept[voice, text] or system < scene.n_systems - 1
    ]
    return EvaluationData(Evaluation("e", plan, 0.0, 0.0, "done", len(cells)), tuple(cells))


def false_findings(scene: SimulatedScene, n_runs: int, seed: int = 1) -> dict[str, float]:
    """Shares of evaluations, by KEYS: `any` calls something better, `here` does so of these voices, whose own tastes it may tell; `words`
    has p below 0.05 in the first comparison of wrong words; and ranges hold the truth: `words_held`, `likeness_held` of first
    differences, `mean_held` of the first mean of wrong words."""
    rng, told = np.random.default_rng(seed), []
    truth = _true_rate(scene)
    for _ in range(n_runs):
        findings = evaluate_data(simulated(scene, rng))
        words, likeness = (findings.pair("s0", "s1", figure) for figure in ("wrong_words", "likeness"))
        mean = findings.mean("s0", "wrong_words")
        assert words and likeness and mean
        told.append(
            (
                any(pair.better for pair in (*findings.pairs, *findings.language_pairs)),
                any(pair.better for pair in findings.voice_pairs),
                words.p < ALPHA,
                _holds(words.low, 0.0, words.high),
                _holds(likeness.low, 0.0, likeness.high),
                _holds(mean.low, truth, mean.high),
            )
        )
    return dict(zip(KEYS, map(float, np.mean(told, axis=0)), strict=True))


def _wrong_words(scene: SimulatedScene, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(S, V, T) wrong words; (T,) words of each text."""
    systems, voices, texts = scene.shape
    n_words = rng.integers(WORDS_LEAST, WORDS_MOST + 1, texts)
    own_voice, own_text = OWN_VOICE * scene.voice_tastes, OWN_TEXT * scene.tastes
    worse = np.zeros((systems, 1, 1))
    worse[-1] = scene.worse
    own = rng.normal(0, own_voice, (systems, voices, 1)) + rng.normal(0, own_text, (systems, 1, texts)) + worse
    voice = 0.0 if scene.has_tasteless_voices else VOICE
    log_rate = own + rng.normal(0, HARD, (1, 1, texts)) + rng.normal(0, voice, (1, voices, 1))
    log_rate -= (HARD**2 + voice**2 + own_voice**2 + own_text**2) / 2
    errors = rng.binomial(n_words, np.clip(scene.rate * np.exp(log_rate), 0, 0.9)).astype(float)
    prone = np.exp(rng.normal(0, 1, (systems, 1, texts)) - 0.5 + worse)
    fails = rng.random(scene.shape) < np.clip(scene.failed * prone, 0, 1)
    errors = np.where(fails, np.maximum(errors, np.ceil(n_words * rng.uniform(FAILED_LEAST, FAILED_MOST, scene.shape))), errors)
    misheard = (rng.random(texts) < MISHEARD) & (rng.random(scene.shape) < MISHEARD_EACH)
    return errors + misheard * rng.integers(1, 3, texts), n_words


def _normal(scene: SimulatedScene, figure: str, rng: np.random.Generator) -> np.ndarray:
    """(S, V, T)."""
    systems, voices, texts = scene.shape
    mean, voice, text, own_voice, own_text, rest = NORMAL[figure]
    found = mean + rng.normal(0, voice, (1, voices, 1)) + rng.normal(0, text, (1, 1, texts)) + rng.normal(0, rest, scene.shape)
    found += rng.normal(0, own_voice * scene.voice_tastes, (systems, voices, 1)) + rng.normal(
        0, own_text * scene.tastes, (systems, 1, texts)
    )
    found[-1] += scene.gap * rest
    return 2.0**found if figure_kind(figure).is_ratio else found


def _plan(scene: SimulatedScene) -> EvaluationPlan:
    languages = ("en", "de", "fr", "es")[: scene.n_languages]
    return EvaluationPlan.model_construct(
        title="",
        systems=tuple(EvaluationSystem(id=f"s{number}", label=f"S{number}") for number in range(scene.n_systems)),
        voices=tuple(EvaluationVoice(id=f"v{number}", label=f"V{number}") for number in range(scene.n_voices)),
        texts=tuple(EvaluationText(id=f"t{one}", text="text", language=languages[one % len(languages)]) for one in range(scene.n_texts)),
        seeds=(0,),
    )


def _cell(key: CellKey, errors: float, n_words: int, values: dict[str, float]) -> EvaluatedCell:
    return EvaluatedCell(SaidCell(key, SOUND), CellMeasures({"wrong_words": 100 * errors / n_words, **values}, None, n_words))


def _true_rate(scene: SimulatedScene) -> float:
    """Wrong words in a hundred of a system that is not worse: of a hundred large evaluations, in voices and texts that were never drawn."""
    rng = np.random.default_rng(0)
    large = replace(scene, n_systems=2, n_voices=scene.n_voices if scene.has_tasteless_voices else 40, n_texts=400)
    found = [_wrong_words(large, rng) for _ in range(100)]
    return 100 * sum(float(errors[0].sum()) for errors, _ in found) / sum(large.n_voices * float(n.sum()) for _, n in found)


def _holds(low: float | None, value: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= value <= high


def _scenes() -> Iterator[tuple[str, SimulatedScene]]:
    usual = SimulatedScene()
    yield "usual", usual
    yield "no tastes", replace(usual, tastes=0.0)
    yield "strong tastes", replace(usual, tastes=2.0)
    yield "few errors", replace(usual, rate=0.001, failed=0.0)
    yield "rare failures", replace(usual, rate=0.0, failed=0.01)
    yield "many errors", replace(usual, rate=0.1, failed=0.03)
    yield "2 voices, for them", replace(usual, n_voices=2, has_tasteless_voices=True)
    yield "5 voices, for them", replace(usual, has_tasteless_voices=True)
    yield "4 voices", replace(usual, n_voices=4)
    yield "10 voices", replace(usual, n_voices=10)
    yield "10 texts", replace(usual, n_texts=10)
    yield "1 voice, for it", replace(usual, n_voices=1, n_texts=200, has_tasteless_voices=True)
    yield "bound voices", replace(usual, n_voices=200, n_texts=200, are_bound=True)
    yield "3 languages", replace(usual, n_texts=60, n_languages=3)
    yield "4 systems", replace(usual, n_systems=4)
    yield "6 systems", replace(usual, n_systems=6, n_texts=30)
    yield "a third refused", replace(usual, refused=0.3)


def _print_scenes(n_runs: int) -> None:
    print(f"{'scene':20}{'S':>3}{'V x T':>10}{'any':>8}{'here':>8}{'words':>8}{'held: words':>13}{'likeness':>10}{'mean':>8}{'ms':>7}")
    for name, scene in _scenes():
        began = time.process_time()
        found = false_findings(scene, n_runs)
        milliseconds = 1000 * (time.process_time() - began) / n_runs
        shares = [f"{100 * found[key]:.1f}%" for key in KEYS]
        size = f"{scene.n_voices} x {scene.n_texts}"
        print(
            f"{name:20}{scene.n_systems:>3}{size:>10}{shares[0]:>8}{shares[1]:>8}{shares[2]:>8}{shares[3]:>13}{shares[4]:>10}{shares[5]:>8}{milliseconds:>7.0f}",
            flush=True,
        )


def _print_power(n_runs: int) -> None:
    """The smallest gap that is found in 80 of 100: of 2 systems, and with as many figures counted as there are."""
    level = ALPHA / (len(NORMAL) + 1)
    print(f"{'V x T':>10}  difference that is found in {100 * FOUND:.0f} of 100 (times: factors)")
    for voices, texts in ((1, 50), (2, 50), (5, 50), (10, 50), (5, 150), (20, 50)):
        scene = SimulatedScene(n_voices=voices, n_texts=texts, has_tasteless_voices=voices < FEWEST_VOICES)
        for of_these in (False, True)[: 1 + (voices >= FEWEST_VOICES)]:
            told = [f"{figure} {_gap(scene, figure, level, n_runs, of_these_voices=of_these):.3g}" for figure in ("wrong_words", *NORMAL)]
            print(f"{f'{voices} x {texts}':>10}  {', '.join(told)}{', in these voices' * of_these}", flush=True)


def _gap(scene: SimulatedScene, figure: str, level: float, n_runs: int, *, of_these_voices: bool) -> float:
    """In the figure's unit, by halving; a factor of times."""
    low, high = 0.0, 3.0 if figure == "wrong_words" else 6.0
    for _ in range(7):
        middle = (low + high) / 2
        found, _ = _found(scene, figure, middle, level, n_runs, of_these_voices=of_these_voices)
        low, high = (middle, high) if found < FOUND else (low, middle)
    difference = _found(scene, figure, high, level, n_runs, of_these_voices=of_these_voices)[1]
    return 2**difference if figure_kind(figure).is_ratio else difference


def _found(scene: SimulatedScene, figure: str, gap: float, level: float, n_runs: int, *, of_these_voices: bool) -> tuple[float, float]:
    """How often it is found, and the mean of what is found."""
    rng = np.random.default_rng(1)
    is_words = figure == "wrong_words"
    apart = replace(scene, worse=gap) if is_words else replace(scene, gap=gap)
    found = []
    for _ in range(n_runs):
        table = CellTable(simulated(apart, rng, () if is_words else (figure,)))
        cells, others = table.cells("s1", figure), table.cells("s0", figure)
        one = estimated_difference(cells, others, figure_kind(figure), of_these_voices=of_these_voices)
        assert one
        found.append((one.p < level, one.value))
    return float(np.mean([clear for clear, _ in found])), float(np.mean([value for _, value in found]))


def _print_bootstrap(n_runs: int) -> None:
    """Of alike systems: how often 0 is outside the 95 % range of a difference in wrong words, by the model and by resampling."""
    print(f"{'scene':20}{'model':>8}{'cells':>8}{'texts':>8}{'both':>8}   resampled")
    for name, scene in (
        ("usual", SimulatedScene()),
        ("strong tastes", SimulatedScene(tastes=2.0)),
        ("no tastes", SimulatedScene(tastes=0.0)),
    ):
        rng, told = np.random.default_rng(1), []
        for _ in range(n_runs):
            table = CellTable(simulated(scene, rng, ()))
            cells = [table.cells(system, "wrong_words") for system in ("s0", "s1")]
            one = estimated_difference(cells[0], cells[1], figure_kind("wrong_words"))
            assert one
            gaps = np.array([a.value * a.weight - b.value * b.weight for a, b in zip(*cells, strict=True)]).reshape(scene.shape[1:])
            told.append([one.p < ALPHA, *(_is_outside(gaps, way, rng) for way in ("cells", "texts", "both"))])
        print(f"{name:20}" + "".join(f"{100 * share:>7.1f}%" for share in np.mean(told, axis=0)), flush=True)


def _is_outside(gaps: np.ndarray, way: str, rng: np.random.Generator) -> bool:
    """Whether 0 is outside the percentile range. gaps: (V, T)."""
    voices, texts = gaps.shape
    if way == "cells":
        means = rng.choice(gaps.ravel(), (N_RESAMPLES, gaps.size)).mean(axis=1)
    else:
        of_texts = rng.integers(0, texts, (N_RESAMPLES, texts))
        of_voices = rng.integers(0, voices, (N_RESAMPLES, voices)) if way == "both" else np.tile(np.arange(voices), (N_RESAMPLES, 1))
        means = np.array([gaps[np.ix_(*one)].mean() for one in zip(of_voices, of_texts, strict=True)])
    low, high = np.quantile(means, (ALPHA / 2, 1 - ALPHA / 2))
    return not low <= 0 <= high


def _print_times() -> None:
    rng = np.random.default_rng(1)
    for scene in (
        SimulatedScene(3, 1, 2000),
        SimulatedScene(6, 5, 150, n_languages=3),
        SimulatedScene(6, 5, 150, n_languages=3, refused=0.1),
        SimulatedScene(2, 1000, 1000, are_bound=True),
        SimulatedScene(2, 200, 200),
        SimulatedScene(16, 10, 100),
    ):
        data = simulated(scene, rng)
        began = time.process_time()
        evaluate_data(data)
        seconds = time.process_time() - began
        size = f"{scene.n_systems} systems, {scene.n_voices} voices, {scene.n_texts} texts, {len(data.cells)} cells"
        print(f"{size}: {seconds:.2f} s of a core")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500, help="simulated evaluations for each scene")
    parser.add_argument("--power", action="store_true", help="print which differences are found, and nothing else")
    parser.add_argument("--bootstrap", action="store_true", help="print what resampling would say, and nothing else")
    parser.add_argument("--time", action="store_true", help="print how long findings take, and nothing else")
    given = parser.parse_args()
    if given.power:
        _print_power(given.runs)
    elif given.bootstrap:
        _print_bootstrap(given.runs)
    elif given.time:
        _print_times()
    else:
        _print_scenes(given.runs)


if __name__ == "__main__":
    main()
