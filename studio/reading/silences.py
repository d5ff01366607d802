"""Silences: how long those of a text's layout last, and what marks that ask for one mean."""

import re

__all__ = ["HEADING", "ITEM", "LINE", "MOST_SECONDS", "PARAGRAPH", "RULE", "SENTENCE", "break_seconds", "mark_seconds"]

# Seconds of the layout: our choice, from a short breath to the silence behind a title.
# What a voice is silent by itself counts as part of it.
LINE = 0.3  # a verse, a line of its own
ITEM = 0.35
SENTENCE = 0.4
PARAGRAPH = 0.7
HEADING = 0.8
RULE = 1.0
MOST_SECONDS = 60.0  # of one mark
LEAST_BARE_MS = 100  # a number without a unit counts milliseconds from there on: [pause 2], [pause 500]

# Of <break strength>, as Azure documents them; W3C leaves them open.
_STRENGTHS = {"none": 0.0, "x-weak": 0.25, "weak": 0.5, "medium": 0.75, "strong": 1.0, "x-strong": 1.25}
_OF_BREAK = _STRENGTHS["medium"]
_WORDS = {"pause": 0.5, "break": 0.5, "silence": 0.5, "beat": 0.5, "short pause": 0.25, "brief pause": 0.25, "long pause": 1.0,
          "停顿": 0.5, "停頓": 0.5}  # fmt: skip
_UNITS = {"ms": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "msec": 0.001}  # all others are seconds
_LENGTH = r"(?P<{0}>\d{{1,6}}(?:[.,]\d{{1,6}})?|[.,]\d{{1,6}})\s*(?P<unit_{0}>milliseconds?|msec|ms|seconds?|secs?|s)?"
_TIMED = re.compile(
    rf"(?:pause|break|silence|wait)s?(?:\s+(?:of|for))?\s*[:=\s]\s*{_LENGTH.format('behind')}"
    rf"|{_LENGTH.format('before')}\s*(?:pause|break|silence)"
)
_TIME = re.compile(rf"\+?{_LENGTH.format('time')}")


def mark_seconds(inner: str) -> float | None:
    """Of "pause:500ms", "pause 2s", "1.5 s silence", "long pause": what stands in brackets; None where it asks for no silence."""
    words = " ".join(inner.casefold().replace("_", " ").split())
    if words in _WORDS:
        return _WORDS[words]
    match = _TIMED.fullmatch(words)
    if match is None:
        return None
    name = "behind" if match["behind"] else "before"
    return _seconds(match[name], match[f"unit_{name}"])


def break_seconds(attributes: dict[str, str]) -> float | None:
    """Of an SSML break; None for a time that is none. Its time goes before its strength."""
    if (time := attributes.get("time")) is not None:
        match = _TIME.fullmatch(time.strip().casefold())
        return _seconds(match["time"], match["unit_time"]) if match else None
    return _STRENGTHS.get(attributes.get("strength", "medium").strip().casefold(), _OF_BREAK)


def _seconds(number: str, unit: str | None) -> float:
    seconds = float(number.replace(",", "."))
    factor = _UNITS.get(unit, 1.0) if unit else 1.0 if seconds < LEAST_BARE_MS else _UNITS["ms"]
    return min(seconds * factor, MOST_SECONDS)
