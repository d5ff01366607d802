"""Sentences: every sentence of the page in one language, from assets/words/. Also plurals, numbers, times, sizes. It knows no visitor."""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Any, cast

__all__ = ["FOLDER", "LANGUAGES", "MARK", "OWNERS_ERRORS", "OWNERS_HINT", "PLURALS", "SLOT", "Sentences", "sentences_in"]

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "words"
LANGUAGES = ("en", *sorted({file.stem for file in FOLDER.glob("*.json")} - {"en"}))  # English is what a visitor of no other gets
# Of a sentence: {name}, a number of seconds or bytes as {name:seconds}, or of other things as {name:texts}, which is figures.texts.
SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
MARK = re.compile(r"@@(?:([a-z_]+)\.([a-z0-9_]+)|language)@@")  # of markup: @@section.key@@, and @@language@@ for the language's code

# CLDR 46, cardinals: the forms that a language has. Spanish and French have "many" for whole millions; who leaves it out says "other".
PLURALS: Mapping[str, tuple[str, ...]] = {
    "en": ("one", "other"),
    "de": ("one", "other"),
    "es": ("one", "many", "other"),
    "fr": ("one", "many", "other"),
    "zh": ("other",),
}
# Decimal mark, mark between thousands, and how many digits stand before the first of those at least: CLDR 46, as Intl.NumberFormat writes.
MARKS = {"en": (".", ",", 1), "de": (",", ".", 1), "es": (",", ".", 2), "fr": (",", "\u202f", 1), "zh": (".", ",", 1)}
MILLION = 1_000_000
ALL_DIGITS = Context(prec=400)  # of the largest float, and decimals behind them
MOST_DECIMALS = 3  # of a number that no format was asked for; Intl.NumberFormat's own
SIZES = ("bytes", "kilobytes", "megabytes", "gigabytes")  # of 1000 each, as the Hub and the shops of disks count
KILO = 1000
FEW = 100  # below, a size has one decimal
SECONDS_PER_MINUTE = 60
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")  # blocks of Unicode
ISOLATE, POP = "\u2068", "\u2069"  # first strong isolate, and its end

# Errors whose next step is the owner's of the studio alone. Their visitors are told so in its place.
OWNERS_ERRORS = (
    "weights_absent",
    "weights_lacking",
    "weights_incomplete",
    "weights_gated",
    "weights_gated_no_token",
    "weights_gated_not_accepted",
    "weights_not_downloaded",
    "weights_not_fetched",
    "checkpoint_invalid",
    "licence_not_accepted",
    "engine_not_opened",
    "no_room_beside",
    "option_without_library",
)
OWNERS_HINT = "engines.ask_owner"

Sentence = str | Mapping[str, str]  # or its plural forms, chosen by `n`


