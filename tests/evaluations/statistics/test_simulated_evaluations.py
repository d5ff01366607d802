"""Simulated evaluations: alike systems are seldom told apart, and others are."""

from dataclasses import replace

import numpy as np

from studio.evaluations.statistics.evaluate_data import evaluate_data
from studio.measure.evaluations import SimulatedScene, false_findings, simulated

SMALL = SimulatedScene(n_texts=20)


def test_alike_systems_are_seldom_told_apart_and_ranges_hold_the_truth():
    # 5 of 100 are wanted; of 30 more than 5 come in less than 1 of 100 (whole grids: python -m studio.measure.evaluations).
    found = false_findings(SMALL, 30)
    assert found["any"] <= 5 / 30
    assert min(found["words_held"], found["likeness_held"], found["mean_held"]) >= 25 / 30


def test_systems_that_are_worse_are_told_apart():
    findings = evaluate_data(simulated(replace(SMALL, n_voices=8, gap=3.0), np.random.default_rng(1)))
    # More is worse of these.
    assert {pair.figure: pair.better for pair in findings.pairs if pair.figure in ("ttfp_ms", "rtf")} == {"ttfp_ms": "s0", "rtf": "s0"}
    assert {pair.better for pair in findings.pairs if pair.figure in ("likeness", "dnsmos")} == {"s1"}


def test_texts_with_voices_of_their_own_and_refused_ones_are_judged():
    for scene in (replace(SMALL, n_voices=20, are_bound=True), replace(SMALL, refused=0.4), replace(SMALL, n_languages=3)):
        findings = evaluate_data(simulated(scene, np.random.default_rng(2), ("likeness",)))
        assert all(pair.low is not None for pair in findings.pairs)
