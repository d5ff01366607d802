"""Votes in the layout of webMUSHRA's results, one CSV for each kind of page (service/write.php of audiolabs/webMUSHRA, 1.4).

    mushra.csv               MUSHRA, and MUSHRA-like: a row for each rating
    lss.csv                  MOS, SMOS and DCR: a row for each rating
    paired_comparison.csv    ABX and AB: "correct" where the listener chose the first of the two, which of ABX is what X was

CMOS, CCR, P.835, BS.1116 and scales of one's own have no such layout. What webMUSHRA asks a listener about themselves is one column here,
`listener`. Only trials that are judged are written, not training, gold and traps; experimenters are left out. Times are in milliseconds,
as there.
"""

import csv
import io
import uuid
from collections.abc import Sequence

from studio.listening.plan.plan import Method
from studio.listening.report.unreadable import FormatUnfit
from studio.listening.vote.vote import Vote
from studio.reading.formula_guard import guard_formula

__all__ = ["judged", "results_csv", "session_of", "stimulus_of"]

# What webMUSHRA calls what it adds by itself, and what programs that read its results leave out by these names.
_STIMULI = {"lowpass-3.5": "anchor35", "lowpass-7": "anchor70"}
_FILES: dict[Method, str] = {
    "mushra": "mushra",
    "mushra-like": "mushra",
    "mos": "lss",
    "smos": "lss",
    "dcr": "lss",
    "abx": "paired_comparison",
    "ab": "paired_comparison",
}
_COLUMNS = {
    "mushra": ("session_uuid", "trial_id", "rating_stimulus", "rating_score", "rating_time", "rating_comment"),
    "lss": ("trial_id", "stimuli_rating", "stimuli", "rating_time"),
    "paired_comparison": ("trial_id", "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
}


def results_csv(votes: Sequence[Vote], test_id: str) -> dict[str, str]:
    """Content by file name. test_id: of the column `session_test_id`. Raises FormatUnfit for votes that have no such layout."""
    rows: dict[str, list[tuple[object, ...]]] = {}
    for vote in judged(votes, "webMUSHRA"):
        name = _FILES[vote.method]
        rows.setdefault(name, []).append((test_id, vote.listener, *_row(name, vote, test_id)))
    return {f"{name}.csv": _table(("session_test_id", "listener", *_COLUMNS[name]), its) for name, its in rows.items()}


def judged(votes: Sequence[Vote], format_name: str) -> list[Vote]:
    """Those that a results file has. Raises FormatUnfit."""
    for vote in votes:
        if vote.method not in _FILES or vote.scale:
            raise FormatUnfit(format_name, vote.scale or vote.method, "csv, json, html")
    return [vote for vote in votes if vote.kind == "item" and not vote.experimenter]


def stimulus_of(system: str) -> str:
    """As webMUSHRA names it."""
    return _STIMULI.get(system, system)


def session_of(listener: str, test_id: str) -> str:
    """A UUID that is the same each time."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{test_id}/{listener}"))


def answer_of(score: float) -> str:
    """Of a comparison."""
    return {1.0: "correct", 0.0: "incorrect"}.get(float(score), "undecided")


def _row(name: str, vote: Vote, test_id: str) -> tuple[object, ...]:
    milliseconds = round(1000 * vote.seconds)
    if name == "mushra":
        return session_of(vote.listener, test_id), vote.text, stimulus_of(vote.system), vote.score, milliseconds, vote.comment
    if name == "lss":
        return vote.text, vote.score, stimulus_of(vote.system), milliseconds
    return vote.text, stimulus_of(vote.system), stimulus_of(vote.other), answer_of(vote.score), milliseconds, vote.comment


def _table(header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    """As PHP's fputcsv writes it: commas, and a line feed at the end of each line."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([guard_formula(cell) if isinstance(cell, str) else f"{cell:g}" for cell in row] for row in rows)
    return file.getvalue()
