"""gate: whether an evaluation keeps its limits, with a line for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from studio.evaluations.gate.limits import COUNTS, GateLimits, Limit
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.findings import EvaluationFindings, SystemSummary
from studio.evaluations.statistics.run_comparison import RunComparison
from studio.words.line import Line

__all__ = ["GateLine", "GateResult", "gate"]

DECIMALS: Mapping[str, int] = {"refused": 0, "unsteady": 0, "cold_ttfp_ms": 0, "memory_mb": 0}
MEGABYTE = 1e6


@dataclass(frozen=True)
class GateLine:
    """`evaluations.<key>` with values, as a Line."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    is_passed: bool = True

    @property
    def line(self) -> Line:
        """For sentence_of."""
        return Line(self.key, self.values)


@dataclass(frozen=True)
class GateResult:
    """lines: those that are not kept come first."""

    is_passed: bool
    lines: tuple[GateLine, ...]

    @property
    def exit_status(self) -> int:
        """Of a command."""
        return 0 if self.is_passed else 1


def gate(findings: EvaluationFindings, limits: GateLimits, runs: RunComparison | None = None) -> GateResult:
    """What was not measured keeps no limit. Limits for each system are not for those with random weights. runs: with the earlier one."""
    lines = [line for limit in limits.limits for line in _of_limit(findings, limit)]
    if not limits.may_be_worse:
        lines += _of_runs(runs)
    if not lines:
        lines = [GateLine("gate_nothing", {}, False)]
    return GateResult(all(line.is_passed for line in lines), tuple(sorted(lines, key=lambda line: line.is_passed)))


def _of_limit(findings: EvaluationFindings, limit: Limit) -> Iterator[GateLine]:
    if limit.system is None:
        systems = [system for system in findings.systems if not system.is_toy]
        if not systems:
            yield GateLine("gate_only_toys", {"figure": limit.figure}, False)
    else:
        systems = [system for system in findings.systems if limit.system in (system.label, system.system)]
        if not systems:
            yield GateLine("gate_no_system", {"name": limit.system}, False)
    yield from (_of_system(findings, limit, system) for system in systems)


def _of_system(findings: EvaluationFindings, limit: Limit, system: SystemSummary) -> GateLine:
    value = _value(findings, limit, system)
    names = {"name": system.label, "figure": limit.figure, "statistic": _statistic(limit)}
    if value is None:
        return GateLine("gate_unmeasured", names, False)
    is_over = limit.most is not None and value > limit.most
    is_under = limit.least is not None and value < limit.least
    decimals = DECIMALS[limit.figure] if limit.figure in DECIMALS else figure_kind(limit.figure).decimals + 1
    values = {**names, "value": round(value, decimals)}
    if is_over or is_under:
        return GateLine("gate_over" if is_over else "gate_under", {**values, "limit": limit.most if is_over else limit.least}, False)
    if limit.least is not None and limit.most is not None:
        return GateLine("gate_between", {**values, "low": limit.least, "high": limit.most})
    return GateLine(
        "gate_kept_least" if limit.most is None else "gate_kept_most",
        {**values, "limit": limit.least if limit.most is None else limit.most},
    )


def _statistic(limit: Limit) -> str:
    """Of what the value is, as sentences say it."""
    if limit.figure == "cold_ttfp_ms":
        return "p95" if limit.statistic == "p95" else "p50"
    return "count" if limit.figure in COUNTS else limit.statistic


def _value(findings: EvaluationFindings, limit: Limit, system: SystemSummary) -> float | None:
    """None where nobody measured it."""
    if limit.figure == "refused":
        return float(system.n_refused)
    if limit.figure == "unsteady":
        return next((float(found.n_unsteady) for found in findings.steadiness if found.system == system.system and found.n_words), None)
    if limit.figure == "cold_ttfp_ms":
        return system.cold_p95_ms if limit.statistic == "p95" else system.cold_p50_ms
    if limit.figure == "memory_mb":
        return None if system.memory_bytes is None else system.memory_bytes / MEGABYTE
    found = findings.mean(system.system, limit.figure)
    return None if found is None else {"mean": found.mean, "p50": found.p50, "p95": found.p95}[limit.statistic]


def _of_runs(runs: RunComparison | None) -> Iterator[GateLine]:
    if runs is None:
        yield GateLine("gate_no_run", {}, False)
        return
    if not runs.n_cells:
        yield GateLine("since_nothing_shared", {}, False)
        return
    worse: dict[str, list[str]] = {}
    for change in runs.changes:
        if change.is_worse:
            worse.setdefault(change.label, []).append(change.change.figure)
    yield from (GateLine("since_worse", {"name": label, "behind": figures}, False) for label, figures in worse.items())
    yield from (GateLine("since_refused", {"name": label, "n": n}, False) for label, n in runs.refused.items())
    if not worse and not runs.refused:
        yield GateLine("gate_not_worse", {"n": runs.n_cells})
