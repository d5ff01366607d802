"""Tables of results that a person brings to the tab "Listening tests". Nothing of them is kept: each question brings the table anew."""

import base64
from collections.abc import Mapping
from dataclasses import asdict

from studio.listening.foreign.judged_files import JUDGED_FILES, judged_data, name_of_file, table_of
from studio.listening.foreign.judged_table import Asked, JudgedTable, TableReading, reading_of
from studio.listening.foreign.table_columns import ROLES
from studio.listening.foreign.table_file import TableFile
from studio.listening.plan.plan import METHODS, PAIRED, Plan
from studio.listening.report.plots.plots import inline_plots
from studio.service import Studio
from studio.ui.clips.clip_intake import ClipUpload, read_sent
from studio.ui.gradio.messages import answered
from studio.ui.gradio.words import visited_sentences
from studio.ui.listening_tests.listening_values import line_of, plan_value, say_of

__all__ = ["judge_table", "judged_file"]

Value = dict[str, object]
N_SHOWN = 5  # rows
N_SHOWN_COLUMNS = 12
MOST_SHOWN = 60  # characters of a cell


@answered
def judge_table(studio: Studio, asked: Value) -> Value:
    """{table, told, test}: how a table is read, what was left out of it, and its findings, None until all is clear.

    asked: {sent, columns, method, scale, counted}; all but `sent` may be left out. columns: by role the name of a column, or a sign
    (studio/listening/foreign/table_columns.py). counted: listeners by hand.
    """
    upload, question = read_sent(asked.get("sent")), _asked(asked)
    table = table_of(upload.data)
    reading = reading_of(table, question)
    if not reading.is_clear:
        return {"table": _table(table, reading), "told": [], "test": None}
    judged = judged_data(upload.data, question)
    return {"table": _table(table, judged.reading), "told": [line_of(line) for line in judged.told], "test": _test(upload, judged)}


@answered
def judged_file(studio: Studio, asked: Value) -> Value:
    """{name, type, data} of what a table says, data in base64. asked: as `judge_table`, and {kind}, one of JUDGED_FILES."""
    upload, said = read_sent(asked.get("sent")), visited_sentences()
    judged = judged_data(upload.data, _asked(asked))
    file = JUDGED_FILES[str(asked["kind"])]
    data = file.make(judged, say_of(said), said.language)
    return {"name": name_of_file(upload.filename, file), "type": file.mime_type, "data": base64.b64encode(data).decode()}


def _asked(asked: Value) -> Asked:
    columns, counted, method = asked.get("columns"), asked.get("counted"), asked.get("method")
    return Asked(
        columns={str(role): str(name) for role, name in columns.items()} if isinstance(columns, Mapping) else {},
        method=next((known for known in METHODS if known == method), None),
        scale=str(asked.get("scale") or ""),
        counted={str(who): bool(counts) for who, counts in counted.items()} if isinstance(counted, Mapping) else {},
    )


def _table(table: TableFile, reading: TableReading) -> Value:
    """rows: the first, of the columns that are known and of those before them."""
    named = [name for name in table.names if name in asdict(reading.columns).values()]
    shown = list(dict.fromkeys((*named, *table.names)))[:N_SHOWN_COLUMNS]
    at = [table.names.index(name) for name in table.names if name in shown]
    return {
        "names": list(table.names),
        "shown": [table.names[number] for number in at],
        "rows": [[row[number][:MOST_SHOWN] for number in at] for row in table.rows[:N_SHOWN]],
        "n_rows": len(table.rows),
        "columns": {role: getattr(reading.columns, role) for role in ROLES},
        "lacking": list(reading.lacking),
        "method": reading.method,
        "methods": [*PAIRED] if reading.columns.other else [*(method for method in METHODS if method not in PAIRED), "cmos"],
        "scale": reading.scale,
        "scales": list(reading.scales),
        "least": reading.least,
        "most": reading.most,
    }


def _test(upload: ClipUpload, judged: JudgedTable) -> Value:
    """As that of a test that is closed, as far as a table knows it."""
    findings = judged.findings
    drawn = inline_plots(findings, say_of(visited_sentences()), ())
    plan = plan_value(Plan(name="-", method=findings.method)) | {"systems": [{"id": found.system} for found in findings.systems]}
    plots = [{"title": title, "svg": svg} for title, svg in drawn]
    return {"name": upload.filename, "method": findings.method, "plan": plan, "findings": asdict(findings), "plots": plots, "log": []}
