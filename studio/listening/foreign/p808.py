"""P.808 toolkit (microsoft/P.808): its answers of Mechanical Turk as votes, and ours in the layout of its `votes_per_worker`.

A batch's CSV has a row for each assignment: WorkerId, the clips under Input.* or Answer.<question>_url, and the scores under
Answer.<question>, of P.835 with an ending for each scale (Answer.Q1_sig). Gold and trapping clips are no votes, nor is what was rejected.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence

from studio.listening.foreign.table_file import TableFile
from studio.listening.report.unreadable import FormatUnfit
from studio.listening.vote.vote import Vote
from studio.reading.formula_guard import guard_formula

__all__ = ["answers_as_table", "p808_csv"]

_ANSWER = re.compile(r"answer\.([a-z]{1,2}\d{1,3})(?:_(ovrl|sig|bak|col|loud|disc|reverb|noise|fe|bk))?", re.I)
_OTHER_CLIPS = ("gold", "tp", "trapping", "training")
_QUESTIONS = {"mos": "MOS", "smos": "SMOS", "dcr": "DMOS", "p835": "MOS", "ccr": "CMOS"}
_COLUMNS = ("HITId", "workerid", "assignment_id", "assignmentstatus", "file", "short_file_name", "vote", "question_type", "condition")


def answers_as_table(table: TableFile) -> TableFile | None:
    """A row for each score: worker, clip, score and scale. None where it is no table of answers."""
    names = {name.lower(): name for name in table.names}
    asked = [found for name in names if (found := _ANSWER.fullmatch(name)) and _clip_column(found[1], names)]
    if "workerid" not in names or not asked:
        return None
    rows = tuple(row for cells in table.rows for row in _votes(dict(zip(map(str.lower, table.names), cells, strict=True)), asked, names))
    has_scales = any(found[2] for found in asked)
    return TableFile(("worker", "file", "score", *(["scale"] if has_scales else [])), rows)


def p808_csv(votes: Sequence[Vote], test_id: str) -> str:
    """All judged votes; gold, traps, training and experimenters are left out. Raises FormatUnfit for what P.808 does not ask."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for vote in votes:
        if vote.method not in _QUESTIONS:
            raise FormatUnfit("P.808", vote.method, "csv, tidy, json, html")
        if vote.kind != "item" or vote.experimenter:
            continue
        scale = vote.scale
        clip = f"{vote.system}/{vote.text}"
        question = f"{_QUESTIONS[vote.method]}{f'_{scale.upper()}' if scale else ''}"
        cells = (
            test_id,
            vote.listener,
            f"{test_id}-{vote.listener}",
            "Submitted",
            clip,
            vote.text,
            f"{vote.score:g}",
            question,
            vote.system,
        )
        writer.writerow(map(guard_formula, cells))
    return file.getvalue()


def _clip_column(question: str, names: Mapping[str, str]) -> str:
    """Of the clip that a question is about; "" without one."""
    number = re.sub(r"\D", "", question)
    candidates = (f"answer.{question}_url", f"input.{question}", f"input.q{number}", f"input.rating_clips_{number}")
    return next((name for name in candidates if name.lower() in names), "").lower()


def _votes(row: Mapping[str, str], asked: Sequence[re.Match[str]], names: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    if row.get("assignmentstatus", "").lower() == "rejected":
        return
    others = {cell for name, cell in row.items() if name.startswith("input.") and name[6:].startswith(_OTHER_CLIPS)}
    has_scales = any(found[2] for found in asked)
    for found in asked:
        clip = row[_clip_column(found[1], names)]
        if clip and clip not in others:
            yield (row["workerid"], clip, row[found[0].lower()], *([found[2] or ""] if has_scales else []))
