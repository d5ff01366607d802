"""Formats of a dictionary as a file: which one a file has, and how either is read and written."""

from typing import Literal

from studio.reading.lexicon.csv_table import read_csv, written_csv
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon_file import LexiconFile
from studio.reading.lexicon.pls import read_pls, written_pls

__all__ = ["FILE_TYPES", "FileFormat", "file_of", "read_file"]

FileFormat = Literal["pls", "csv"]
FILE_TYPES: dict[FileFormat, str] = {"pls": "application/pls+xml", "csv": "text/csv"}
_READ = {"pls": read_pls, "csv": read_csv}
_WRITTEN = {"pls": written_pls, "csv": written_csv}


def file_of(entries: tuple[LexiconEntry, ...], kind: FileFormat) -> bytes:
    """The dictionary as a file."""
    return _WRITTEN[kind](entries)


def read_file(data: bytes, content_type: str, name: str) -> LexiconFile:
    """Of whichever format by its type, else its name, else its first letter. Raises LexiconFileInvalid, LexiconFull."""
    said = f"{content_type.partition(';')[0]} {name}".lower()
    is_xml = "xml" in said or said.endswith(".pls")
    is_csv = "csv" in said or said.endswith((".txt", ".tsv"))
    kind: FileFormat = "pls" if is_xml or (not is_csv and data.lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t\0").startswith(b"<")) else "csv"
    return _READ[kind](data)
