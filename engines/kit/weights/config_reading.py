"""Reads a checkpoint's JSON files into frozen dataclasses, section by section. It checks every value and refuses what we do not implement.

Which keys are refused. A key that a dataclass has is read, in its type. A key that is `fixed` must have a value that we implement. A key
`without_effect` has none on what we compute, for the reason that stands there (schema.py). Any other key is one that the released files do
not have: it is refused when a word of its name is of a kind that changes computation (WORDS: "rope_ntk_factor", "quantization_config",
"lora_rank") and its value says something, that is, is not null, false, or empty; else it is passed over, as transformers' next release may
write it.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NoReturn, TypeVar, cast, get_args, get_origin

from engines.errors import CheckpointInvalid
from engines.kit.weights.schema import POSITIVE, Every, Rules, rules_of, types_of
from engines.plain_json import read_json

__all__ = ["Section", "plain_rope", "settings_of"]

T = TypeVar("T")
AGAIN, OTHER = "Fetch the weights again.", "Use the checkpoint as its makers released it."

WORDS = frozenset({
    "act", "activation", "adapter", "alibi", "attention", "attn", "bias", "causal", "codebook", "conv", "cutoff", "dilation", "expert",
    "experts", "frame", "kernel", "layer", "layers", "logit", "logits", "lora", "mlp", "moe", "mrope", "norm", "pad", "padding",
    "penalty", "position", "qk", "quant", "quantization", "quantizer", "quantizers", "rate", "residual", "rope", "rotary", "scale",
    "scaling", "sliding", "softcap", "softcapping", "stride", "temperature", "tie", "tied", "top", "upsample", "upsampling", "window",
})  # fmt: skip


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

    def check_model_type(self, implemented: str, title: str, hint: str) -> None:
        """Raises CheckpointInvalid, with the hint, where `model_type` is another. title: as people call that model."""
        if (told := self.values.get("model_type")) != implemented:
            what = f"model_type {told!r}, and {implemented!r} is implemented"
            raise CheckpointInvalid(f"The checkpoint is no {title} model: {what}.", hint)

    def refuse(self, key: str, expected: str, hint: str = AGAIN) -> NoReturn:
        """Raises CheckpointInvalid that names file, key and value."""
        raise CheckpointInvalid(f"{self.where} of the checkpoint: {key} is {_shown(self.values.get(key))}; {expected}.", hint)


def settings_of(kind: type[T], section: Section, parts: Mapping[str, object] = MappingProxyType({})) -> T:
    """The dataclass from the section's keys; a key that is absent has the class's default. parts: fields that were made already.

    A field whose type is a schema is read from the section at its key. A class may say how its section is to be read: `as_read(section)`
    gives the one that is read in its place. Raises CheckpointInvalid for a field that is missing or of another type, and for keys as the
    module's docstring says.
    """
    section, types = as_read(kind, section), types_of(kind)
    known = {name for name in types if name not in parts}
    missing = [
        f.name for f in fields(cast(Any, kind))
        if f.name in known - set(section.values) and f.default is MISSING and f.default_factory is MISSING
    ]  # fmt: skip
    if missing:
        raise CheckpointInvalid(f"{section.where} of the checkpoint lacks {', '.join(missing)}.", AGAIN)
    _check_others(section, set(types), rules_of(kind))
    said = [name for name in types if name in known & set(section.values)]
    inner = {name: settings_of(types[name], section.section(name)) for name in said if is_dataclass(types[name])}
    values = {name: _value(section, name, types[name]) for name in said if name not in inner}
    return kind(**values, **inner, **parts)


def as_read(kind: type, section: Section) -> Section:
    """The section as that class reads it."""
    own = getattr(kind, "as_read", None)
    return section if own is None else own(section)


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
