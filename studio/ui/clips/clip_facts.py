"""Three facts and a verdict of a clip, from its measures: keys and figures, said by assets/words/ and assets/web/create/clip_report.js."""

from collections.abc import Mapping, Sequence

from engines.advice.clip_advice import (
    BEST_SPEECH_SECONDS,
    GOOD_LEVEL_DBFS,
    GOOD_SPEECH_SECONDS,
    LEAST_SPEECH_SECONDS,
    Grade,
    Verdict,
)

__all__ = ["FACTS", "clip_facts", "clip_figures", "clip_verdict"]

# Always the same three, each of some measures: the first of the worst of them is what it says.
FACTS: Mapping[str, tuple[str, ...]] = {
    "speech": ("speech_seconds", "n_speakers", "silence_percent"),
    "clear": ("clipping_percent", "other_percent", "snr_db", "level_dbfs"),
    "full": ("bandwidth_hz",),
}
STATES: Mapping[Grade, str] = {"good": "good", "fair": "care", "poor": "failed"}
RANKS = ("good", "care", "failed")
UNITS = {  # of a measure's figure, and its decimals
    "speech_seconds": ("seconds", 1),
    "other_percent": ("percent", 0),
    "n_speakers": ("voices", 0),
    "silence_percent": ("percent", 0),
    "level_dbfs": ("dbfs", 0),
    "snr_db": ("decibels", 0),
    "clipping_percent": ("percent", 1),
    "bandwidth_hz": ("kilohertz", 1),
}
KEPT_LENGTH = ("clip_too_short", "clip_too_long")  # what forbids a region for its length, which is told with its speech
LIMITS = {
    "least": LEAST_SPEECH_SECONDS,
    **dict(zip(("low", "high"), GOOD_SPEECH_SECONDS, strict=True)),
    **dict(zip(("best_low", "best_high"), BEST_SPEECH_SECONDS, strict=True)),
    **dict(zip(("least_dbfs", "most_dbfs"), GOOD_LEVEL_DBFS, strict=True)),
}


def clip_facts(lines: Sequence[Verdict], obstacle: str = "", values: Mapping[str, object] = LIMITS) -> list[dict[str, object]]:
    """{fact, state, case, values} of each of FACTS. case: which sentence; "clear" where all of its measures are good.

    obstacle: code of what forbids the clip, "" where nothing does; values: of its sentence.
    """
    found = {line.measure: line for line in lines}
    facts = [_fact(name, [found[measure] for measure in measures]) for name, measures in FACTS.items()]
    if obstacle in KEPT_LENGTH:
        facts[0] = {"fact": "speech", "state": "failed", "case": obstacle, "values": dict(values)}
    return facts


def clip_verdict(facts: Sequence[Mapping[str, object]], obstacle: str = "", values: Mapping[str, object] = LIMITS) -> dict[str, object]:
    """{state, case, values}: good; care or failed with the first such fact's case; forbidden with the obstacle's code."""
    if obstacle:
        return {"state": "forbidden", "case": obstacle, "values": dict(values)}
    worst = max(facts, key=lambda fact: RANKS.index(fact["state"]))
    return {"state": worst["state"], "case": worst["case"], "values": worst["values"]}


def clip_figures(lines: Sequence[Verdict]) -> list[dict[str, object]]:
    """{measure, unit, decimals, grade, case, values} of each line, in their order; its figure is values["n"]."""
    return [
        {
            "measure": line.measure,
            "unit": UNITS[line.measure][0],
            "decimals": UNITS[line.measure][1],
            "grade": line.grade,
            "case": line.case,
            "values": _values(line),
        }
        for line in lines
    ]


def _fact(name: str, lines: Sequence[Verdict]) -> dict[str, object]:
    worst = max(lines, key=lambda line: RANKS.index(STATES[line.grade]))
    case = "clear" if name == "clear" and worst.grade == "good" else worst.case
    return {"fact": name, "state": STATES[worst.grade], "case": case, "values": _values(worst)}


def _values(line: Verdict) -> dict[str, object]:
    unit, decimals = UNITS[line.measure]
    return LIMITS | {"n": round(line.value / 1000 if unit == "kilohertz" else line.value, decimals)}
