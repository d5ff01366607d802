"""The crossed model beside lmer of R (lme4 1.1, lmerTest 3.1), and beside a textbook's analysis of variance."""

import itertools
import random

import numpy as np
import pytest
from scipy.special import stdtr

from studio.crossed.crossed_model import CrossedModel, LentModel
from studio.crossed.design import CrossedDesign
from studio.listening.model.designs import Row, compared_design, groups_of, rated_design

# Diameters of growth on 24 plates (rows) under 6 samples of penicillin (Davies & Goldsmith 1972, table 6.6; R, lme4::Penicillin).
PENICILLIN = """
27 23 26 23 23 21 27 23 26 23 23 21 25 21 25 24 24 20 26 23 25 23 23 20 25 22 26 22 23 20 24 22 25 23 22 19 24 20 23 21 22 19 26 22 26 24
24 21 24 21 24 22 22 20 24 21 24 23 22 19 26 23 26 24 24 21 25 22 26 24 24 20 26 24 26 24 25 22 26 23 26 23 23 20 26 23 25 24 24 22 25 22
25 23 23 20 25 21 24 23 23 20 25 22 24 23 23 19 24 21 23 21 21 19 26 23 26 24 24 21 25 21 24 22 22 18 25 22 25 22 22 20 24 21 24 22 24 19
24 21 24 22 21 18
"""


def made(seed: int, systems: str = "abc", *, listeners: int = 7, texts: int = 6, kept: float = 0.6) -> list[Row]:
    """Ratings with tastes, of which some are missing."""
    rng = random.Random(seed)
    of_listener = {(one, name): rng.gauss(0, 0.6) for one in range(listeners) for name in systems}
    of_text = {(one, name): rng.gauss(0, 0.4) for one in range(texts) for name in systems}
    shared = [rng.gauss(0, 0.5) for _ in range(listeners)]
    rows = []
    for (listener, text), (number, name) in itertools.product(itertools.product(range(listeners), range(texts)), enumerate(systems)):
        score = 3 + 0.3 * number + shared[listener] + of_listener[listener, name] + of_text[text, name] + rng.gauss(0, 0.7)
        if rng.random() < kept:
            rows.append((f"L{listener}", f"t{text}", name, "", round(score, 3)))
    return rows


def test_variances_of_whole_tables_are_those_of_lmer():
    scores = np.array(PENICILLIN.split(), float)
    plates, samples = np.divmod(np.arange(144), 6)
    found = CrossedModel(CrossedDesign(np.ones((144, 1)), np.ones((1, 1)), plates, samples, scores), None)
    named = found.components
    assert (named["listener_system"], named["text_system"], named["rest"]) == pytest.approx((0.71690514, 3.73113184, 0.30241496), rel=1e-4)
    mean = found.contrast(np.ones(1))
    assert (mean.estimate, mean.error, mean.df) == pytest.approx((22.9722, 0.8086, 5.4866), rel=1e-4)


# summary(lmer(score ~ system + (1|listener) + (1|text) + (1|listener:system) + (1|text:system))) of the rows that `made` gives, by seed:
# estimate, standard error, degrees of freedom and p of b - a, then of c - a.
LMER = {
    1: ((-0.2290707, 0.3320165, 9.875078, 0.5061231), (0.4924761, 0.3282282, 9.564778, 0.1657749)),
    2: ((0.5801690, 0.5739798, 18.18064, 0.3253844), (0.3382464, 0.5740059, 18.19836, 0.5629225)),
    3: ((0.1903421, 0.3016535, 9.472533, 0.5429669), (0.2732347, 0.3093028, 10.190069, 0.3973884)),
    6: ((0.8424227, 0.3650907, 11.26447, 0.04096962), (0.9775225, 0.3726751, 12.26613, 0.02192243)),
}


@pytest.mark.slow
def test_contrasts_of_partial_tables_are_those_of_lmer_whichever_side_is_larger():
    for seed, expected in LMER.items():
        rows = made(seed)
        turned = [(text, listener, *rest) for listener, text, *rest in rows]
        for design in (rated_design(rows, "abc"), rated_design(turned, "abc")):
            model = CrossedModel(design, None)
            for number, (estimate, error, df, p) in enumerate(expected, start=1):
                found = model.contrast(np.eye(3)[number] - np.eye(3)[0])
                assert (found.estimate, found.error, found.df) == pytest.approx((estimate, error, df), rel=2e-3, abs=2e-5)
                assert 2 * stdtr(found.df, -abs(found.estimate) / found.error) == pytest.approx(p, rel=1e-3)


