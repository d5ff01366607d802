"""ReportWords: figures, ranges and names as a report writes them in its language, with the words of section `evaluations`."""

from dataclasses import dataclass
from functools import cached_property
from math import isnan

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.words.line import Say
from studio.words.sentences import sentences_in

__all__ = ["LEAST_RATIO", "MOST_RATIO", "NARROW", "NONE", "ReportWords", "title_of"]

NONE = "–"
NARROW = "\u202f"  # narrow no-break space, between a figure and its unit
# Factors beyond say no more than that it is far: ranges of a few cells are without end.
MOST_RATIO, LEAST_RATIO = 1000.0, 0.001
MOST_WRITTEN = 1e9
_SIGNS = {"x": "×"}


@dataclass(frozen=True)
class ReportWords:
    """say: sentences of section `evaluations`, in that language (a code)."""

    say: Say
    language: str

    def number(self, value: float | None, decimals: int = 0) -> str:
        """With as many decimals, so that figures of a column stand under each other; a dash for None and for what is no number."""
        if value is None or isnan(value):
            return NONE
        shown = (
            sentences_in(self.language).number(value, least=decimals, most=decimals)
            if abs(value) < MOST_WRITTEN
            else f"{'-' if value < 0 else ''}∞"
        )
        return shown.replace("-", "−")

    def figure(self, name: str, value: float | None) -> str:
        """With its unit, such as "3.2 %"."""
        kind = figure_kind(name)
        return self.number(value, kind.decimals) + (self._unit(kind.unit) if value is not None else "")

    def range(self, name: str, low: float | None, high: float | None) -> str:
        """Without a unit; "" where nothing is known."""
        decimals = figure_kind(name).decimals
        return "" if low is None or high is None else self.from_to(self.number(low, decimals), self.number(high, decimals))

    def difference(self, name: str, value: float | None, *, is_ratio: bool = False) -> str:
        """Of two systems: with a sign, in points of the figure; or as a factor."""
        if value is None or is_ratio:
            return NONE if value is None else f"×{NARROW}{self._ratio(value)}"
        return f"{'+' if value > 0 else ''}{self.number(value, figure_kind(name).decimals)}"

    def difference_range(self, name: str, low: float | None, high: float | None, *, is_ratio: bool = False) -> str:
        """ "" where nothing is known."""
        if low is None or high is None:
            return ""
        ends = (low, high)
        if is_ratio:
            return self.from_to(*map(self._ratio, ends))
        return self.from_to(*(self.difference(name, end) for end in ends))

    def from_to(self, low: str, high: str) -> str:
        return self.say("report_from_to", {"low": low, "high": high})

    def percent(self, share: float | None, decimals: int = 1) -> str:
        """share: 0 to 1."""
        return NONE if share is None else f"{self.number(100 * share, decimals)}{NARROW}%"

    def seconds(self, value: float | None) -> str:
        return NONE if value is None else sentences_in(self.language).seconds(value)

    def size(self, n_bytes: int | None) -> str:
        return NONE if n_bytes is None else sentences_in(self.language).bytes(n_bytes)

    def name(self, figure: str) -> str:
        """Such as "Wrong words"; what VERSA calls it of its own."""
        return figure.removeprefix("versa.") if figure.startswith("versa.") else self.say(f"figure_{figure}", {})

    def unit(self, figure: str) -> str:
        return self._unit(figure_kind(figure).unit).strip(NARROW)

    def spoken(self, code: str | None) -> str:
        """A language by its name; "" where nobody says it."""
        return self._languages.get(code, code) if code else ""

    def kind(self, kind: str) -> str:
        """Of texts; what the studio has no word for as it stands in the list."""
        try:
            return self.say(f"kind_{kind}", {})
        except KeyError:
            return kind

    def _ratio(self, value: float) -> str:
        if value > MOST_RATIO:
            return f"> {self.number(MOST_RATIO)}"
        if value < LEAST_RATIO:
            return f"< {self.number(LEAST_RATIO, 3)}"
        return self.number(value, 2 if value >= 0.1 else 3)

    @cached_property
    def _languages(self) -> dict[str, str]:
        from studio.reading.language import names_for_reader

        return names_for_reader(self.language, {})

    @staticmethod
    def _unit(unit: str) -> str:
        return f"{NARROW}{_SIGNS.get(unit, unit)}" if unit else ""


def title_of(data: EvaluationData, words: ReportWords) -> str:
    """Of the evaluation, or what it compares."""
    plan = data.evaluation.plan
    return plan.title or words.say("report_untitled", {"systems": tuple(system.label for system in plan.systems)})
