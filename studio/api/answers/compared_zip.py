"""A comparison as one ZIP: the sound of each lane, and its figures as CSV and JSON. compare_export.js writes the same on the page."""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from studio.audio.file_encoder import EncodedFile
from studio.reading.formula_guard import guard_formula

__all__ = ["COLUMNS", "ComparedLane", "compared_zip"]

COLUMNS = (
    "lane", "file", "label", "voice", "engine", "seed", "options", "language", "length_seconds", "ttfp_ms", "rtf", "lufs", "likeness",
    "word_errors", "n_words", "dnsmos", "distillmos", "warning", "error",
)  # fmt: skip
MEMORY_BYTES = 1 << 20
BLOCK_BYTES = 1 << 18
YEAR_ONE = (1980, 1, 1, 0, 0, 0)  # of a ZIP: the same sounds make the same bytes


@dataclass(frozen=True)
class ComparedLane:
    """figures: by names of COLUMNS, None where there is none. file: None where the lane has failed."""

    figures: dict[str, object]
    file: EncodedFile | None = None
    extension: str = ""
    letter: str = "A"

    def told(self) -> dict[str, object]:
        """With its letter and the name of its file."""
        name = None if self.file is None else f"{self.letter}.{self.extension}"
        return {"lane": self.letter, "file": name} | self.figures


def compared_zip(text: str, lanes: Sequence[ComparedLane]) -> IO[bytes]:
    """At its beginning, to be closed by whoever asked. Blocks. Raises OSError."""
    spool = tempfile.SpooledTemporaryFile(MEMORY_BYTES)  # noqa: SIM115
    try:
        _write(spool, text, lanes)
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    return spool


def _write(spool: IO[bytes], text: str, lanes: Sequence[ComparedLane]) -> None:
    told = [lane.told() for lane in lanes]
    with zipfile.ZipFile(spool, "w") as archive:
        archive.writestr(zipfile.ZipInfo("figures.json", YEAR_ONE), json.dumps({"text": text, "lanes": told}, ensure_ascii=False, indent=1))
        archive.writestr(zipfile.ZipInfo("figures.csv", YEAR_ONE), _csv(told))
        for lane, row in zip(lanes, told, strict=True):
            if lane.file is not None:
                _put(archive, str(row["file"]), lane.file)


def _put(archive: zipfile.ZipFile, name: str, file: EncodedFile) -> None:
    with archive.open(zipfile.ZipInfo(name, YEAR_ONE), "w", force_zip64=True) as member:
        for block in file.blocks(BLOCK_BYTES):
            member.write(block)


def _csv(told: Sequence[dict[str, object]]) -> str:
    file = io.StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    rows.writerows([_cell(row.get(name)) for name in COLUMNS] for row in told)
    return file.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, dict):
        return guard_formula("; ".join(f"{name}={one}" for name, one in value.items()))
    return "" if value is None else guard_formula(value) if isinstance(value, str) else value
