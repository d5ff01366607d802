"""Sections of configuration files: types are checked, what is implemented is compared, what is not implemented is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import pytest

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, plain_rope, settings_of
from engines.kit.weights.schema import (
    TRANSFORMERS,
    Every,
    PositiveFloat,
    Rules,
    Size,
    fixed,
    released,
    released_of,
    rules_of,
    schema,
    without_effect,
)


@schema
class BlockConfig:
    width: Size = released(8)
    eps: PositiveFloat = released(1e-5, default=1e-6)
    strides: tuple[Size, ...] = (2, 2)
    ids: Mapping[str, int] | None = None
    bias: bool = False

    beside = TRANSFORMERS
    pad_mode = fixed("constant")
    layer_types = fixed(None, Every("full"))
    dropout = without_effect("of training")


@schema
class NarrowConfig(BlockConfig):
    """A block of another kind: null is not said."""

    width: Size = released(2)
    pad_mode = fixed("constant", "reflect")
    seeds = without_effect("of training", "__seed1 __seed2")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return Section(section.where, {key: value for key, value in section.values.items() if value is not None})


@schema
class WholeConfig:
    block: BlockConfig
    narrow: NarrowConfig = NarrowConfig(width=1)
    name: str = ""


@dataclass(frozen=True)
class WithNames:
    block: BlockConfig
    name: str
    names: Mapping[str, int]


def block(**values) -> BlockConfig:
    return settings_of(BlockConfig, Section("a.json: block", {"width": 4} | values))


def test_values_are_frozen_and_in_their_types_and_parts_are_put_in():
    made = block(eps=1, strides=[3, 4], bias=True)
    assert (made.eps, type(made.eps), made.strides, made.bias) == (1.0, float, (3, 4), True)
    names = {"a": 1}
    whole = settings_of(WithNames, Section("a.json", {"name": "x", "names": names, "block": "passed over"}), {"block": made})
    names["a"] = 2
    assert (whole.block, whole.name, dict(whole.names)) == (made, "x", {"a": 1})
    with pytest.raises(TypeError):
        whole.names["a"] = 3


@pytest.mark.parametrize("width", ["4", 4.0, [4], {}, None, True, 0, -1, float("nan")])
def test_a_size_is_a_whole_number_above_zero(width):
    with pytest.raises(CheckpointInvalid, match=r"a.json: block .* width is .*; a whole number above zero is expected"):
        block(width=width)


@pytest.mark.parametrize(
    "values",
    [
        {"eps": float("inf")},
        {"eps": "1e-6"},
        {"eps": 0},
        {"eps": True},
        {"strides": 2},
        {"strides": [2, None]},
        {"strides": {}},
        {"bias": 1},
    ],
)
def test_other_types_are_refused_by_name(values):
    with pytest.raises(CheckpointInvalid, match=f"{next(iter(values))} is"):
        block(**values)


@pytest.mark.parametrize(
    "values",
    [
        {"pad_mode": "reflect"},
        {"pad_mode": None},
        {"layer_types": ["full", "window"]},
        {"layer_types": "full"},
        {"quantization_config": {"bits": 4}},
        {"attn_softcap": 30.0},
        {"rope_ntk_factor": 8},
        {"tie_word_embeddings": True},
        {"tie_word_embeddings": 1},
    ],
)
def test_what_would_compute_something_else_is_refused(values):
    with pytest.raises(CheckpointInvalid, match=f"{next(iter(values))} is .*implemented"):
        block(**values)


def test_what_has_no_effect_and_what_says_nothing_is_passed_over():
    inert = {"dropout": 0.1, "transformers_version": "9", "use_cache": True, "novel_note": "x"}
    assert block(**inert, pad_mode="constant", layer_types=["full"] * 3, quantization_config=None, lora_alpha=0, attn_bias=False) == block()


def test_a_missing_field_is_named():
    with pytest.raises(CheckpointInvalid, match=r"a\.json of the checkpoint lacks width"):
        settings_of(BlockConfig, Section("a.json", {}))


def whole(**values) -> WholeConfig:
    return settings_of(WholeConfig, Section("a.json", values))


def test_sections_are_read_by_the_types_of_their_fields_and_as_each_class_reads_its_own():
    made = whole(block={"width": 3}, narrow={"width": 2, "eps": None, "pad_mode": "reflect", "__seed1": 4})
    assert (made.block, made.narrow) == (BlockConfig(width=3), NarrowConfig(width=2))
    assert whole(block={"width": 3}, name="x") == WholeConfig(BlockConfig(width=3), name="x"), "a section with a default may be absent"
    with pytest.raises(CheckpointInvalid, match=r"^a\.json of the checkpoint lacks block\.$"):
        whole(narrow={"width": 2})
    with pytest.raises(CheckpointInvalid, match=r"^a\.json: narrow of the checkpoint: eps is 0; a finite number above zero is expected\.$"):
        whole(block={"width": 3}, narrow={"width": 2, "eps": 0})
    for section in (None, 3, []):
        with pytest.raises(CheckpointInvalid, match=r"block is .*; an object is expected"):
            whole(block=section)


def test_rules_are_those_of_the_parents_and_its_own_and_no_attributes():
    assert [f.name for f in fields(NarrowConfig)] == ["width", "eps", "strides", "ids", "bias"]
    assert not any(hasattr(NarrowConfig, name) for name in ("beside", "pad_mode", "layer_types", "dropout", "seeds"))
    ours, theirs = rules_of(NarrowConfig), rules_of(BlockConfig)
    assert ours.only == {**theirs.only, "pad_mode": ("constant", "reflect")}
    assert ours.inert_keys == theirs.inert_keys | {"__seed1", "__seed2"} > TRANSFORMERS.inert_keys | {"dropout"}
    assert (Rules(inert={"of training": "a"}) | Rules(inert={"of training": "b"})).inert_keys == {"a", "b"}, "one reason, said twice"
    assert rules_of(WithNames) == Rules()


def test_what_was_released_follows_from_the_fields():
    assert released_of(WholeConfig, name="y") == WholeConfig(BlockConfig(width=8, eps=1e-5), NarrowConfig(width=2, eps=1e-5), "y")
    assert (released_of(BlockConfig, eps=1.0).eps, BlockConfig(width=1).eps) == (1.0, 1e-6)
    with pytest.raises(TypeError):
        BlockConfig()


@pytest.mark.parametrize(
    "values",
    [
        {"rope_theta": 5e5},
        {"rope_parameters": {"rope_theta": 500_000, "rope_type": "default", "cut": [1, 2]}},
        {"rope_theta": 500_000, "rope_scaling": {"type": "default", "rope_theta": 5e5, "partial_rotary_factor": 1.0}},
    ],
)
def test_theta_has_one_place(values):
    assert plain_rope(Section("a", values), ["cut"]).values == {"rope_theta": 5e5}


def test_theta_may_be_absent_and_a_rotation_of_another_kind_may_not():
    assert plain_rope(Section("a", {"rope_scaling": None, "x": 1})).values == {"x": 1}
    for scaling in ({"rope_type": "llama3"}, {"factor": 2.0}, {"cut": [1, 2]}, {"partial_rotary_factor": 0.5}, [], "yarn"):
        with pytest.raises(CheckpointInvalid):
            plain_rope(Section("a", {"rope_scaling": scaling}))
