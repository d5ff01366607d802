"""Scores in a file, for `test report` without a test. Their figures are those that a test of the studio gets."""

import argparse
from pathlib import Path

from studio.listening.foreign.judged_files import asked_columns, judged_data
from studio.listening.foreign.judged_table import Asked, JudgedTable
from studio.listening.report.votes_csv import MOST_VOTES

__all__ = ["judged_file"]

MOST_BYTES = 256 << 20


def judged_file(options: argparse.Namespace) -> JudgedTable:
    """What the file `options.test` says. A system that is called as a role is (`reference`, `lowpass-3.5`, ...) has that role.

    Raises VotesUnreadable, OSError.
    """
    with Path(options.test).open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    asked = Asked(asked_columns(options.column), options.method, options.scale, options.seed, most_scores=MOST_VOTES)
    return judged_data(data, asked, most_bytes=MOST_BYTES, most_rows=MOST_VOTES)
