"""Claims about formulas of built-in speakers: what they mean, that equal ones are one text, and what is refused."""

import pytest

from engines.contract.preset_blend import MOST_BLENDED, PresetBlend, blend_text
from engines.errors import BlendInvalid
from tests.stand_ins.fake_engine import BLENDER, INFO


@pytest.mark.parametrize(
    ("formula", "weights", "text"),
    [
        ("alma:0.6+bea:0.4", {"alma": 0.6, "bea": 0.4}, "alma:3+bea:2"),
        ("bea(1)+alma(2)", {"alma": 2 / 3, "bea": 1 / 3}, "alma:2+bea:1"),
        ("bea+alma", {"alma": 0.5, "bea": 0.5}, "alma:1+bea:1"),
        (" ALMA : .5 + Bea:0.25+bea: 0.25 ", {"alma": 0.5, "bea": 0.5}, "alma:1+bea:1"),
        ("alma:0.1+bea:0.2+carl:0.3", {"carl": 0.5, "bea": 1 / 3, "alma": 1 / 6}, "carl:3+bea:2+alma:1"),
        ("alma+alma(3)", {"alma": 1.0}, "alma"),
        ("alma:0.3333333333333333+bea:1.", {"bea": 0.75, "alma": 0.25}, "bea:3+alma:1"),
        ("alma:0.30000000000000004+bea:0.1", {"alma": 0.75, "bea": 0.25}, "alma:3+bea:1"),
        ("alma:0.314159+bea:0.271828+carl:0.141421+doro:0.577215", None, None),
        ("alma:1000000000+bea:0.000001", {"alma": 1.0, "bea": 1e-6}, "alma:1000000+bea:1"),
    ],
)
def test_a_formula_gives_shares_of_one_and_a_text_that_means_the_same(formula, weights, text):
    blend = PresetBlend.of(formula, BLENDER)
    if weights is not None:
        assert list(blend.weights) == list(weights) and blend.weights == pytest.approx(weights, abs=1e-6)
        assert blend.text == text
    assert sum(blend.weights.values()) == pytest.approx(1.0)
    assert PresetBlend.of(blend.text, BLENDER) == blend and blend_text(formula, BLENDER) == blend.text


@pytest.mark.parametrize(
    ("formula", "fact", "hint"),
    [
        ("alma+beo", "“beo” in this blend is no built-in voice of Blender.", "Did you mean bea?"),
        ("alma+Xylophon", "“Xylophon” in", "Only built-in voices can be blended."),
        ("alma+bea (2)", "“bea ” in", "Did you mean bea?"),  # as people number names
        ("alma:1:2+bea", "The weight “1:2” of “alma” is no number above 0.", "Write it so: first:0.6+second:0.4."),
        ("alma++bea", "A part of this blend names no voice.", "Write it so: first:0.6+second:0.4."),
        ("+".join(["alma"] * (MOST_BLENDED + 1)), "There are 9 parts in this blend, and 8 are the limit.", "Leave some out."),
    ],
)
def test_what_is_no_blend_is_refused_with_the_part_that_is_wrong(formula, fact, hint):
    with pytest.raises(BlendInvalid) as refused:
        PresetBlend.of(formula, BLENDER)
    assert refused.value.fact.startswith(fact) and refused.value.hint == hint
    assert blend_text(formula, BLENDER) is None


@pytest.mark.parametrize("weight", ["0", "0.0", "-1", "nan", "inf", "1e3", "1/2", "", "x", "9" * 49])
@pytest.mark.parametrize("form", ["alma:{}+bea", "alma({})+bea"])
def test_a_weight_is_a_number_above_zero_in_digits(weight, form):
    with pytest.raises(BlendInvalid, match="is no number above 0"):
        PresetBlend.of(form.format(weight), BLENDER)


def test_only_what_adds_up_is_a_formula_and_only_for_an_engine_that_blends():
    assert blend_text("alma(2)", BLENDER) is blend_text("alma:1", BLENDER) is blend_text("tone+tone", INFO) is None
    with pytest.raises(BlendInvalid, match="Fake does not blend its built-in voices"):
        PresetBlend.of("tone+tone", INFO)
