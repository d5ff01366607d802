"""Judged files: takes a table of results as bytes, and gives what it says as files: report, figures, votes, plots."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from studio.listening.foreign.judged_table import Asked, JudgedTable, TableReading, judged_table
from studio.listening.foreign.p808 import answers_as_table
from studio.listening.foreign.table_columns import ROLES, Columns
from studio.listening.foreign.table_file import MOST_ROWS, MOST_TABLE_BYTES, TableFile, decoded_table, read_table
from studio.listening.plan.plan import Method
from studio.listening.report.findings_json import findings_json
from studio.listening.report.html_report import html_report
from studio.listening.report.plots.plots import plot_png, plot_svg, plots_of
from studio.listening.report.tidy_csv import tidy_csv
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.report.votes_csv import read_votes_csv, votes_csv
from studio.listening.vote.vote import Vote
from studio.words.line import Say

__all__ = ["JUDGED_FILES", "JudgedFile", "asked_columns", "judged_data", "name_of_file", "table_of"]

_OWN = {"method", "listener", "trial", "kind", "system", "score"}  # of a table that a studio wrote


@dataclass(frozen=True)
class JudgedFile:
    """ending: of its name. make(judged, sentences, language) -> its bytes."""

    ending: str
    mime_type: str
    make: Callable[[JudgedTable, Say, str], bytes]


def table_of(data: bytes, *, most_bytes: int = MOST_TABLE_BYTES, most_rows: int = MOST_ROWS) -> TableFile:
    """As it is, or the answers that are in it. Raises VotesUnreadable."""
    _check_size(data, most_bytes)
    table = read_table(data, most_rows=most_rows)
    return answers_as_table(table) or table


def judged_data(data: bytes, asked: Asked, *, most_bytes: int = MOST_TABLE_BYTES, most_rows: int = MOST_ROWS) -> JudgedTable:
    """What a table says. One that a studio wrote is read with all that it has, such as gold and plays. Raises VotesUnreadable."""
    names = data.partition(b"\n")[0].decode("utf-8-sig", "replace").strip().split(",")
    if asked.columns or not set(names) >= _OWN:
        return judged_table(table_of(data, most_bytes=most_bytes, most_rows=most_rows), asked)
    _check_size(data, most_bytes)
    from studio.listening.statistics.analysis import Beforehand, findings_of

    votes = _of_one_method(read_votes_csv(decoded_table(data)), asked.method)
    labels = {name: name for vote in votes for name in (vote.system, vote.other) if name}
    method = votes[0].method
    scores = [vote.score for vote in votes]
    columns = Columns("listener", "system", "text", "score", "other" if any(vote.other for vote in votes) else "")
    reading = TableReading(columns, (), (method,), method, least=min(scores), most=max(scores))
    findings = findings_of(method, votes, labels, {}, chosen=Beforehand(asked.seed), admission=asked.admission)
    return JudgedTable(reading, votes, findings, ())


def asked_columns(told: Iterable[str]) -> dict[str, str]:
    """By role, of `role=name` each. Raises VotesUnreadable."""
    columns = {}
    for pair in told:
        role, _, name = pair.partition("=")
        if role not in ROLES:
            raise VotesUnreadable(sentence="votes_no_role", detail=f"column {pair[:80]!r}", role=role[:40], roles=", ".join(ROLES))
        columns[role] = name
    return columns


def name_of_file(name: str, file: JudgedFile) -> str:
    """Of what a table of that name gives."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", PurePath(name).stem).strip("-").lower() or "results"
    return f"{plain}-{file.ending}"


def _check_size(data: bytes, most_bytes: int) -> None:
    if len(data) > most_bytes:
        raise VotesUnreadable(sentence="votes_too_large", most=most_bytes)


def _of_one_method(votes: tuple[Vote, ...], method: Method | None) -> tuple[Vote, ...]:
    methods: dict[Method, None] = dict.fromkeys(vote.method for vote in votes)
    if method is None and len(methods) > 1:
        raise VotesUnreadable(hint="Say which one is meant: --method.", sentence="votes_mixed", methods=", ".join(methods))
    kept = tuple(vote for vote in votes if vote.method == (method or vote.method))
    if not kept:
        raise VotesUnreadable(hint="Choose another one.", sentence="votes_none", detail=f"none of the method {method}")
    return kept


def _report(judged: JudgedTable, say: Say, language: str) -> bytes:
    return html_report(None, judged.findings, judged.votes, say, language=language).encode()


def _plot_svg(judged: JudgedTable, say: Say, language: str) -> bytes:
    return "".join(plot_svg(judged.findings, kind, say, ()) for kind in plots_of(judged.findings)[:1]).encode()


def _plot_png(judged: JudgedTable, say: Say, language: str) -> bytes:
    return b"".join(plot_png(judged.findings, kind, say, ()) for kind in plots_of(judged.findings)[:1])


def _findings(judged: JudgedTable, say: Say, language: str) -> bytes:
    return findings_json(None, judged.findings, told=judged.told).encode()


_CSV = "text/csv; charset=utf-8"
JUDGED_FILES: Mapping[str, JudgedFile] = {
    "report": JudgedFile("report.html", "text/html; charset=utf-8", _report),
    "findings": JudgedFile("findings.json", "application/json", _findings),
    "votes": JudgedFile("votes.csv", _CSV, lambda judged, say, language: votes_csv(judged.votes).encode()),
    "tidy": JudgedFile("tidy.csv", _CSV, lambda judged, say, language: tidy_csv(judged.votes, judged.findings).encode()),
    "plot-svg": JudgedFile("plot.svg", "image/svg+xml", _plot_svg),
    "plot-png": JudgedFile("plot.png", "image/png", _plot_png),
}