def _squares(cells: np.ndarray) -> tuple[float, float, float]:
    """Mean squares of systems' interactions with listeners and with texts, and of the rest, of whole cells (S, L, T)."""
    n_systems, n_listeners, n_texts = cells.shape
    own = cells - cells.mean(axis=(1, 2), keepdims=True)
    shared = own.mean(axis=0, keepdims=True)
    listeners, texts = own.mean(axis=2, keepdims=True), own.mean(axis=1, keepdims=True)
    rest = own - listeners - texts
    of_listeners = n_texts * ((listeners - shared.mean(axis=2, keepdims=True)) ** 2).sum() / ((n_systems - 1) * (n_listeners - 1))
    of_texts = n_listeners * ((texts - shared.mean(axis=1, keepdims=True)) ** 2).sum() / ((n_systems - 1) * (n_texts - 1))
    return of_listeners, of_texts, (rest**2).sum() / (n_systems * (n_listeners - 1) * (n_texts - 1))


def test_a_difference_in_a_whole_table_is_that_of_a_textbooks_analysis_of_variance():
    """Its variance is 2 (MS listeners + MS texts - MS rest) / (L T), its degrees of freedom are Satterthwaite's (1946)."""
    rows = made(7, kept=1.1)
    cells = np.array([row[4] for row in rows]).reshape(7, 6, 3).transpose(2, 0, 1)
    listeners, texts, rest = _squares(cells)
    assert min(listeners, texts) > rest
    found = CrossedModel(rated_design(rows, "abc")).contrast(np.array([0.0, -1, 1]))
    assert found.estimate == pytest.approx(cells[2].mean() - cells[1].mean())
    assert found.error**2 == pytest.approx(2 * (listeners + texts - rest) / 42, rel=1e-4)
    parts = listeners**2 / 12 + texts**2 / 10 + rest**2 / 90
    assert found.df == pytest.approx((listeners + texts - rest) ** 2 / parts, rel=1e-3)


def test_what_votes_do_not_show_is_pooled_with_the_rest():
    rng = np.random.default_rng(0)
    rows = [(f"L{one}", f"t{text}", name, "", rng.normal()) for one in range(6) for text in range(8) for name in "ab"]
    model = CrossedModel(rated_design(rows, "ab"))
    assert model.components["listener_system"] == model.components["text_system"] == 0 < model.components["rest"]
    assert model.contrast(np.array([1.0, -1])).df > 80
    assert CrossedModel(model.design, None).contrast(np.array([1.0, -1])).df < 20


def test_unanimous_texts_are_as_many_votes_as_there_are_texts():
    """Where all listeners say the same of each text there is no rest; a difference is as sure as that of nine numbers."""
    rows = [(f"L{one}", f"t{text}", "a", "b", float(text < 6) - 0.5) for one in range(9) for text in range(9)]
    for turned in (False, True):
        found = CrossedModel(compared_design([(text, one, *rest) if turned else (one, text, *rest) for one, text, *rest in rows], "ab"))
        of_nine = found.contrast(np.ones(1))
        assert (of_nine.estimate, of_nine.error, of_nine.df) == pytest.approx((1 / 6, 1 / 6, 8), rel=2e-2)


def test_differences_of_compared_systems_rest_on_all_votes_that_link_them():
    """Of one pair they are the mean. Of three, without noise, what is known of two pairs tells the third."""
    rng = np.random.default_rng(1)
    pair = [(f"L{one}", f"t{text}", "a", "b", rng.normal(1)) for one in range(5) for text in range(5)]
    found = CrossedModel(compared_design(pair, "ab")).contrast(np.ones(1))
    assert found.estimate == pytest.approx(np.mean([row[4] for row in pair]))
    worth = {"a": 2.0, "b": 1.0, "c": -0.5}
    chain = [(f"L{one}", f"t{one % 3}", *names, worth[names[0]] - worth[names[1]]) for one in range(6) for names in ("ab", "cb")]
    model = CrossedModel(compared_design(chain, "abc"))
    assert model.contrast(np.array([1.0, 0, -1])).estimate == pytest.approx(2.5)
    assert groups_of([("L", "t", "a", "c", 1.0), ("L", "t", "d", "b", 1.0)], "abcde") == [["a", "c"], ["b", "d"], ["e"]]


def test_a_model_with_the_variances_of_another_is_as_sure_as_that_one():
    """Of the same votes it is the same, whichever side is the larger; of two of many systems nearly so."""
    rows = made(7, kept=1.1)
    whole, weights = CrossedModel(rated_design(rows, "abc")), np.array([1.0, -1, 0])
    expected = whole.contrast(weights)
    again = LentModel(whole.design, whole).contrast(weights)
    assert (again.estimate, again.error, again.df) == pytest.approx((expected.estimate, expected.error, expected.df))
    two = [row for row in rows if row[2] in "ab"]
    of_two = LentModel(rated_design(two, "ab"), whole).contrast(weights[:2])
    assert (of_two.estimate, of_two.error, of_two.df) == pytest.approx((expected.estimate, expected.error, expected.df), rel=1e-3)
    fewer = [row for row in two if row[0] < "L4"]  # fewer listeners than texts: the sides change places
    turned = LentModel(rated_design(fewer, "ab"), whole)
    assert turned.design.is_swapped != whole.design.is_swapped
    assert turned.components["listener_system"] == pytest.approx(whole.components["listener_system"])
