"""Evaluations on the command line: said and measured with one line of progress; then what was found, a report, a gate, a blind test."""

import argparse
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from engines.errors import EngineError
from studio.commands.evaluate_inputs import ordered
from studio.commands.evaluate_results import EvaluationResults
from studio.commands.progress_line import ProgressLine
from studio.errors import EvaluationNotBegun
from studio.evaluation_orders.orders import bring, check_measures, refusals
from studio.evaluations.measures.families import families_here
from studio.settings import Settings
from studio.words.sentences import sentences_in

if TYPE_CHECKING:
    from studio.evaluation_orders.orders import ReadyOrder
    from studio.evaluations.plan.evaluation import Evaluation
    from studio.service import Studio

__all__ = ["EvaluateCommand", "run_evaluate_command"]

SECTION = "evaluations"  # of assets/words
LOOK_SECONDS = 0.2  # between two looks at what is being said
MOST_REFUSALS = 8  # that are told before it begins
EARS = ("words", "likeness", "dnsmos", "distillmos")  # families that `make ears` brings

Say = Callable[[str, Mapping[str, object]], str]


def run_evaluate_command(options: argparse.Namespace, settings: Settings) -> int:
    """Exit status: 0, or GATE_NOT_PASSED. Raises EngineError, OSError, KeyboardInterrupt."""
    from studio.service import Studio

    words = sentences_in(options.messages).words

    def say(key: str, values: Mapping[str, object]) -> str:
        return words(f"{SECTION}.{key}", values)

    check_measures(options.measures)
    studio = Studio(settings)
    try:
        command = EvaluateCommand(options, studio, say)
        return command.list() if options.list else command.run()
    finally:
        studio.close()


class EvaluateCommand:
    """One run of the command. say: sentences by key."""

    def __init__(self, options: argparse.Namespace, studio: "Studio", say: Say):
        self._options = options
        self._studio = studio
        self._evaluations = studio.evaluations
        self._say = say

    def list(self) -> int:
        """Tell of all evaluations that are kept."""
        for one in self._evaluations.evaluations():
            systems = " / ".join(system.label for system in one.plan.systems)
            values = {"id": one.id, "done": one.n_measured, "total": one.n_cells, "title": one.plan.title or systems, "systems": systems}
            self._tell("command_row", values)
        return 0

    def run(self) -> int:
        """Made or found again, said, measured, reported."""
        results = EvaluationResults(self._options, self._studio, self._say, self._tell)
        results.check()  # what cannot be read or written is refused before anything is said
        evaluation = self._chosen()
        if not self._options.report_only:
            self._done(evaluation)
        return results.tell(evaluation.id)

    # --- which one

    def _chosen(self) -> "Evaluation":
        """The one that is named; or that of the plan: the one which was begun with it, or a new one."""
        if self._options.evaluation:
            return self._evaluations.evaluation(self._options.evaluation)
        ready = ordered(self._studio, self._options)
        for key, values in ready.notes:
            form = {"form": self._say(f"texts_are_{values['form']}", {})} if "form" in values else {}
            self._tell(key, {**values, **form})
        if self._options.report_only:
            found = self._evaluations.find(self._evaluations.planned(ready.order).order.plan)
            if found is None:
                raise EvaluationNotBegun
            return found
        return self._begun(ready)

    def _begun(self, ready: "ReadyOrder") -> "Evaluation":
        evaluation, is_new = self._evaluations.create(ready.order)
        plan = evaluation.plan
        values = {"systems": len(plan.systems), "voices": len(plan.voices), "texts": len(plan.texts), "n": evaluation.n_cells}
        self._tell("command_planned", values | {"id": evaluation.id})
        if not is_new:
            self._tell("command_goes_on", {"said": evaluation.n_said, "measured": evaluation.n_measured, "total": evaluation.n_cells})
        if evaluation.state != "done":
            self._tell_lacks(plan.measures)
            self._tell_refusals(evaluation)
        n_brought = sum(1 for _ in bring(self._evaluations, evaluation.id, ready.sounds))
        if n_brought:
            self._tell("command_brought", {"n": n_brought})
        return self._evaluations.evaluation(evaluation.id)

    def _tell_lacks(self, measures: Collection[str] | None) -> None:
        """Once: which figures nobody can have here, and what brings them."""
        here = families_here(self._studio.estimators)
        lacking = {family: why for family, why in here.items() if why and (measures is None or family in measures)}
        of_ears = [family for family in lacking if family in EARS]
        if of_ears:
            self._tell("command_no_ears", {"families": self._families(of_ears)}, to=sys.stderr)
        others = [family for family in lacking if family not in EARS and (measures is not None or family != "versa")]
        for family in others:
            self._tell("command_lacking", {"families": self._families([family]), "why": lacking[family] or ""}, to=sys.stderr)

    def _families(self, names: Collection[str]) -> str:
        return ", ".join(self._say(f"family_{name}", {}) for name in names)

    def _tell_refusals(self, evaluation: "Evaluation") -> None:
        labels = {system.id: system.label for system in evaluation.plan.systems}
        found = list(refusals(self._studio, evaluation.plan))
        for one in found[:MOST_REFUSALS]:
            self._tell("command_will_refuse", {"system": labels[one.system], "why": one.why}, to=sys.stderr)
        if len(found) > MOST_REFUSALS:
            self._tell("command_will_refuse_more", {"n": len(found) - MOST_REFUSALS}, to=sys.stderr)

    # --- saying and measuring

    def _done(self, evaluation: "Evaluation") -> None:
        try:
            self._evaluations.begin(evaluation.id)
            self._wait(evaluation.id)
        except KeyboardInterrupt:
            self._evaluations.stop(evaluation.id)
            now = self._evaluations.evaluation(evaluation.id)
            values = {"said": now.n_said, "measured": now.n_measured, "total": now.n_cells}
            self._tell("command_stopped", values, to=sys.stderr)
            raise

    def _wait(self, evaluation_id: str) -> None:
        """Until it is over. Raises what kept it from going on."""
        pause = threading.Event()
        lines = {phase: ProgressLine(sys.stderr, self._progress_words(phase)) for phase in ("say", "measure")}
        phase, shown = "", (0, 0)
        while (now := self._evaluations.progress(evaluation_id)).is_running:
            if now.phase != phase and phase in lines:
                lines[phase].end(shown[1], shown[1])
            phase, shown = now.phase, (now.done, now.total)
            if phase in lines:
                lines[phase].show(*shown, now.seconds_left)
            pause.wait(LOOK_SECONDS)
        if phase in lines:
            lines[phase].end(*(shown if now.failure else (shown[1], shown[1])))
        if isinstance(now.failure, EngineError):
            raise now.failure
        if phase != "measure":  # it was over between two looks
            n_measured = self._evaluations.evaluation(evaluation_id).n_measured
            lines["measure"].end(n_measured, n_measured)

    def _progress_words(self, phase: str) -> Say:
        return lambda key, values: self._say(f"{key}_{phase}", values)

    def _tell(self, key: str, values: Mapping[str, object], *, to=None) -> None:
        to = to or sys.stdout
        to.write(f"{self._say(key, values)}\n")
        to.flush()
