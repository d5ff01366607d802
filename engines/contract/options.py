"""Option: a setting of one stream or of a whole engine, as data. Doors and pages are made from it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from engines.errors import OptionInvalid
from engines.text.characters import unwritable_character

__all__ = [
    "MOST_LISTED", "Option", "bool_option", "choice_option", "float_option", "int_option", "nearest", "resolve_options", "text_option",
]  # fmt: skip

Value = bool | int | float | str | None
MOST_SHOWN_CHARACTERS = 40  # of a value that was not taken
MOST_LISTED = 40  # choices that a refusal lists; of more it names the nearest
MOST_NEAREST = 3
TEXTS = ("text", "secret")
SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


@dataclass(frozen=True)
class Option:
    """One setting, of one stream or of how an engine is opened.

    kind: "int" and "float" are bounded by minimum and maximum (both inclusive), "choice" by choices; "text" is plain text of at most
    maximum characters, without the white space around it; "secret" is such a text that is shown nowhere, not in a refusal either.
    default: what an absent or null value means; None where the engine decides (say, a language from the script); "" of a text.
    labels: what the choices are called in English, in their order; () where they say it themselves.
    suggestions: of a text that is a list between commas: the words that the engine knows, in groups of which one at most is said.
    """

    name: str
    kind: Literal["int", "float", "bool", "choice", "text", "secret"]
    default: Value
    summary: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    labels: tuple[str, ...] = ()
    suggestions: tuple[tuple[str, ...], ...] = ()

    def check(self, value: object) -> Value:
        """The value in the option's own type, or OptionInvalid. None is the default."""
        if value is None:
            return self.default
        if self.kind == "bool":
            if isinstance(value, bool):
                return value
            raise self._invalid(value, "true or false", sentence="option_no_switch")
        if self.kind == "choice":
            if str(value) in self.choices:  # a number where choices are numbers, as JSON may have it
                return str(value)
            raise self._no_choice(value)
        return self._text(value) if self.kind in TEXTS else self._number(value)

    def parse(self, text: str) -> Value:
        """The value that a text means, as environment variables have it, or OptionInvalid."""
        if self.kind == "bool":
            return self.check(SWITCHES.get(text.strip().casefold(), text))
        if self.kind in ("choice", *TEXTS):
            return self.check(text)
        for number in (int, float):
            try:
                return self.check(number(text))
            except ValueError:
                continue
        return self.check(text)

    def _number(self, value: object) -> int | float:
        wanted = f"from {self.minimum} to {self.maximum}"
        number = value if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value) else None
        if number is None or (self.kind == "int" and number != int(number)):
            raise self._invalid(value, wanted, sentence="option_no_whole_number" if self.kind == "int" else "option_no_number")
        if self.minimum is not None and number < self.minimum:
            raise self._invalid(value, wanted, sentence="option_too_small", least=self.minimum)
        if self.maximum is not None and number > self.maximum:
            raise self._invalid(value, wanted, sentence="option_too_large", most=self.maximum)
        return int(number) if self.kind == "int" else float(number)

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            raise self._invalid(value, "", sentence="option_no_text")
        text, name = value.strip(), self.name
        if self.maximum is not None and len(text) > self.maximum:
            raise OptionInvalid(name, sentence="option_too_long", n=len(text), most=self.maximum)
        if hidden := unwritable_character(text):
            raise OptionInvalid(name, sentence="option_with_hidden_character", character=hidden)
        return text

    def _no_choice(self, value: object) -> OptionInvalid:
        if len(self.choices) <= MOST_LISTED:
            return self._invalid(value, f"one of {', '.join(self.choices)}", sentence="option_no_choice", choices=self.choices)
        n, named = len(self.choices), dict(zip(self.labels, self.choices, strict=bool(self.labels)))
        near = tuple(dict.fromkeys(named.get(name, name) for name in nearest(str(value), (*self.choices, *self.labels))))
        if not near:
            return self._invalid(value, f"one of its {n} choices", sentence="option_no_choice_of_many", n=n)
        wanted = f"one of its {n} choices, of which these are near: {', '.join(near)}"
        return self._invalid(value, wanted, sentence="option_no_choice_but_near", n=n, nearest=near)

    def _invalid(self, value: object, wanted: str, **values: object) -> OptionInvalid:
        """wanted: what it must be, "" where the sentence says it."""
        shown, hint = "..." if self.kind == "secret" else str(value), f"Leave {self.name} out to use {self.default!r}."
        detail = f"it must be {wanted}" if wanted else ""
        return OptionInvalid(self.name, None, hint, detail=detail, value=shown[:MOST_SHOWN_CHARACTERS], **values)


def nearest(said: str, known: Iterable[str]) -> tuple[str, ...]:
    """Of what is known the few that are spelled most like what was said, the nearest first; () where none is near. No case counts."""
    spelled = {name.casefold(): name for name in known}
    near = get_close_matches(said.strip().casefold()[:MOST_SHOWN_CHARACTERS], spelled, n=MOST_NEAREST)
    return tuple(spelled[name] for name in near)


def _is_finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def resolve_options(schema: tuple[Option, ...], given: Mapping[str, object]) -> Mapping[str, Value]:
    """Every option of the schema with its checked value. An unknown name is an error, never ignored."""
    known = {option.name: option for option in schema}
    for name in given:
        if name not in known:
            hint = f"Its options are {', '.join(sorted(known))}."
            raise OptionInvalid(name, hint=hint, sentence="option_unknown")
    return MappingProxyType({name: option.check(given.get(name)) for name, option in known.items()})


# --- one resolved value, in the type of its kind: `resolve_options` has checked it, so that another type is a fault of the code


def int_option(options: Mapping[str, Value], name: str) -> int:
    """The value of an option of kind int that has a default."""
    value = options[name]
    assert isinstance(value, int), name
    return value


def float_option(options: Mapping[str, Value], name: str) -> float:
    """The value of an option of kind float that has a default."""
    value = options[name]
    assert isinstance(value, int | float), name
    return float(value)


def bool_option(options: Mapping[str, Value], name: str) -> bool:
    """The value of an option of kind bool."""
    value = options[name]
    assert isinstance(value, bool), name
    return value


def text_option(options: Mapping[str, Value], name: str) -> str:
    """The value of an option of kind text or secret, or of a choice that has a default."""
    value = options[name]
    assert isinstance(value, str), name
    return value


def choice_option(options: Mapping[str, Value], name: str) -> str | None:
    """The value of a choice; None where the engine decides."""
    return None if options[name] is None else text_option(options, name)
