"""Reads the makers' YAML file of a model into a PocketConfig, and runs nothing in it. No torch here.

A key that the official package (pocket-tts 4.0.1, utils/config.py) does not have is refused by name, as there; so is what we do not
implement, and sizes that do not fit one another.
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.plain_yaml import read_mapping
from engines.kit.weights.schema import Rules, rules_of
from engines.pocket_tts.config import (
    FRAME_SAMPLES,
    BackboneConfig,
    CodecTransformerConfig,
    FlowLmConfig,
    HeadConfig,
    PocketConfig,
    SeanetConfig,
    TextRules,
    TokenTableConfig,
    VaeConfig,
)

__all__ = ["read_config"]

T = TypeVar("T")
HEADS = ("lsd", "pointwise", "drifting")
TOKENIZERS = {"tokenizers": "tokenizers", "json": "tokenizers", "sentencepiece": "sentencepiece"}  # modules/text_conditioner.py
MOST_LAYERS = 200  # the released models have up to 24
MOST_CONTEXT = 10_000  # 50 s; the released models have 250 and 50
DEFAULT_EOS_THRESHOLD = -4.0  # default_parameters.py
OTHER = "Use the checkpoint as its makers released it."
QUANTIZER = Rules(inert={"compared with what is beside it": "dimension output_dimension"})


def read_config(file: Path) -> PocketConfig:
    """Raises CheckpointInvalid that names file, key and value."""
    model = read_mapping(file)
    text = _read(TextRules, model, {"model_recommended_frames_after_eos": _optional(model, "model_recommended_frames_after_eos")})
    for key in text.replace_characters:
        if not isinstance(key, str) or len(key) != 1:
            model.refuse("replace_characters", "single characters are replaced")
    table = model.section("flow_lm").section("lookup_table")
    flow_lm, mimi = _flow_lm(model.section("flow_lm")), _mimi(model.section("mimi"))
    return PocketConfig(
        flow_lm,
        mimi,
        text,
        tokenizer=_one_of(table, "tokenizer", TOKENIZERS),
        default_temperature=_number(model, "default_temperature", 0.3, least=0.0),
        default_eos_threshold=_number(model, "default_eos_threshold", DEFAULT_EOS_THRESHOLD),
    )


def _flow_lm(section: Section) -> FlowLmConfig:
    heads = section.section("flow")
    kind = {"type": _one_of(heads, "type", {name: name for name in HEADS}, default="lsd")}
    backbone, table = _backbone(section.section("transformer")), section.section("lookup_table")
    made = {
        "flow": _read(HeadConfig, heads, kind),
        "transformer": backbone,
        "lookup_table": _read(TokenTableConfig, table, {"rank": _optional(table, "rank", least=1)}),
        "z_dim": _optional(section, "z_dim", least=1),
    }
    _expect(table, "dim", backbone.d_model, "the width of the backbone")
    return _read(FlowLmConfig, section, made)


def _backbone(section: Section) -> BackboneConfig:
    made = {key: _optional(section, key, least=1) for key in ("attn_dim", "num_kv_heads", "dim_feedforward")}
    config = _read(BackboneConfig, section, made)
    _expect_heads(section, config.attn_dim or config.d_model, config.num_heads)
    if config.num_layers > MOST_LAYERS:
        section.refuse("num_layers", f"at most {MOST_LAYERS} are expected", OTHER)
    if config.num_heads % config.n_kv_heads:
        section.refuse("num_kv_heads", f"a divisor of num_heads, {config.num_heads}, is expected")
    return config


def _mimi(section: Section) -> VaeConfig:
    seanet, transformer = _seanet(section.section("seanet")), _transformer(section.section("transformer"))
    own = {key: section.values.get(key) is not None for key in ("decoder_seanet", "decoder_transformer")}
    made = {
        "seanet": seanet,
        "transformer": transformer,
        "decoder_seanet": _seanet(section.section("decoder_seanet")) if own["decoder_seanet"] else seanet,
        "decoder_transformer": _transformer(section.section("decoder_transformer")) if own["decoder_transformer"] else transformer,
    }
    quantizer = section.section("quantizer")
    made["inner_dim"] = _optional(section, "inner_dim", least=1) or seanet.dimension
    made["outer_dim"] = _optional(section, "outer_dim", least=1) or made["decoder_seanet"].dimension
    made["latent_dim"] = _size(quantizer, "dimension")
    _check_keys(quantizer, set(), QUANTIZER)
    config = _read(VaeConfig, section, made, without=("latent_dim",))
    _check_vae(section, config)
    return config


def _check_vae(section: Section, config: VaeConfig) -> None:
    """Raises CheckpointInvalid where the parts do not fit one another."""
    for name in ("", "decoder_"):
        seanet, transformer = getattr(config, f"{name}seanet"), getattr(config, f"{name}transformer")
        if seanet.dimension != transformer.d_model:
            part = section.section(f"{name}transformer" if section.values.get(f"{name}transformer") else "transformer")
            part.refuse("d_model", f"that of {name}seanet, {seanet.dimension}, is expected")
    if config.outer_dim != config.decoder_seanet.dimension:  # its upsampling has a kernel per channel
        section.refuse("outer_dim", f"the decoder's dimension, {config.decoder_seanet.dimension}, is expected")
    _expect(section.section("quantizer"), "output_dimension", config.outer_dim, "outer_dim")
    hop = config.seanet.hop_samples
    if FRAME_SAMPLES % hop or hop == FRAME_SAMPLES:
        section.section("seanet").refuse("ratios", f"their product shall be a part of {FRAME_SAMPLES} samples, those of a latent", OTHER)
    if config.decoder_seanet.hop_samples != hop:
        section.section("decoder_seanet").refuse("ratios", f"their product shall be that of seanet, {hop}", OTHER)


def _seanet(section: Section) -> SeanetConfig:
    config = _read(SeanetConfig, section)
    if config.n_filters % config.compress:
        section.refuse("compress", f"a divisor of n_filters, {config.n_filters}, is expected")
    return config


def _transformer(section: Section) -> CodecTransformerConfig:
    config = _read(CodecTransformerConfig, section)
    _expect_heads(section, config.d_model, config.num_heads)
    if config.num_layers > MOST_LAYERS:
        section.refuse("num_layers", f"at most {MOST_LAYERS} are expected", OTHER)
    if config.context > MOST_CONTEXT:
        section.refuse("context", f"at most {MOST_CONTEXT} rows are expected", OTHER)
    _expect(section, "input_dimension", config.d_model, "d_model")
    _expect(section, "output_dimensions", [config.d_model], "d_model alone")
    return config


def _read(
    kind: type[T],
    section: Section,
    made: Mapping[str, object] = MappingProxyType({}),
    *,
    without: tuple[str, ...] = (),
) -> T:
    """As settings_of, every unknown key refused. without: fields that are no keys of the file."""
    _check_keys(section, {field.name for field in fields(kind)} - set(without), rules_of(kind))
    return settings_of(kind, section, made)


def _check_keys(section: Section, own: set[str], beside: Rules) -> None:
    """Raises CheckpointInvalid for a key that nothing knows, and for one that is compared and not there."""
    for key in section.values:
        if key not in own | set(beside.only) | beside.inert_keys:
            section.refuse(key, "the official package has no such key", OTHER)
    for key, implemented in beside.only.items():
        if key not in section.values and None not in implemented:
            section.refuse(key, f"it is missing, and {implemented[0]!r} is expected")


def _optional(section: Section, key: str, *, least: int = 0) -> int | None:
    """A whole number, None where the key is absent or null."""
    return None if section.values.get(key) is None else _size(section, key, least=least)


def _size(section: Section, key: str, *, least: int = 1) -> int:
    value = section.values.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        section.refuse(key, f"a whole number of at least {least} is expected")
    return value


def _number(section: Section, key: str, default: float, *, least: float = -math.inf) -> float:
    value = section.values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        section.refuse(key, "a finite number is expected" + (f", {least:g} or more" if math.isfinite(least) else ""))
    return float(value)


def _one_of(section: Section, key: str, implemented: Mapping[str, T], default: str | None = None) -> T:
    value = section.values.get(key, default)
    if not isinstance(value, str) or value not in implemented:
        section.refuse(key, f"implemented is {' or '.join(implemented)}", OTHER)
    return implemented[value]


def _expect(section: Section, key: str, value: object, what: str) -> None:
    if section.values.get(key) != value:
        section.refuse(key, f"{what}, {value}, is expected")


def _expect_heads(section: Section, width: int, heads: int) -> None:
    """Rotation turns pairs of channels of a head."""
    if width % (2 * heads):
        section.refuse("num_heads", f"heads of equal, even width are expected, of {width} in all")
