"""Votes as CSV (RFC 4180), a row for each, with the columns of `Vote`. A written file is read back exactly; tables of others are read too.

Of a foreign table `listener`, `system` and `score` are needed; and `method` where the caller does not say it, `other` where the method
compares two. Its columns may stand in any order between commas, semicolons or tabs; columns that a vote does not have are passed over.
"""

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import NoReturn, TypeVar, get_args

from studio.listening.plan.design import TrialKind
from studio.listening.plan.plan import METHODS, MOST_POINTS, P835_SCALES, PAIRED, REFERRED, Method
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.vote.vote import COLUMNS, Vote
from studio.reading.formula_guard import guard_formula, unguard_formula

__all__ = ["MOST_VOTES", "SCORES", "csv_rows", "read_votes_csv", "votes_csv"]

MOST_VOTES = 1_000_000  # 1000 listeners, 100 texts, 10 systems
NEEDED = ("listener", "system", "score")
SEPARATORS = ",;\t"
# What a score may be, by method: bounds, and the distance of steps (0: any number between).
SCORES: dict[Method, tuple[float, float, float]] = {
    "abx": (0, 1, 1),
    "ab": (0, 1, 0.5),
    "cmos": (-3, 3, 1),
    "mos": (1, 5, 0),  # a mean of several ratings is a rating too
    "smos": (1, 5, 0),
    "mushra": (0, 100, 0),
    "mushra-like": (0, 100, 0),
    "dcr": (1, 5, 0),
    "ccr": (-3, 3, 1),
    "p835": (1, 5, 0),
    "bs1116": (-4, 4, 0),
}
_Number = TypeVar("_Number", int, float)
_Otherwise = TypeVar("_Otherwise")
_Word = TypeVar("_Word", bound=str)
_KINDS: tuple[TrialKind, ...] = get_args(TrialKind)
_TYPES = {field.name: field.type for field in fields(Vote)}
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def votes_csv(votes: Sequence[Vote]) -> str:
    """With a line of names, CRLF at the end of each line, numbers as Python writes them, and text guarded against formulas."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([_written(getattr(vote, name)) for name in COLUMNS] for vote in votes)
    return file.getvalue()


def read_votes_csv(text: str, *, method: Method | None = None) -> tuple[Vote, ...]:
    """All votes of a table. method: of a table without that column; one that says its own keeps to it.

    Raises VotesUnreadable with line (as an editor counts them) and column (its name) of the first thing that is wrong.
    """
    lines = _lines(text.removeprefix("\ufeff"))
    _, header = next(lines, (1, []))
    names = [name.strip().lower() for name in header]
    _check_names(names, method)
    votes, trials = [], {}
    for line, cells in lines:
        if not any(cells):
            continue
        if len(votes) == MOST_VOTES:
            raise VotesUnreadable(sentence="votes_too_many", most=MOST_VOTES)
        if len(cells) != len(names):
            raise VotesUnreadable(sentence="votes_uneven", line=line, found=len(cells), wanted=len(names))
        row = _VoteRow(line, dict(zip(names, cells, strict=True)))
        vote = row.vote(method)
        trials[vote.listener] = trials.get(vote.listener, -1) + 1
        votes.append(vote if "trial" in names else row.vote(method, trial=trials[vote.listener]))
    if not votes:
        raise VotesUnreadable(sentence="votes_none")
    return tuple(votes)


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return guard_formula(value) if isinstance(value, str) else repr(value)


def csv_rows(text: str, separator: str, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """(line on which a row begins, from 1; its cells). Raises VotesUnreadable for what is no CSV."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict, skipinitialspace=separator == " ")
    begins = 1
    try:
        for cells in rows:
            yield begins, cells
            begins = rows.line_num + 1
    except csv.Error as error:
        raise VotesUnreadable(sentence="votes_no_table", detail=f"{error}", line=rows.line_num) from error


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The separator is the one that makes most cells of the first line."""
    return csv_rows(text, max(SEPARATORS, key=text.partition("\n")[0].count))


def _check_names(names: Sequence[str], method: Method | None) -> None:
    lacking = [name for name in (*NEEDED, *(() if method else ("method",))) if name not in names]
    if lacking:
        raise VotesUnreadable(sentence="votes_column_missing", column=lacking[0], columns=", ".join(COLUMNS))
    twice = next((name for name in names if name in COLUMNS and names.count(name) > 1), None)
    if twice is not None:
        raise VotesUnreadable(sentence="votes_column_twice", column=twice)


class _VoteRow:
    """One line of a table, its cells by name."""

    def __init__(self, line: int, cells: dict[str, str]):
        self.line = line
        self.cells = {name: unguard_formula(cell) if _TYPES.get(name) is str else cell.strip() for name, cell in cells.items()}

    def vote(self, method: Method | None, trial: int = 0) -> Vote:
        """Raises VotesUnreadable."""
        chosen = self._one_of("method", METHODS) if self.cells.get("method") else method
        if chosen is None:
            self._refuse("method", "", ", ".join(METHODS))
        if chosen == "p835":
            self._one_of("scale", P835_SCALES)
        kind = self._one_of("kind", _KINDS) if self.cells.get("kind") else "item"
        judged = () if kind != "item" else ("system", "other") if chosen in (*PAIRED, *REFERRED) else ("system",)
        for name in ("listener", *judged):
            if not self.cells.get(name, "").strip():
                self._refuse(name, "", "a-z, 0-9")
        return Vote(
            method=chosen,
            trial=self._number("trial", int, trial, least=0),
            kind=kind,
            score=self._score(chosen),
            passed=self._truth("passed", None),
            first=self._truth("first", True),
            position=self._number("position", int, 0, least=0),
            plays=self._number("plays", int, 1, least=0),
            heard_seconds=self._number("heard_seconds", float, 0.0, least=0),
            seconds=self._number("seconds", float, 0.0, least=0),
            early_seconds=self._number("early_seconds", float, 0.0, least=0),
            experimenter=self._truth("experimenter", False),
            **{name: self.cells.get(name, "") for name in ("listener", "text", "system", "other", "comment", "scale")},
        )

    def _score(self, method: Method) -> float:
        least, most, step = SCORES[method]
        most = MOST_POINTS if self.cells.get("scale") and method in ("mos", "smos", "dcr") else most
        score = self._number("score", float, None, least=least)
        if score > most or (step and score % step):
            wanted = (
                f"{least:g}–{most:g}" if not step else ", ".join(f"{least + step * i:g}" for i in range(int((most - least) / step) + 1))
            )
            self._refuse("score", self.cells["score"], wanted)
        return score

    def _number(self, name: str, kind: Callable[[str], _Number], otherwise: _Number | None, *, least: float) -> _Number:
        cell = self.cells.get(name, "")
        if not cell and otherwise is not None:
            return otherwise
        try:
            number = kind(cell if "." in cell else cell.replace(",", "."))  # a decimal comma, where semicolons separate
        except ValueError:
            self._refuse(name, cell, f"≥ {least:g}")
        if not math.isfinite(number) or number < least:
            self._refuse(name, cell, f"≥ {least:g}")
        return number

    def _truth(self, name: str, otherwise: _Otherwise) -> bool | _Otherwise:
        cell = self.cells.get(name, "").lower()
        if cell and cell not in _TRUTHS:
            self._refuse(name, cell, "true, false")
        return _TRUTHS.get(cell, otherwise)

    def _one_of(self, name: str, known: Sequence[_Word]) -> _Word:
        cell = self.cells.get(name, "")
        return next((word for word in known if word == cell), None) or self._refuse(name, cell, ", ".join(known))

    def _refuse(self, column: str, found: str, wanted: str) -> NoReturn:
        found = found[:80]
        raise VotesUnreadable(line=self.line, column=column, found=found, wanted=wanted)
