"""PresetBlend: a blend of an engine's built-in speakers, read from a formula. It is the one reader of formulas.

A formula adds up speakers, each with its weight behind it: `alma:0.6+bea:0.4`, `alma(3)+bea(2)` as Kokoro-FastAPI writes it, or `alma+bea`,
where each weighs 1. What counts is how weights are to each other. What adds nothing up is no formula: `bea (2)` may be anybody's name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from engines.contract.contract import EngineInfo
from engines.contract.options import nearest
from engines.errors import BlendInvalid

__all__ = ["ADDS", "MOST_BLENDED", "PresetBlend", "blend_text"]

ADDS = "+"  # what every formula holds
MOST_BLENDED = 8  # parts of a formula: of more nobody hears the single one
FINEST = 10**6  # the largest denominator of a weight as a part of the largest one: what programs compute of 1/3 is a third
SHOWN_CHARACTERS = 40  # of what is no speaker and no weight
# As programs write a float, without an exponent; and as `_written` does, whose numbers have at most 7 x 6 digits.
_WEIGHT = re.compile(r"[0-9]{1,48}(\.[0-9]{0,24})?|\.[0-9]{1,24}")


@dataclass(frozen=True)
class PresetBlend:
    """weights: preset -> its share of 1, the largest first, of equal ones by name.

    text: one of the formulas of this blend, for all of them the same; of a single speaker its name.
    """

    weights: Mapping[str, float]
    text: str

    @classmethod
    def of(cls, formula: str, info: EngineInfo) -> "PresetBlend":
        """What the formula says of that engine's presets, in any case. Raises BlendInvalid."""
        if not info.blends_presets:
            raise BlendInvalid(sentence="blend_untaken", engine=info.title)
        written = formula.split(ADDS)
        if (n := len(written)) > MOST_BLENDED:
            raise BlendInvalid(sentence="blend_too_large", n=n, most=MOST_BLENDED)
        heard: dict[str, Fraction] = {}
        for part in written:
            name, weight = _read(part.strip(), info)
            heard[name] = heard.get(name, Fraction(0)) + weight
        names, largest = sorted(heard, key=lambda name: (-heard[name], name)), max(heard.values())
        parts = {name: max((heard[name] / largest).limit_denominator(FINEST), Fraction(1, FINEST)) for name in names}
        return cls({name: float(part / sum(parts.values())) for name, part in parts.items()}, _written(parts))


def blend_text(name: str, info: EngineInfo) -> str | None:
    """The text of the blend that a name means to an engine; None where it means none that the engine takes."""
    if not info.blends_presets or ADDS not in name:
        return None
    try:
        return PresetBlend.of(name, info).text
    except BlendInvalid:
        return None


def _read(part: str, info: EngineInfo) -> tuple[str, Fraction]:
    """(preset, weight) of one part. A bracket follows its speaker at once, as programs write it."""
    name, mark, weight = part.partition(":")
    if mark:
        name, weight = name.rstrip(), weight.lstrip()
    elif part.endswith(")"):
        name, mark, weight = part[:-1].partition("(")
    if not name:
        raise BlendInvalid(sentence="blend_part_empty")
    preset = next((preset for preset in info.presets if preset.casefold() == name.casefold()), None)
    if preset is None:
        raise _unknown(name, info)
    share = Fraction(weight if _WEIGHT.fullmatch(weight) else 0) if mark else Fraction(1)
    if not share:
        shown = weight[:SHOWN_CHARACTERS]
        raise BlendInvalid(name=preset, weight=shown)
    return preset, share


def _unknown(name: str, info: EngineInfo) -> BlendInvalid:
    near, shown = nearest(name, info.presets), name[:SHOWN_CHARACTERS]
    if near:
        return BlendInvalid(sentence="blend_part_unknown_but_near", name=shown, engine=info.title, nearest=near)
    return BlendInvalid(sentence="blend_part_unknown", name=shown, engine=info.title)


def _written(parts: Mapping[str, Fraction]) -> str:
    """In the smallest whole numbers that are to each other as these parts of the largest are."""
    if len(parts) == 1:
        return next(iter(parts))
    whole = lcm(*(part.denominator for part in parts.values()))
    return ADDS.join(f"{name}:{part * whole}" for name, part in parts.items())
