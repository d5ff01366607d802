"""Reads a checkpoint's JSON files into frozen dataclasses, section by section. It checks every value and refuses what we do not implement.

Which keys are refused. A key that a dataclass has is read, in its type. A key in `Rules.only` must have a value that we implement. A key in
`Rules.inert` has no effect on what we compute, for the reason that stands there. Any other key is one that the released files do not have:
it is refused when a word of its name is of a kind that changes computation (WORDS: "rope_ntk_factor", "quantization_config", "lora_rank")
and its value says something, that is, is not null, false, or empty; else it is passed over, as transformers' next release may write it.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar, cast, get_args, get_origin, get_type_hints

from engines.errors import CheckpointInvalid
from engines.plain_json import read_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["TRANSFORMERS", "Every", "PositiveFloat", "Rules", "Section", "Size", "plain_rope", "settings_of"]

T = TypeVar("T", bound="DataclassInstance")
POSITIVE = "above zero"
Size = Annotated[int, POSITIVE]
PositiveFloat = Annotated[float, POSITIVE]
AGAIN, OTHER = "Fetch the weights again.", "Use the checkpoint as its makers released it."

WORDS = frozenset({
    "act", "activation", "adapter", "alibi", "attention", "attn", "bias", "causal", "codebook", "conv", "cutoff", "dilation", "expert",
    "experts", "frame", "kernel", "layer", "layers", "logit", "logits", "lora", "mlp", "moe", "mrope", "norm", "pad", "padding",
    "penalty", "position", "qk", "quant", "quantization", "quantizer", "quantizers", "rate", "residual", "rope", "rotary", "scale",
    "scaling", "sliding", "softcap", "softcapping", "stride", "temperature", "tie", "tied", "top", "upsample", "upsampling", "window",
})  # fmt: skip


@dataclass(frozen=True)
class Every:
    """A list, of any length, in which every item is this one."""

    item: object


@dataclass(frozen=True)
class Rules:
    """Keys beside a dataclass's own.

    only: key -> the values that we implement, whatever `inert` says of it. inert: reason -> keys without effect, with blanks between.
    """

    only: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    inert: Mapping[str, str] = field(default_factory=dict)

    def __or__(self, other: "Rules") -> "Rules":
        return Rules({**self.only, **other.only}, {**self.inert, **other.inert})

    @property
    def inert_keys(self) -> frozenset[str]:
        return frozenset(key for keys in self.inert.values() for key in keys.split())


# What PretrainedConfig of transformers 4.57.3 writes into the section of any model.
TRANSFORMERS = Rules(
    only={
        "add_cross_attention": (False,),
        "cross_attention_hidden_size": (None,),
        "is_decoder": (False,),
        "is_encoder_decoder": (False,),
        "pruned_heads": ({}, None),
        "tie_encoder_decoder": (False,),
        "tie_word_embeddings": (False,),
    },
    inert={
        "of generate(), which is told otherwise": (
            "bad_words_ids begin_suppress_tokens bos_token_id decoder_start_token_id diversity_penalty do_sample early_stopping"
            " encoder_no_repeat_ngram_size eos_token_id exponential_decay_length_penalty forced_bos_token_id forced_eos_token_id"
            " length_penalty max_length min_length no_repeat_ngram_size num_beam_groups num_beams num_return_sequences pad_token_id prefix"
            " remove_invalid_values repetition_penalty sep_token_id suppress_tokens temperature top_k top_p typical_p"
        ),
        "notes, and what other kinds of model are told": (
            "_name_or_path _attn_implementation architectures attn_implementation dtype finetuning_task id2label label2id output_attentions"
            " output_hidden_states output_scores problem_type return_dict return_dict_in_generate task_specific_params tf_legacy_loss"
            " tokenizer_class torch_dtype torchscript transformers_version use_bfloat16"
        ),
        "how it is computed, not what": "chunk_size_feed_forward use_cache",
        "of training": "attention_dropout initializer_range layer_scale_initial_scale",
    },
)


@dataclass(frozen=True)
class Section:
    """One object of a configuration file. where: what messages call it ("config.json: talker_config")."""

    where: str
    values: Mapping[str, object]

    @classmethod
    def read(cls, folder: Path, name: str) -> "Section":
        """The file of that name. Raises CheckpointInvalid where it cannot be read as a JSON object."""
        try:
            content = read_json((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CheckpointInvalid(f"{name} of the checkpoint cannot be read: {error}.", AGAIN) from error
        if not isinstance(content, dict):
            raise CheckpointInvalid(f"{name} of the checkpoint holds no object.", AGAIN)
        return cls(name, content)

    def section(self, key: str) -> "Section":
        """The object at the key, an empty one where the key is absent. Raises CheckpointInvalid for anything else, null too."""
        inner = self.values.get(key, {})
        if not isinstance(inner, Mapping):
            self.refuse(key, "an object is expected")
        return Section(f"{self.where}: {key}", inner)

    def refuse(self, key: str, expected: str, hint: str = AGAIN) -> NoReturn:
        """Raises CheckpointInvalid that names file, key and value."""
        raise CheckpointInvalid(f"{self.where} of the checkpoint: {key} is {_shown(self.values.get(key))}; {expected}.", hint)


def settings_of(kind: type[T], section: Section, rules: Rules, parts: Mapping[str, object] = MappingProxyType({})) -> T:
    """The dataclass from the section's keys; a key that is absent has the class's default. parts: fields that were made already.

    Raises CheckpointInvalid for a field that is missing or of another type, and for keys as the module's docstring says.
    """
    types = {name: hint for name, hint in get_type_hints(kind, include_extras=True).items() if name in {f.name for f in fields(kind)}}
    known = {name for name in types if name not in parts}
    missing = [
        f.name for f in fields(kind) if f.name in known - set(section.values) and f.default is MISSING and f.default_factory is MISSING
    ]
    if missing:
        raise CheckpointInvalid(f"{section.where} of the checkpoint lacks {', '.join(missing)}.", AGAIN)
    _check_others(section, set(types), rules)
    values = {name: _value(section, name, types[name]) for name in known & set(section.values)}
    return kind(**values, **parts)


def plain_rope(section: Section, beside: Iterable[str] = ()) -> Section:
    """The section with `rope_theta` as transformers 4 writes it, whether the key says so, rope_parameters (transformers 5) or rope_scaling.

    beside: keys of these two objects that have no effect.
    Raises CheckpointInvalid where they ask for another rotary embedding than the plain one, or disagree on theta.
    """
    values, thetas = dict(section.values), {}
    if "rope_theta" in values:
        thetas["rope_theta"] = values["rope_theta"]
    for key in ("rope_parameters", "rope_scaling"):
        if values.get(key) is None:
            values.pop(key, None)
            continue
        rope = section.section(key)
        rules = Rules(
            {"rope_type": ("default",), "type": ("default",), "partial_rotary_factor": (1, 1.0)}, {"of no effect": " ".join(beside)}
        )
        for other in sorted(set(rope.values) - {"rope_theta", *rules.only, *rules.inert_keys}):
            rope.refuse(other, "implemented is the plain rotary embedding, without it", OTHER)
        _check_others(rope, {"rope_theta"}, rules)
        if "rope_theta" in rope.values:
            thetas[f"{key}.rope_theta"] = rope.values["rope_theta"]
        del values[key]
    if len({str(_number(theta)) for theta in thetas.values()}) > 1:
        said = ", ".join(f"{key} is {_shown(theta)}" for key, theta in thetas.items())
        raise CheckpointInvalid(f"{section.where} of the checkpoint contradicts itself: {said}.", AGAIN)
    if thetas:
        values["rope_theta"] = next(iter(thetas.values()))
    return Section(section.where, values)


def _number(value: object) -> object:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _check_others(section: Section, own: set[str], rules: Rules) -> None:
    """Raises CheckpointInvalid for the first key, of those that are not read, that would change what is computed."""
    passed_over = own | rules.inert_keys - set(rules.only)
    for key, value in section.values.items():
        if key in passed_over:
            continue
        if key in rules.only:
            if not any(_is_same(value, implemented) for implemented in rules.only[key]):
                section.refuse(key, f"implemented is {' or '.join(map(_described, rules.only[key]))}", OTHER)
        elif _changes_computation(key, value):
            section.refuse(key, "nothing of the kind is implemented", OTHER)


def _changes_computation(key: str, value: object) -> bool:
    """By the words of a name that no released file has; see the module."""
    return bool(WORDS & set(key.strip("_").split("_"))) and value not in (None, False, "", [], {})


def _is_same(value: object, implemented: object) -> bool:
    if isinstance(implemented, Every):
        return isinstance(value, list) and all(_is_same(item, implemented.item) for item in value)
    return value == implemented and isinstance(value, bool) == isinstance(implemented, bool)


def _described(implemented: object) -> str:
    return f"a list of {implemented.item!r} alone" if isinstance(implemented, Every) else _shown(implemented)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "..."


def _value(section: Section, key: str, wanted: object) -> object:
    """The section's value, frozen, in the wanted type."""
    value, (plain, bound) = section.values[key], _unwrapped(wanted)
    if get_origin(plain) is tuple:
        item = get_args(plain)[0]
        if not isinstance(value, list) or not all(_fits(one, item) for one in value):
            section.refuse(key, f"a list of {_KINDS[_unwrapped(item)[0]]}s is expected")
        return tuple(map(_unwrapped(item)[0], value))
    if get_origin(plain) is Mapping:
        item = get_args(plain)[1]
        if not isinstance(value, Mapping) or not all(_fits(one, item) for one in value.values()):
            section.refuse(key, f"an object of {_KINDS[_unwrapped(item)[0]]}s is expected")
        return MappingProxyType(dict(value))
    if not _fits(value, wanted):
        section.refuse(key, f"a {_KINDS[plain]}{f' {bound}' if bound else ''} is expected")
    return plain(value)


_KINDS: dict[type, str] = {int: "whole number", float: "finite number", bool: "truth value", str: "text"}


def _unwrapped(wanted: object) -> tuple[type, str]:
    """The plain type, and its bound if it has one."""
    return get_args(wanted) if get_origin(wanted) is Annotated else (cast(type, wanted), "")


def _fits(value: object, wanted: object) -> bool:
    """Whether the value is of that type, without any conversion but from a whole number to a number. No number here is below zero."""
    plain, bound = _unwrapped(wanted)
    if plain is bool or plain is str:
        return isinstance(value, plain)
    if isinstance(value, bool) or not isinstance(value, int if plain is int else int | float):
        return False
    return (isinstance(value, int) or math.isfinite(value)) and value >= 0 and (value > 0 or bound != POSITIVE)
