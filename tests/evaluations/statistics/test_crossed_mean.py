"""The mean of cells: beside restricted maximum likelihood, Student's t, and by hand."""

import random

import numpy as np
import pytest

from studio.crossed.crossed_model import CrossedModel
from studio.crossed.design import CrossedDesign
from studio.evaluations.statistics.crossed_mean import Score, crossed_mean, parts_of
from studio.evaluations.statistics.whole_cells import parts_of_whole_cells
from tests.listening.model.test_crossed_model import PENICILLIN


def drawn(seed: int, n_voices: int, n_texts: int, *, voice: float = 0.5, text: float = 0.5) -> list[Score]:
    rng = random.Random(seed)
    voices, texts = ([rng.gauss(0, spread) for _ in range(n)] for n, spread in ((n_voices, voice), (n_texts, text)))
    return [
        Score(f"v{v}", f"t{t}", "en", 1 + one + other + rng.gauss(0, 1)) for v, one in enumerate(voices) for t, other in enumerate(texts)
    ]


def sides_of(scores: list[Score]) -> tuple[np.ndarray, np.ndarray]:
    voices, texts = (np.unique([score[place] for score in scores], return_inverse=True)[1] for place in (0, 1))
    return voices, texts


def test_variances_of_whole_cells_are_those_of_lmer():
    # VarCorr(lmer(diameter ~ 1 + (1|plate) + (1|sample), Penicillin)) of R, lme4 1.1.
    plates, samples = np.divmod(np.arange(144), 6)
    found = parts_of_whole_cells(np.array(PENICILLIN.split(), float), (plates, samples))
    assert tuple(found) == pytest.approx((0.71690514, 3.73113184, 0.30241496), rel=1e-4)


def test_variances_in_closed_form_are_those_of_a_fit():
    for seed in range(12):
        scores = drawn(seed, 2 + seed % 5, 3 + seed % 7, voice=0.4 * (seed % 3), text=0.4 * (seed % 2))
        values, sides = np.array([score.value for score in scores]), sides_of(scores)
        sides = (np.zeros_like(sides[0]), sides[1]) if seed % 4 == 3 else sides  # voices held fixed
        design = CrossedDesign(np.ones((len(values), 1)), np.ones((1, 1)), *sides, values, is_paired=True)
        fitted = CrossedModel(design, None).components
        expected = (fitted["listener_system"], fitted["text_system"], fitted["rest"])
        assert tuple(parts_of_whole_cells(values, sides)) == pytest.approx(expected, rel=2e-3, abs=2e-4)


def test_one_voice_and_texts_with_voices_of_their_own_come_to_students_t():
    one_voice = drawn(1, 1, 40)
    bound = [score._replace(voice=f"own{number}") for number, score in enumerate(one_voice)]
    values = np.array([score.value for score in one_voice])
    expected = values.mean() / (values.std(ddof=1) / 40**0.5)
    for scores in (one_voice, bound):
        found = crossed_mean(scores)
        assert found and (found.estimate / found.error, found.df) == pytest.approx((expected, 39))


def test_voices_that_differ_make_a_mean_as_unsure_as_so_many_voices_leave_it():
    scores = drawn(2, 6, 200, voice=5.0, text=0.0)
    of_voices = [np.mean([score.value for score in scores if score.voice == f"v{number}"]) for number in range(6)]
    found = crossed_mean(scores)
    assert found and (found.error, found.df) == pytest.approx((np.std(of_voices, ddof=1) / 6**0.5, 5), rel=0.02)


def test_few_voices_are_held_fixed():
    scores = drawn(3, 3, 50, voice=5.0, text=0.5)
    of_texts = [np.mean([score.value for score in scores if score.text == f"t{number}"]) for number in range(50)]
    found = crossed_mean(scores)
    assert found and found.error == pytest.approx(np.std(of_texts, ddof=1) / 50**0.5, rel=0.1)


def test_voices_that_are_fixed_are_told_from_their_texts_or_not_at_all():
    # One text in each voice: Student's t; two in each: of six differences from three means.
    three = [score._replace(voice=f"v{number}") for number, score in enumerate(drawn(7, 1, 3))]
    found, values = crossed_mean(three), np.array([score.value for score in three])
    assert found and (found.error, found.df) == pytest.approx((values.std(ddof=1) / 3**0.5, 2))
    six = [score._replace(voice=f"v{number // 2}") for number, score in enumerate(drawn(8, 1, 6))]
    found, values = crossed_mean(six), np.array([score.value for score in six]).reshape(3, 2)
    assert found and (found.error, found.df) == pytest.approx((values.var(axis=1, ddof=1).mean() ** 0.5 / 6**0.5, 3))


def test_one_text_in_each_language_is_as_unsure_as_so_few_texts_are():
    scores = [Score(f"v{v}", f"t{t}", f"l{t}", 10.0 * t + 0.1 * v) for v in range(5) for t in range(4)]
    found = crossed_mean(scores)
    assert found and found.error > 5 and found.df < 6


def test_what_languages_are_like_makes_nothing_less_sure():
    scores = drawn(4, 1, 60)
    apart = [
        score._replace(language=("en", "zh")[number % 2], value=score.value + 100 * (number % 2)) for number, score in enumerate(scores)
    ]
    alone, beside = crossed_mean(scores), crossed_mean(apart)
    assert alone and beside and beside.estimate == pytest.approx(alone.estimate + 50)
    assert beside.error == pytest.approx(alone.error, rel=0.1)
    assert 0 < beside.df < alone.df


def test_parts_of_a_table_are_judged_and_many_voices_and_texts_as_by_a_fit():
    rng = random.Random(5)
    scores = [score for score in drawn(5, 8, 30) if rng.random() < 0.7]
    found, values = crossed_mean(scores), [score.value for score in scores]
    assert found and found.estimate == pytest.approx(np.mean(values))
    many = [Score(f"v{rng.randrange(400)}", f"t{rng.randrange(400)}", "en", rng.gauss(0, 1)) for _ in range(2000)]
    many = list({score[:2]: score for score in many}.values())
    found = crossed_mean(many)
    assert found and found.error == pytest.approx(1 / len(many) ** 0.5, rel=0.1)


def test_nothing_is_known_of_one_cell_and_all_of_equal_ones():
    assert crossed_mean(drawn(6, 1, 1)) is None
    equal = crossed_mean([score._replace(value=0.0) for score in drawn(6, 3, 4)])
    assert equal and (equal.estimate, equal.error) == (0.0, 0.0)
    assert parts_of(np.zeros(4), (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])))[2] == 0