@dataclass(frozen=True)
class Sentences:
    """One language's. sections: section -> key -> sentence; in "errors", key -> fact and hint."""

    language: str
    sections: Mapping[str, Mapping[str, Any]]  # JSON

    def words(self, key: str, values: Mapping[str, object]) -> str:
        """The sentence with its slots filled. key: "section.key", or "errors.code.fact". Raises KeyError for what is not there."""
        return self._filled(self.sentence(key), values)

    def problem(self, code: str, values: Mapping[str, object], otherwise: tuple[str, str], *, is_visitor: bool = False) -> tuple[str, str]:
        """(fact, hint) of what went wrong; values["sentence"] says which, where a code has several.

        otherwise: where nothing is said of the code, or values are missing: an engine may come from elsewhere, with errors of its own.
        is_visitor: whether they are told to somebody who does not run the studio.
        """
        which = str(values.get("sentence") or code)
        said = self.sections["errors"].get(which)
        try:
            fact, hint = (self._filled(said["fact"], values), self._filled(said["hint"], values)) if said else otherwise
        except KeyError:
            fact, hint = otherwise
        return fact, self.words(OWNERS_HINT, {}) if is_visitor and which in OWNERS_ERRORS else hint

    def sentence(self, key: str) -> Sentence:
        """As it is written in the file. Raises KeyError."""
        found: Any = self.sections
        for part in key.split("."):
            found = found[part] if isinstance(found, Mapping) else None
        if not isinstance(found, str | Mapping):
            raise KeyError(key)
        return found

    def sentences(self) -> Iterator[tuple[str, Sentence]]:
        """(key, sentence) of all, in the order of the file."""
        for section, entries in self.sections.items():
            for key, entry in entries.items():
                parts = [(f"{key}.{part}", entry[part]) for part in entry] if section == "errors" else [(key, entry)]
                yield from ((f"{section}.{name}", sentence) for name, sentence in parts)

    def module(self) -> bytes:
        """As an ES module, for assets/web/words/words.js."""
        has_errors = "errors" in self.sections  # of which a page of listeners tells none
        known = vars(self) | {"owners": {"errors": OWNERS_ERRORS if has_errors else (), "hint": OWNERS_HINT if has_errors else ""}}
        shown = (f"export const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in known.items())
        return "\n".join(shown).replace("const sections", "const catalog", 1).encode()

    def section_alone(self, name: str) -> "Sentences":
        """The same language without its other sections. Raises KeyError."""
        return Sentences(self.language, {name: self.sections[name]})

    def without(self, *names: str) -> "Sentences":
        """The same language without these sections."""
        return Sentences(self.language, {name: section for name, section in self.sections.items() if name not in names})

    def later_module(self, *names: str) -> bytes:
        """An ES module that adds these sections to those of `module`, which it imports."""
        sections = {name: self.sections.get(name, {}) for name in names}
        return f'import {{ catalog }} from "./catalog.js";\nObject.assign(catalog, {json.dumps(sections, ensure_ascii=False)});'.encode()

    def marked(self, text: str) -> str:
        """Markup with the words of its marks; a mark of no sentence stays, since it may be part of what a visitor wrote."""

        def said(mark: re.Match) -> str:
            if mark[1] is None:
                return self.language
            sentence = self.sections.get(mark[1], {}).get(mark[2])
            return sentence if isinstance(sentence, str) else mark[0]

        return MARK.sub(said, text)

    def plural(self, n: float) -> str:
        """Which form a number asks for."""
        if self.language == "zh":
            return "other"
        if abs(n) < 2 if self.language == "fr" else n == 1:
            return "one"
        is_many = "many" in PLURALS[self.language] and n != 0 and n % MILLION == 0
        return "many" if is_many else "other"

    def number(self, value: float, *, least: int = 0, most: int = MOST_DECIMALS) -> str:
        """With the marks of the language. least, most: decimals."""
        decimal, thousands, before = MARKS[self.language]
        exact = Decimal(str(value)).quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP, ALL_DIGITS)
        whole, _, rest = f"{abs(exact):f}".partition(".")
        rest = rest.rstrip("0").ljust(least, "0")
        if len(whole) >= 3 + before:
            whole = f"{int(whole):,}".replace(",", thousands)
        return ("-" if exact < 0 else "") + whole + (decimal + rest if rest else "")

    def seconds(self, value: float) -> str:
        """Such as "84 ms", "3 s", "5.6 s" or "3 min 12 s"."""
        thousandths = _rounded(value * 1000)
        if thousandths < 1000:
            return self._figure("milliseconds", n=thousandths)
        tenths = value if value == int(value) else _rounded(value * 10) / 10
        if tenths < SECONDS_PER_MINUTE:
            return self._figure("seconds", n=self.number(tenths, least=0 if value == int(value) else 1, most=1))
        minutes, rest = divmod(_rounded(value), SECONDS_PER_MINUTE)
        return self._figure("minutes_seconds" if rest else "minutes", minutes=minutes, seconds=rest)

    def bytes(self, value: float) -> str:
        """Such as "812 kB" or "3.1 GB"."""
        size, unit = float(value), 0
        while _rounded(size) >= KILO and unit < len(SIZES) - 1:
            size, unit = size / KILO, unit + 1
        decimals = 1 if unit and (size < FEW or unit == len(SIZES) - 1) else 0
        return self._figure(SIZES[unit], n=self.number(size, least=decimals, most=decimals))

    def _figure(self, key: str, **values: object) -> str:
        return self.words(f"figures.{key}", values)

    def _filled(self, sentence: Sentence, values: Mapping[str, object]) -> str:
        if not isinstance(sentence, str):
            sentence = sentence.get(self.plural(cast(float, values["n"])), sentence["other"])
        return SLOT.sub(lambda slot: self._shown(values[slot[1]], slot[2]), sentence)

    def _shown(self, value: object, form: str | None) -> str:
        if isinstance(value, list | tuple):
            return self._listed([self._shown(one, form) for one in value])
        if not isinstance(value, int | float) or isinstance(value, bool):
            return _apart(str(value))
        if form is None:
            return self.number(value)
        own = {"seconds": self.seconds, "bytes": self.bytes}.get(form)
        return own(value) if own else self._figure(form, n=value)

    def _listed(self, parts: Sequence[str]) -> str:
        """Between commas; between semicolons where a part has commas of its own."""
        comma = self.words("figures.comma", {})
        return (self.words("figures.semicolon", {}) if any(comma.strip() in part for part in parts) else comma).join(parts)


@functools.cache
def sentences_in(language: str) -> Sentences:
    """Raises OSError for a language without a file."""
    return Sentences(language, json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8")))


def _rounded(value: float) -> int:
    """To the nearest whole number, halves up, as browsers round."""
    return int(Decimal(str(value)).quantize(Decimal(1), ROUND_HALF_UP))


def _apart(said: str) -> str:
    """What is written from right to left, so that the words beside it keep their places."""
    return f"{ISOLATE}{said}{POP}" if RIGHT_TO_LEFT.search(said) else said
