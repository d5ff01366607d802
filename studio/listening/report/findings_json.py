"""Findings as JSON: figures, who counts and who does not, the plan, each sound with its hash, and what made it."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict

from studio import __version__
from studio.listening.report.reported_test import ReportedTest, builds_of
from studio.listening.statistics.findings import Findings
from studio.reports.dates import day
from studio.words.line import Line

__all__ = ["findings_json"]

FORMAT = "listening-test-findings/1"


def findings_json(test: ReportedTest | None, findings: Findings, *, told: Sequence[Line] = (), now: float | None = None) -> str:
    """test: None where nothing is known but votes. told: of such votes, what was left out and guessed.

    now: seconds since 1970, of the file's date; the clock's where None.
    """
    file = {
        "format": FORMAT,
        "date": day(time.time() if now is None else now),
        "studio": __version__,
        "n_listeners": findings.n_listeners,
        "n_texts": findings.n_texts,
        "n_votes": findings.n_votes,
        "seed": findings.seed,
        "findings": asdict(findings),
    }
    if test is not None:
        file |= {
            "test": {"link": test.link, "created": day(test.created), "closed": None if test.closed is None else day(test.closed)}
            | {"unblinded": test.is_unblinded, "frozen_hash": test.frozen_hash},
            "questionnaire": [asdict(count) for count in test.form_counts],
            "builds": builds_of(test),
            "plan": test.plan.model_dump(mode="json"),
            "items": [asdict(item) for item in test.items],
        }
    elif told:
        file["told"] = [asdict(line) for line in told]
    return json.dumps(file, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
