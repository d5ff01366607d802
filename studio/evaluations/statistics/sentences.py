"""sentence_of: a line as a sentence. Values that are keys (figures, what a system is ahead in) are put into words here."""

from studio.evaluations.statistics.lines import TOLD
from studio.words.line import Line, Say

__all__ = ["sentence_of"]

# Value -> prefix of the keys that its figures have: `ahead_likeness` is "more like the voice".
PHRASES = {"ahead": "ahead", "other_ahead": "ahead", "behind": "behind"}
OF_LABELS = ("found_ahead",)  # lines in which they are systems
VERSA = "versa."


def sentence_of(line: Line, say: Say) -> str:
    """say: of section `evaluations`, whose keys `figure_...` are names of figures."""
    return say(line.key, {name: _in_words(line.key, name, value, say) for name, value in line.values.items()})


def _in_words(key: str, name: str, value: object, say: Say) -> object:
    """A value as it stands in a sentence."""
    if name == "figure":
        return _figure(str(value), say)
    if name == "statistic":
        return say(f"statistic_{value}", {})
    if not isinstance(value, list | tuple):
        return value
    if name == "codes":
        return [code or say("language_unknown", {}) for code in value]
    if name == "floors":
        return [say("floor_of_language", {"language": code, "floor": floor}) for code, floor in value]
    return [_phrase(PHRASES[name], figure, say) for figure in value] if name in PHRASES and key not in OF_LABELS else value


def _figure(name: str, say: Say) -> str:
    """VERSA's have names of their own."""
    return name.removeprefix(VERSA) if name.startswith(VERSA) else say(f"figure_{name}", {})


def _phrase(prefix: str, figure: str, say: Say) -> str:
    return say(f"{prefix}_{figure}", {}) if figure in TOLD else _figure(figure, say)
