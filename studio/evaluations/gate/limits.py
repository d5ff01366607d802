"""GateLimits: what an evaluation has to keep, read from YAML or JSON.

    wrong_words: {most: 5}
    likeness: {least: 0.8}
    ttfp_ms: {p95: {most: 300}}
    refused: {most: 0}
    systems:
      Kokoro: {wrong_words: {most: 3}}
    since: last-week.json

A limit is of the mean, or of `p50` or `p95` of the sounds, and of each system; below `systems` of one, by its label. `since` is an earlier
evaluation, than which nothing may be worse beyond chance; `worse: false` says the same where the earlier one is named elsewhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Literal, get_args

from studio.errors import EvaluationLimitsUnusable
from studio.evaluations.plan.figures import FIGURES
from studio.storage.plain_yaml import read_yaml

__all__ = ["COUNTS", "GateLimits", "Limit", "Statistic", "limits_of", "read_limits"]

MOST_LIMIT_BYTES = 1 << 20
Statistic = Literal["mean", "p50", "p95"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
# What is no figure of a sound: refused sounds, cells right with one seed and wrong with another, the time to the first sound in a voice
# that nobody knew, memory of the process.
COUNTS = ("refused", "unsteady", "cold_ttfp_ms", "memory_mb")
ENDS = ("least", "most")
OF_RUNS = ("since", "worse")
VERSA = "versa."


@dataclass(frozen=True)
class Limit:
    """figure: of FIGURES, or of COUNTS. system: the label of the one that it is for, None for each."""

    figure: str
    statistic: Statistic = "mean"
    least: float | None = None
    most: float | None = None
    system: str | None = None


@dataclass(frozen=True)
class GateLimits:
    """since: what the file names as the earlier evaluation, a file or an id; None where it names none. may_be_worse: than that one."""

    limits: tuple[Limit, ...]
    since: str | None = None
    may_be_worse: bool = True


def read_limits(data: bytes, filename: str = "") -> GateLimits:
    """filename: for what is said of mistakes. Raises EvaluationLimitsUnusable."""
    name = filename or "The file of limits"
    if len(data) > MOST_LIMIT_BYTES:
        raise EvaluationLimitsUnusable(f"{name} is larger than {MOST_LIMIT_BYTES >> 10} KiB")
    try:
        return limits_of(read_yaml(data), name)
    except ValueError as error:
        raise EvaluationLimitsUnusable(f"{name} {error}") from None


def limits_of(told: object, where: str = "limits") -> GateLimits:
    """Of what such a file holds. Raises EvaluationLimitsUnusable, with the place, and the nearest name of an unknown one."""
    if not isinstance(told, Mapping) or not told:
        raise EvaluationLimitsUnusable(f"{where} is no table of figures and limits")
    limits = list(_of_figures(told, where, None, (*OF_RUNS, "systems")))
    systems = told.get("systems", {})
    if not isinstance(systems, Mapping):
        raise EvaluationLimitsUnusable(f"{where}: systems is no table of labels and limits")
    for label, own in systems.items():
        if not isinstance(own, Mapping):
            raise EvaluationLimitsUnusable(f"{where}: systems: {label} is no table of figures and limits")
        limits += _of_figures(own, f"{where}: systems: {label}", str(label), ())
    since, worse = told.get("since"), told.get("worse")
    if since is not None and not isinstance(since, str):
        raise EvaluationLimitsUnusable(f"{where}: since: a file or the id of an evaluation is wanted, in quotation marks")
    if worse is not None and not isinstance(worse, bool):
        raise EvaluationLimitsUnusable(f"{where}: worse: true or false is wanted")
    return GateLimits(tuple(limits), since, worse if worse is not None else since is None)


def _of_figures(told: Mapping[object, object], where: str, system: str | None, beside: tuple[str, ...]) -> Iterator[Limit]:
    """beside: keys that are no figures."""
    for name, limit in told.items():
        if name in beside:
            continue
        figure = str(name)
        if figure not in (*FIGURES, *COUNTS) and not figure.startswith(VERSA):
            raise _unknown(figure, (*FIGURES, *COUNTS, *beside), where)
        yield from _of_figure(figure, limit, f"{where}: {figure}", system)


def _of_figure(figure: str, told: object, where: str, system: str | None) -> Iterator[Limit]:
    if not isinstance(told, Mapping) or not told:
        raise EvaluationLimitsUnusable(f"{where}: {{most: ...}} or {{least: ...}} is wanted")
    for key in told:
        if key not in (*ENDS, *STATISTICS):
            raise _unknown(str(key), (*ENDS, *STATISTICS), where)
    bare: dict[object, object] = {key: value for key, value in told.items() if key in ENDS}
    if bare:
        yield _limit(figure, "mean", bare, where, system)
    for statistic in STATISTICS:
        if statistic in told:
            yield _limit(figure, statistic, _ends(told[statistic], f"{where}: {statistic}"), f"{where}: {statistic}", system)


def _ends(told: object, where: str) -> Mapping[object, object]:
    if not isinstance(told, Mapping) or not told:
        raise EvaluationLimitsUnusable(f"{where}: {{most: ...}} or {{least: ...}} is wanted")
    for key in told:
        if key not in ENDS:
            raise _unknown(str(key), ENDS, where)
    return told


def _limit(figure: str, statistic: Statistic, ends: Mapping[object, object], where: str, system: str | None) -> Limit:
    found: dict[str, float] = {}
    for end, value in ends.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
            raise EvaluationLimitsUnusable(f"{where}: {end}: a number is wanted, not {value!r}")
        found[str(end)] = float(value)
    least, most = found.get("least"), found.get("most")
    if least is not None and most is not None and least > most:
        raise EvaluationLimitsUnusable(f"{where}: least is above most")
    return Limit(figure, statistic, least, most, system)


def _unknown(name: str, known: tuple[str, ...], where: str) -> EvaluationLimitsUnusable:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    told = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    return EvaluationLimitsUnusable(f"{where}: {name!r} is unknown; {told}")
