"""Written report: a folder, or a ZIP, of the page, its sounds, and the same findings as CSV, JSON and Markdown.

report.html, cells.csv, systems.csv, evaluation.json, table.md, sounds/<system>/<voice>/<text>-<seed>.flac
"""

import filecmp
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO

from engines.durable import put_file, replace_file, sync_directory
from studio.evaluations.plan.cell import KeptSound
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.report.evaluation_csv import cells_csv, systems_csv
from studio.evaluations.report.evaluation_file import evaluation_json
from studio.evaluations.report.evaluation_report import ReportBeside, html_report
from studio.evaluations.report.markdown import markdown_table
from studio.evaluations.report.report_words import ReportWords
from studio.evaluations.report.sound_names import sound_names
from studio.evaluations.statistics.findings import EvaluationFindings

__all__ = ["PAGE", "report_zip", "write_report"]

PAGE = "report.html"
BLOCK_BYTES = 1 << 18
SoundPath = Callable[[KeptSound], Path]


def write_report(
    folder: Path,
    data: EvaluationData,
    findings: EvaluationFindings,
    words: ReportWords,
    *,
    sound_path: SoundPath,
    beside: ReportBeside | None = None,
) -> Path:
    """The page's path. Each file is whole or absent, and the page comes last: whatever it names is there. Written again, sounds that are
    there already stay. sound_path: where a sound is kept. Raises OSError, and what sound_path does."""
    names = sound_names(data)
    for cell in data.cells:
        if cell.said.sound is not None:
            _put_sound(folder / names[cell.key], sound_path(cell.said.sound))
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in _files(data, findings, words, beside).items():
        put_file(folder / name, (content,))
    sync_directory(folder)
    return folder / PAGE


def report_zip(
    data: EvaluationData, findings: EvaluationFindings, words: ReportWords, sound_path: SoundPath, beside: ReportBeside | None = None
) -> Iterator[bytes]:
    """The same as blocks of a ZIP, from a temporary file that is gone at the end; the same findings make the same bytes. Raises OSError
    before the first block."""
    with tempfile.TemporaryFile() as file:
        _write_zip(file, data, _files(data, findings, words, beside), sound_path)
        file.seek(0)
        while block := file.read(BLOCK_BYTES):
            yield block


def _files(data: EvaluationData, findings: EvaluationFindings, words: ReportWords, beside: ReportBeside | None) -> Mapping[str, bytes]:
    """Name -> content; the page is the last."""
    files = {
        "cells.csv": cells_csv(data).encode(),
        "systems.csv": systems_csv(findings).encode(),
        "evaluation.json": evaluation_json(data, findings),
        "table.md": markdown_table(data, findings, words).encode(),
    }
    names = sound_names(data)
    linked = replace(beside or ReportBeside(), files={name: name for name in files})
    page = html_report(data, findings, words, lambda key, _: names[key], linked)
    return files | {PAGE: page.encode()}


def _put_sound(path: Path, kept: Path) -> None:
    """path: where it comes to, unless the same is there already."""
    if path.is_file() and filecmp.cmp(path, kept, shallow=False):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = path.with_name(f".{path.name}.part")  # of a process that was killed here, too
    shutil.copyfile(kept, begun)
    replace_file(begun, path)


def _write_zip(file: IO[bytes], data: EvaluationData, files: Mapping[str, bytes], sound_path: SoundPath) -> None:
    """Members have no times; sounds are compressed already."""
    names = sound_names(data)
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        for cell in data.cells:
            if (kept := cell.said.sound) is not None:
                _put_member(archive, names[cell.key], sound_path(kept))


def _put_member(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member, path.open("rb") as sound:
        shutil.copyfileobj(sound, member)
