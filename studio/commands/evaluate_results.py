"""What the command `evaluate` makes of what was found: the verdict, files, a comparison with an earlier one, a gate, a blind test."""

import argparse
import errno
import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.errors import EngineError
from studio.commands.progress_line import ProgressLine
from studio.evaluation_tests import EvaluationTestOrder, begin_evaluation_test
from studio.evaluations.gate.gate import GateResult, gate
from studio.evaluations.gate.limits import GateLimits, read_limits
from studio.evaluations.report.evaluation_file import data_of_json
from studio.evaluations.report.evaluation_report import ReportBeside
from studio.evaluations.report.markdown import markdown_table
from studio.evaluations.report.report_words import ReportWords
from studio.evaluations.report.written_report import write_report
from studio.evaluations.statistics.run_comparison import RunComparison, compare_runs
from studio.evaluations.statistics.sentences import sentence_of

if TYPE_CHECKING:
    from studio.evaluations.plan.evaluation import EvaluationData
    from studio.evaluations.statistics.findings import EvaluationFindings
    from studio.service import Studio

__all__ = ["GATE_NOT_PASSED", "EvaluationResults"]

GATE_NOT_PASSED = 1  # exit status
LOOK_SECONDS = 0.2  # between two looks at sounds that are leveled
MOST_SKIPPED = 3  # that are named

Say = Callable[[str, Mapping[str, object]], str]
Tell = Callable[..., None]


class EvaluationResults:
    """say: sentences by key. tell: writes one, to=a stream where it is not the output."""

    def __init__(self, options: argparse.Namespace, studio: "Studio", say: Say, tell: Tell):
        self._options = options
        self._studio = studio
        self._say = say
        self._tell = tell
        self._words = ReportWords(say, options.messages)
        self._limits: GateLimits | None = None
        self._then: EvaluationData | None = None

    def check(self) -> None:
        """Read what results are compared with, before anything is said. Raises EngineError of a file that cannot be used, OSError."""
        if self._options.gate:
            self._limits = read_limits(self._options.gate.read_bytes(), self._options.gate.name)
        if since := self._since():
            self._then = data_of_json(since.read_bytes()) if isinstance(since, Path) else self._studio.evaluations.data(since)
        if self._options.out and self._options.out.exists() and not self._options.out.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self._options.out))

    def _since(self) -> Path | str:
        """The file, or the id, of the earlier one: as the command says; else as the limits do, whose file it lies beside. "" for none."""
        if self._options.since:
            return Path(self._options.since) if Path(self._options.since).is_file() else self._options.since
        named = self._limits.since if self._limits else None
        beside = self._options.gate.parent / named if named else None
        return beside if beside is not None and beside.is_file() else named or ""

    def tell(self, evaluation_id: str) -> int:
        """The exit status: 0, or GATE_NOT_PASSED."""
        evaluations = self._studio.evaluations
        data, findings = evaluations.data(evaluation_id), evaluations.findings(evaluation_id)
        runs = None if self._then is None else compare_runs(data, self._then)
        self._tell_findings(findings)
        if runs is not None:
            self._tell_lines("command_since", runs.lines)
        result = None if self._limits is None else gate(findings, self._limits, runs)
        if self._options.out:
            self._write(data, findings, runs, result)
        if self._options.markdown:
            sys.stdout.write(markdown_table(data, findings, self._words))
        if self._options.test:
            self._make_test(evaluation_id)
        return 0 if result is None else self._tell_gate(result)

    # --- what was found

    def _tell_findings(self, findings: "EvaluationFindings") -> None:
        self._tell_lines("", (*findings.verdict, *findings.notes))

    def _tell_lines(self, head: str, lines) -> None:
        if head:
            self._tell(head, {})
        for line in lines:
            sys.stdout.write(f"{sentence_of(line, self._say)}\n")
        sys.stdout.flush()

    def _write(self, data: "EvaluationData", findings: "EvaluationFindings", runs: RunComparison | None, result: GateResult | None) -> None:
        evaluations, evaluation_id = self._studio.evaluations, data.evaluation.id
        report = write_report(
            self._options.out,
            data,
            findings,
            self._words,
            sound_path=lambda sound: evaluations.sound_path(evaluation_id, sound.sha256),
            beside=ReportBeside(runs=runs, gate=result),
        )
        self._tell("command_written", {"file": str(report)})

    def _tell_gate(self, result: GateResult) -> int:
        for line in result.lines:
            mark = "command_gate_kept" if line.is_passed else "command_gate_broken"
            self._tell(mark, {"line": sentence_of(line.line, self._say)}, to=None if line.is_passed else sys.stderr)
        self._tell("command_gate_passed" if result.is_passed else "command_gate_not_passed", {})
        return 0 if result.is_passed else GATE_NOT_PASSED

    # --- the test

    def _make_test(self, evaluation_id: str) -> None:
        """And wait for its sounds, since they are made by this process. Raises what kept them from being made."""
        order = EvaluationTestOrder(self._options.test, self._options.method)
        begun = begin_evaluation_test(self._studio, evaluation_id, order)
        for one in begun.skipped[:MOST_SKIPPED]:
            self._tell(f"command_test_skipped_{one.why}", {"text": one.text, "voice": one.voice}, to=sys.stderr)
        if len(begun.skipped) > MOST_SKIPPED:
            self._tell("command_test_skipped_more", {"n": len(begun.skipped) - MOST_SKIPPED}, to=sys.stderr)
        listening, pause = self._studio.listening, threading.Event()
        line = ProgressLine(sys.stderr, lambda key, values: self._say(f"{key}_test", values))
        while (now := listening.progress(begun.test)).is_running:
            line.show(now.done, now.total, now.seconds_left)
            pause.wait(LOOK_SECONDS)
        if isinstance(now.failure, EngineError):
            raise now.failure
        line.end(now.done, now.total)
        self._tell("command_test", {"id": begun.test, "n": begun.n})
