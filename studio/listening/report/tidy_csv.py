"""Votes as a tidy table for R, Julia, Python and spreadsheets: a row for each judgment that counts, under plain names.

    listener, system, text, score              of MOS, SMOS and MUSHRA
    listener, system, other, text, score       of ABX, AB and CMOS

Training, gold, traps, experimenters and listeners who are left out are not among them: a model of these rows is one of the same votes as
the report's. docs/listening-results.md has it in R.
"""

import csv
import io
from collections.abc import Sequence

from studio.listening.plan.plan import PAIRED
from studio.listening.statistics.findings import Findings
from studio.listening.vote.vote import Vote
from studio.reading.formula_guard import guard_formula

__all__ = ["tidy_csv"]


def tidy_csv(votes: Sequence[Vote], findings: Findings) -> str:
    """Texts by what is said; names are guarded against formulas."""
    counting = {assessor.listener for assessor in findings.listeners if assessor.counts}
    names = ("listener", "system", "other", "text") if findings.method in PAIRED else ("listener", "system", "text")
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*names, "score"))
    for vote in votes:
        if vote.kind == "item" and vote.listener in counting:
            writer.writerow((*(guard_formula(getattr(vote, name)) for name in names), f"{vote.score:g}"))
    return file.getvalue()
