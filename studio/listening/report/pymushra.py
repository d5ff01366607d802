"""Votes in the CSV format of pyMUSHRA (nils-werner/pymushra), for programs that analyze it.

One CSV with semicolons: a row for each response, columns named after its groups (pymushra/casting.py and stats.py, 1.0).

    wm_type      mushra, likert_single_stimulus or paired_comparison
    wm_id        the text
    questionaire_uuid     the listener (spelt as there)
    responses_stimulus, responses_score            of MUSHRA; "reference", "anchor35" and "anchor70" are what its statistics leave out
    responses_stimulus, responses_stimulusRating   of MOS, SMOS and DCR
    responses_reference, responses_nonReference, responses_answer   of ABX and AB
"""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime

from studio.listening.plan.plan import PAGES, SINGLE
from studio.listening.report.webmushra_results import answer_of, judged, session_of, stimulus_of
from studio.listening.vote.vote import Vote
from studio.reading.formula_guard import guard_formula

__all__ = ["pymushra_csv"]


def pymushra_csv(votes: Sequence[Vote], test_id: str, *, created: float = 0.0) -> str:
    """All judged votes; gold, traps, training and experimenters are left out. created: seconds since 1970, of column `wm_date`.

    Raises FormatUnfit for votes that have no such layout.
    """
    date = datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%d %H:%M:%S")
    rows = []
    for vote in judged(votes, "pyMUSHRA"):
        kind, response = _response(vote)
        told = {f"responses_{name}": cell for name, cell in response.items()}
        told |= {"responses_time": f"{round(1000 * vote.seconds)}", "responses_comment": vote.comment}
        told |= {"questionaire_listener": vote.listener, "questionaire_uuid": session_of(vote.listener, test_id)}
        told |= {"wm_id": vote.text, "wm_type": kind, "wm_testId": test_id, "wm_date": date}
        rows.append({name: guard_formula(cell) for name, cell in told.items()})
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)), delimiter=";", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _response(vote: Vote) -> tuple[str, dict[str, str]]:
    """(kind of page, response)"""
    if vote.method in PAGES:
        return "mushra", {"stimulus": stimulus_of(vote.system), "score": f"{vote.score:g}"}
    if vote.method in SINGLE:
        return "likert_single_stimulus", {"stimulus": stimulus_of(vote.system), "stimulusRating": f"{vote.score:g}"}
    compared = {"reference": stimulus_of(vote.system), "nonReference": stimulus_of(vote.other)}
    return "paired_comparison", compared | {"answer": answer_of(vote.score)}
