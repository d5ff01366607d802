"""What a section of a configuration says: a class whose fields are its keys, each with its type, its default and its released value.

    @schema
    class TalkerConfig(DecoderSizes):
        vocab_size: Size = released(3072)  # a file has to say it; as released it is 3072
        num_code_groups: Size = 16  # a file may leave it out
        max_new_tokens: Size = released(8192, default=2048)
        hidden_act = fixed("silu")  # read by nobody: refused where it is another one
        position_id_per_seconds = without_effect("of videos")  # read by nobody, whatever it is

config_reading.py reads a section into such a class, and refuses by it; `released_of` makes the one that its makers released. No torch here.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Annotated, Any, TypeVar, cast, dataclass_transform, get_type_hints

__all__ = [
    "POSITIVE", "TRANSFORMERS", "Every", "PositiveFloat", "Rules", "Size", "as_released", "fixed", "released", "released_of", "rules_of",
    "schema", "types_of", "without_effect",
]  # fmt: skip

T = TypeVar("T")
POSITIVE = "above zero"
Size = Annotated[int, POSITIVE]
PositiveFloat = Annotated[float, POSITIVE]
_RULES, _RELEASED = "_rules", "released"  # of a class; in the metadata of a field


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
        reasons = dict.fromkeys((*self.inert, *other.inert))
        inert = {why: " ".join(filter(None, (self.inert.get(why), other.inert.get(why)))) for why in reasons}
        return Rules({**self.only, **other.only}, inert)

    @property
    def inert_keys(self) -> frozenset[str]:
        return frozenset(key for keys in self.inert.values() for key in keys.split())


@dataclass(frozen=True)
class _Rule:
    """Of the key that the attribute is called, or of the keys that it names. Taken out of the class by `schema`."""

    rules_for: Callable[[str], Rules]


def fixed(*implemented: object) -> _Rule:
    """The key must have one of these values, where it is there."""
    return _Rule(lambda key: Rules(only={key: implemented}))


def without_effect(why: str, keys: str = "") -> _Rule:
    """The key, or those named, with blanks between, may have any value: what is computed does not depend on it."""
    return _Rule(lambda key: Rules(inert={why: keys or key}))


def released(value: T, *, default: object = MISSING, kw_only: bool = True) -> T:
    """A field that has this value in what the makers released. default: what a file means that says nothing; a file has to, without."""
    return cast(T, field(default=cast(Any, default), kw_only=kw_only, metadata=as_released(value)))


def as_released(value: object) -> Mapping[str, object]:
    """The same as `metadata` of a field whose default is made."""
    return {_RELEASED: value}


@dataclass_transform(frozen_default=True, field_specifiers=(field, released))
def schema(kind: type[T]) -> type[T]:
    """Makes a frozen dataclass of it, and takes its rules, which stand beside those of its parents, out of its attributes."""
    rules = Rules()
    for base in reversed(kind.__bases__):
        rules |= rules_of(base)
    for name, rule in list(vars(kind).items()):
        if isinstance(rule, _Rule | Rules):
            delattr(kind, name)
            rules |= rule if isinstance(rule, Rules) else rule.rules_for(name)
    setattr(kind, _RULES, rules)
    return dataclass(frozen=True)(kind)


def rules_of(kind: type) -> Rules:
    """Of the keys that no field of the class reads; none where it is no schema."""
    return getattr(kind, _RULES, Rules())


def types_of(kind: type) -> dict[str, Any]:
    """Field -> its type, with its bound."""
    hints, names = get_type_hints(kind, include_extras=True), {each.name for each in fields(kind)}
    return {name: hint for name, hint in hints.items() if name in names}


def released_of(kind: type[T], **given: object) -> T:
    """As its makers released it: fields and sections by their released values, others by their defaults. given: those that differ."""
    values, types = dict(given), types_of(kind)
    for each in fields(cast(Any, kind)):
        if each.name in given:
            continue
        if _RELEASED in each.metadata:
            values[each.name] = each.metadata[_RELEASED]
        elif hasattr(types[each.name], _RULES):
            values[each.name] = released_of(types[each.name])
    return kind(**values)


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
