"""Many comparisons together: Holm over figures, Tukey over pairs."""

import itertools
import random

import pytest

from studio.crossed.together import ALPHA, Family
from studio.evaluations.statistics.joint import joint

TWO, THREE = Family.of_all(2), Family.of_all(3)


def test_two_systems_by_several_figures_come_to_holm():
    # Holm 1979: 0.01 x 4, then 0.02 x 3, which is not below 0.05: all that follow are counted by 3, too.
    found = joint({"a": [0.02], "b": [0.01], "c": [0.04], "d": [0.03]}, TWO)
    assert [found[name][0].p_all for name in "badc"] == pytest.approx([0.04, 0.06, 0.09, 0.12])
    assert joint({"a": [0.02]}, TWO)["a"][0] == pytest.approx((0.02, ALPHA))


def test_a_figure_is_counted_until_all_its_pairs_are_beyond_chance():
    figures = {"a": [1e-6, 1e-6, 0.5], "b": [0.02, 0.9, 0.9]}
    found = joint(figures, THREE)
    assert found["b"][0].p_all == pytest.approx(2 * THREE.p(0.02))
    whole = joint(figures | {"a": [1e-6, 1e-6, 1e-6]}, THREE)
    assert whole["b"][0].p_all == pytest.approx(THREE.p(0.02))


def test_a_level_and_its_p_agree_on_what_is_beyond_chance_and_order_is_kept():
    rng = random.Random(1)
    for family, share in itertools.product((TWO, THREE, Family.of_all(6)), (1.0, 0.2)):
        alone = {str(figure): [10 ** rng.uniform(-5, 0) for _ in range(family.n_pairs)] for figure in range(4)}
        found = joint(alone, family, share)
        pairs = [(p, one) for figure, ps in alone.items() for p, one in zip(ps, found[figure], strict=True)]
        assert all((p < one.level) == (one.p_all < ALPHA) for p, one in pairs)
        in_order = [one.p_all for _, one in sorted(pairs)]
        assert in_order == sorted(in_order)
        assert all(one.p_all >= p / share or one.p_all == 1 for p, one in pairs)


def test_nothing_is_judged_where_there_is_nothing():
    assert joint({}, TWO) == {}
    assert joint({"a": []}, TWO) == {"a": []}
