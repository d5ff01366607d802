"""Scores in a file, for `test report` without a test. Their figures are those that a test of the studio gets."""

import argparse
from pathlib import Path

from pydantic import ValidationError

from studio.listening.foreign.judged_files import asked_columns, judged_data
from studio.listening.foreign.judged_table import Asked, JudgedTable
from studio.listening.plan.screening import USUAL, Screening
from studio.listening.report.plan_file import bounded, parsed
from studio.listening.report.unreadable import PlanFileUnreadable
from studio.listening.report.votes_csv import MOST_VOTES

__all__ = ["judged_file"]

MOST_BYTES = 256 << 20


def screening_asked(file: Path | None, least_agreement: float | None) -> Screening:
    """The rules of a file: those of a plan (its `screening`, or the usual ones of a plan without), or a table of rules alone; without a
    file none but those that every test has. least_agreement: goes before the file's. Raises PlanFileUnreadable, OSError."""
    fields = parsed(bounded(file)) if file is not None else {}
    told = fields.get("screening", USUAL.model_dump()) if "method" in fields else fields
    rules = told | {"least_agreement": least_agreement} if isinstance(told, dict) and least_agreement is not None else told
    try:
        return Screening.model_validate(rules)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise PlanFileUnreadable(
            place, hint=f"Rules: {', '.join(Screening.model_fields)}.", detail=f"the screening: {first['msg']}"
        ) from error


def judged_file(options: argparse.Namespace) -> JudgedTable:
    """What the file `options.test` says. A system that is called as a role is (`reference`, `lowpass-3.5`, ...) has that role. What a table
    does not say of its listeners (headphones, devices) is not held against them.

    Raises VotesUnreadable, PlanFileUnreadable, OSError.
    """
    rules = screening_asked(options.screening, options.exclude_below_agreement)
    with Path(options.test).open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    asked = Asked(asked_columns(options.column), options.method, options.scale, options.seed, rules=rules, most_scores=MOST_VOTES)
    return judged_data(data, asked, most_bytes=MOST_BYTES, most_rows=MOST_VOTES)
