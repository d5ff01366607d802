"""Claims about an evaluation's files: JSON comes in again as it was, tables are safe, names are everybody's, a folder is whole."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from math import nan
from pathlib import Path, PureWindowsPath

import pytest

from studio.evaluations.plan.cell import CellMeasures, KeptSound
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.plan import EvaluationSystem
from studio.evaluations.report.evaluation_csv import cells_csv, systems_csv
from studio.evaluations.report.evaluation_file import EvaluationFileUnusable, data_of_json, evaluation_json
from studio.evaluations.report.markdown import markdown_table
from studio.evaluations.report.sound_names import sound_names
from studio.evaluations.report.written_report import report_zip, write_report
from tests.evaluations.drawn_evaluation import Drawn, drawn_evaluation
from tests.evaluations.drawn_findings import drawn_findings
from tests.evaluations.report.spoken_words import words_in

DATA = drawn_evaluation(Drawn(labels=("A", "B", "Toy"), n_voices=2, n_texts=8, refused_every=5, n_toys=1))
FINDINGS = drawn_findings(DATA)
JSON = evaluation_json(DATA, FINDINGS)


@pytest.fixture
def sound_path(tmp_path: Path) -> Callable[[KeptSound], Path]:
    (tmp_path / "kept").mkdir()

    def path(sound: KeptSound) -> Path:
        kept = tmp_path / "kept" / sound.sha256
        kept.write_bytes(sound.sha256.encode())
        return kept

    return path


def test_a_json_file_comes_in_again_as_it_was_and_is_the_same_each_time():
    assert data_of_json(JSON) == DATA
    assert evaluation_json(data_of_json(JSON), FINDINGS) == JSON


def test_a_figure_that_is_no_number_is_in_no_file():
    broken = replace(DATA.cells[0], measures=CellMeasures({"likeness": nan, "dnsmos": 3.0}))
    read = data_of_json(evaluation_json(replace(DATA, cells=(broken,)), FINDINGS))
    assert read.cells[0].measures and read.cells[0].measures.values == {"dnsmos": 3.0}


def changed(change: Callable[[dict], object]) -> bytes:
    told = json.loads(JSON)
    change(told)
    return json.dumps(told).encode()


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (b"", "no JSON"),
        (JSON[:-400], "no JSON"),
        (b"[1, 2]", "voice-studio-evaluation"),
        (b'{"format": "voice-studio-script", "version": 1}', "voice-studio-evaluation"),
        (changed(lambda told: told.update(version=0)), "version"),
        (changed(lambda told: told.update(version=2)), "form 2"),
        (changed(lambda told: told["data"].pop("evaluation")), "data.evaluation"),
        (changed(lambda told: told["data"]["cells"][3]["said"]["key"].update(voice="nobody")), "s1/nobody/"),
        (changed(lambda told: told["data"]["cells"].append(told["data"]["cells"][0])), "twice"),
        (changed(lambda told: told["data"]["cells"][0]["measures"]["values"].update(likeness="much")), "likeness"),
        (JSON.replace(b'"likeness": 0', b'"likeness": Infinity, "x": 0', 1), "no number"),
    ],
)
def test_what_is_no_evaluation_is_refused_with_the_reason(file: bytes, why: str):
    with pytest.raises(EvaluationFileUnusable) as refused:
        data_of_json(file)
    assert why in str(refused.value)


def test_cells_have_a_row_each_with_all_that_is_known():
    rows = list(csv.DictReader(io.StringIO(cells_csv(DATA), newline="")))
    assert len(rows) == len(DATA.cells)
    for row, cell in zip(rows, DATA.cells, strict=True):
        assert (row["system"], row["voice"], row["text"], int(row["seed"])) == cell.key
        assert row["refused"] == (cell.said.refused or {}).get("message", "")
        if cell.measures:
            assert float(row["likeness"]) == cell.measures.values["likeness"] and row["heard"] == cell.measures.heard
            assert row["file"].startswith("sounds/") and float(row["ttfp_seconds"]) == cell.said.ttfp_seconds


def labeled(label: str) -> EvaluationData:
    """With another label of the first system."""
    plan = DATA.evaluation.plan
    systems = (plan.systems[0].model_copy(update={"label": label}), *plan.systems[1:])
    return replace(DATA, evaluation=replace(DATA.evaluation, plan=plan.model_copy(update={"systems": systems})))


def test_a_spreadsheet_runs_nothing_of_a_label():
    data = labeled("=HYPERLINK(0)")
    for table in (cells_csv(data), systems_csv(drawn_findings(data))):
        rows = list(csv.DictReader(io.StringIO(table, newline="")))
        assert rows[0]["label"] == "'=HYPERLINK(0)"


def test_systems_have_a_row_for_each_figure_and_say_whom_they_are_better_than():
    rows = list(csv.DictReader(io.StringIO(systems_csv(FINDINGS), newline="")))
    whole = {(row["system"], row["figure"]): row for row in rows if not row["part"]}
    assert float(whole["s1", "rtf"]["mean"]) == next(one.mean for one in FINDINGS.means if (one.system, one.figure) == ("s1", "rtf"))
    assert whole["s1", "rtf"]["better_than"] == "s2" and whole["s2", "rtf"]["worse_than"] == "s1"
    assert whole["s3", "rtf"]["toy"] == "true" and not whole["s3", "rtf"]["worse_than"]
    assert {row["part"] for row in rows} >= {"language:en", "kind:numbers"}


def test_the_markdown_table_has_no_toys_and_says_so():
    table = markdown_table(DATA, FINDINGS, words_in())
    rows = [line for line in table.split("\n") if line.startswith("|")]
    assert len(rows) == 4 and not any("Toy" in row for row in rows)
    assert "random: Toy." in table and rows[2].count("**") >= 4 and "**" not in rows[3]
    assert len({row.count("|") for row in rows}) == 1
    data = labeled("a|b <i>*")
    assert r"| a\|b \<i\>\* |" in markdown_table(data, drawn_findings(data), words_in())


def test_names_are_readable_and_every_system_takes_them():
    plan = DATA.evaluation.plan
    systems = tuple(EvaluationSystem(id=id_, label=id_) for id_ in ("con", "Con", "CON_2"))
    cells = tuple(
        replace(cell, said=replace(cell.said, key=cell.key._replace(system=system.id)))
        for system in systems
        for cell in DATA.cells
        if cell.key.system == "s1"
    )
    data = replace(DATA, cells=cells, evaluation=replace(DATA.evaluation, plan=plan.model_copy(update={"systems": systems})))
    names = list(sound_names(data).values())
    assert names[0] == "sounds/_con/v1/en-01-0.flac"
    assert len({name.casefold() for name in names}) == len(names) == len(cells)
    assert not [part for name in names for part in PureWindowsPath(name).parts if part.endswith(".") or part.split(".")[0].lower() == "con"]


def test_a_folder_holds_all_and_is_the_same_when_it_is_written_again(tmp_path: Path, sound_path: Callable[[KeptSound], Path]):
    page = write_report(tmp_path / "out", DATA, FINDINGS, words_in(), sound_path=sound_path)
    files = {file.relative_to(tmp_path / "out").as_posix(): file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    assert page.name == "report.html"
    assert set(files) == {"report.html", "cells.csv", "systems.csv", "evaluation.json", "table.md", *sound_names(DATA).values()}
    (tmp_path / "out" / next(iter(sound_names(DATA).values()))).write_bytes(b"another")
    write_report(tmp_path / "out", DATA, FINDINGS, words_in(), sound_path=sound_path)
    assert all((tmp_path / "out" / name).read_bytes() == content for name, content in files.items())
    archive = zipfile.ZipFile(io.BytesIO(b"".join(report_zip(DATA, FINDINGS, words_in(), sound_path))))
    assert {name: archive.read(name) for name in archive.namelist()} == files


def test_a_page_never_names_a_sound_that_is_not_there(tmp_path: Path, sound_path: Callable[[KeptSound], Path]):
    last = [cell.said.sound.sha256 for cell in DATA.cells if cell.said.sound][-1]

    def lacking(sound: KeptSound) -> Path:
        return tmp_path / "nowhere" if sound.sha256 == last else sound_path(sound)

    with pytest.raises(OSError):
        write_report(tmp_path / "out", DATA, FINDINGS, words_in(), sound_path=lacking)
    assert not (tmp_path / "out" / "report.html").exists()
