"""Sounds of a test as one zip. File names give nothing away; key.csv says what each file holds."""

import csv
import hashlib
import io
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from studio.listening.plan.design import Item
from studio.listening.report.reported_test import ReportedTest
from studio.reading.formula_guard import guard_formula
from studio.words.line import Say

__all__ = ["sounds_zip"]

BLOCK_BYTES = 1 << 18
KEY = ("file", "text_number", "text", "system", "label", "role", "sha256", "seconds", "gain_db", "lufs", "bandwidth_hz", "build")


def sounds_zip(test: ReportedTest, folder: Path, say: Say) -> Iterator[bytes]:
    """Block after block, from a temporary file that is gone at the end; the same sounds make the same bytes.

    folder: of `<item id>.wav`. say: sentences of section `tests`, for the README. Raises OSError before the first block.
    """
    with tempfile.TemporaryFile() as file:
        _write(file, test, folder, say)
        file.seek(0)
        while block := file.read(BLOCK_BYTES):
            yield block


def _write(file: IO[bytes], test: ReportedTest, folder: Path, say: Say) -> None:
    names = {item.id: f"{_opaque(test, item)}.wav" for item in test.items}
    with zipfile.ZipFile(file, "w") as archive:
        readme = say("report_sounds_readme", {"name": test.plan.name}) + "\n"
        archive.writestr(zipfile.ZipInfo("README.txt"), readme, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("key.csv"), _key(test, names), zipfile.ZIP_DEFLATED)
        for item in sorted(test.items, key=lambda item: names[item.id]):
            told = zipfile.ZipInfo(names[item.id])  # without the time at which the sound was made
            with archive.open(told, "w", force_zip64=True) as member, (folder / f"{item.id}.wav").open("rb") as sound:
                shutil.copyfileobj(sound, member)


def _opaque(test: ReportedTest, item: Item) -> str:
    """A name that neither order nor text can be told from, and not the one that the studio keeps the sound by."""
    return hashlib.sha256(f"{test.link}/{item.id}".encode()).hexdigest()[:16]


def _key(test: ReportedTest, names: dict[str, str]) -> str:
    labels = {system.id: system.label or system.id for system in test.plan.systems}
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(KEY)
    for item in sorted(test.items, key=lambda item: (item.text, item.system)):
        text = test.plan.texts[item.text] if item.text < len(test.plan.texts) else ""
        told = (names[item.id], item.text + 1, text, item.system, labels.get(item.system, item.system), item.role, item.sha256)
        figures = (item.seconds, item.gain_db, item.lufs, item.bandwidth_hz)
        writer.writerow([guard_formula(cell) if isinstance(cell, str) else cell for cell in (*told, *figures, item.build)])
    return file.getvalue()
