"""Answers about a pronunciation dictionary: the forms of the JSON, and what its files are called."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.reading.lexicon.csv_table import read_csv, written_csv
from studio.reading.lexicon.entry import MOST_FORM_CHARACTERS, LexiconEntry
from studio.reading.lexicon.lexicon import MOST_ENTRIES
from studio.reading.lexicon.lexicon_file import LexiconFile
from studio.reading.lexicon.pls import read_pls, written_pls

__all__ = [
    "FILE_TYPES",
    "FileFormat",
    "LexiconAnswer",
    "LexiconEntryAnswer",
    "LexiconEntryBody",
    "LexiconImportAnswer",
    "file_of",
    "read_file",
]

FileFormat = Literal["pls", "csv"]
FILE_TYPES: dict[FileFormat, str] = {"pls": "application/pls+xml", "csv": "text/csv"}
_READ = {"pls": read_pls, "csv": read_csv}
_WRITTEN = {"pls": written_pls, "csv": written_csv}
_Form = Field("", max_length=MOST_FORM_CHARACTERS)


class LexiconEntryBody(BaseModel):
    """How a word is said: in other letters, in IPA, or both; the IPA is used where an engine takes it (`phones` of its model)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"said": "tuh-mah-toe", "ipa": "təˈmɑːtəʊ"}]})
    said: str = _Form
    ipa: str = _Form
    case: bool = Field(False, description="Whether it is meant in these capitals alone.")
    whole_word: bool = Field(True, description="Whether it is not meant inside of longer words.")


class LexiconEntryAnswer(BaseModel):
    """An entry. language: "" for all."""

    written: str
    said: str
    ipa: str
    language: str
    case: bool
    whole_word: bool

    @classmethod
    def of(cls, entry: LexiconEntry) -> "LexiconEntryAnswer":
        """As it is kept."""
        return cls.model_validate(entry, from_attributes=True)


class LexiconAnswer(BaseModel):
    """The dictionary, in the order in which its entries were made. most: how many it may have.

    set_aside: whether an earlier one was damaged, and lies in quarantine.
    """

    entries: list[LexiconEntryAnswer]
    most: int = MOST_ENTRIES
    set_aside: bool


class LexiconImportAnswer(BaseModel):
    """imported: entries of the file; n_entries: of the dictionary now. passed_over: what of the file is in no entry, with its line."""

    imported: int
    n_entries: int
    passed_over: list[str]


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
