"""sentence_of: a line as a sentence. Values that are keys (figures, what a system is ahead in) are put into words here."""

from collections.abc import Callable, Mapping, Sequence

from studio.evaluations.statistics.findings import Line

__all__ = ["sentence_of"]

Say = Callable[[str, Mapping[str, object]], str]  # a sentence of section `evaluations` by its key and values
# Value -> prefix of the keys that its figures have: `ahead_likeness` is "more like the voice".
PHRASES = {"ahead": "ahead", "other_ahead": "ahead", "behind": "behind"}
VERSA = "versa."


def sentence_of(line: Line, say: Say) -> str:
    """say: of section `evaluations`, whose keys `figure_...` are names of figures."""
    values = dict(line.values)
    if isinstance(values.get("figure"), str):
        values["figure"] = _figure(str(values["figure"]), say)
    for name, prefix in PHRASES.items():
        if line.key != "found_ahead" and isinstance(values.get(name), Sequence):
            values[name] = [_phrase(prefix, figure, say) for figure in values[name]]
    if "floors" in values:
        values["floors"] = [say("floor_of_language", {"language": code, "floor": floor}) for code, floor in values["floors"]]
    if "language" in values:
        values["language"] = values["language"] or say("language_unknown", {})
    return say(line.key, values)


def _figure(name: str, say: Say) -> str:
    """VERSA's have names of their own."""
    return name.removeprefix(VERSA) if name.startswith(VERSA) else say(f"figure_{name}", {})


def _phrase(prefix: str, figure: str, say: Say) -> str:
    from studio.evaluations.statistics.lines import TOLD

    return say(f"{prefix}_{figure}", {}) if figure in TOLD else _figure(figure, say)
