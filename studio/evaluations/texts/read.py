"""read_texts: whatever list people bring becomes texts of an evaluation; they are told what it was taken for, and what is not used."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import EvaluationTextsUnusable, ScriptFileUnusable
from studio.evaluations.plan.plan import MOST_TEXTS, EvaluationText
from studio.evaluations.texts.found_files import FileFinder
from studio.evaluations.texts.gathering import Gathering
from studio.evaluations.texts.lists import list_rows
from studio.evaluations.texts.read_voice import ReadVoice
from studio.evaluations.texts.rows import FoundRows
from studio.evaluations.texts.tables import json_rows, looks_like_table, table_rows
from studio.text_files.decoding import decode_text
from studio.text_files.text_check import check_no_other_kind

__all__ = ["MOST_LINES", "MOST_LIST_BYTES", "Note", "ReadTexts", "found_rows", "read_texts"]

MOST_LIST_BYTES = 8 << 20
MOST_LINES = 20 * MOST_TEXTS  # blank ones, comments and JSON in many lines included: more of them take long to look at
_ARCHIVE = b"PK\x03\x04"  # a workbook is one, too
Note = tuple[str, dict[str, object]]


@dataclass(frozen=True)
class ReadTexts:
    """voices: whose recordings the list names, bound to their texts by EvaluationText.voice. voice_names: id -> name of voices that it
    names without a recording. references: text id -> the person's own recording of that text.

    taken_for: what the list was read as; its sentence is `evaluations.texts_are_<taken_for>`. notes: (key of section "evaluations",
    values) of what is to be known, above all of what is not used.
    """

    texts: tuple[EvaluationText, ...]
    voices: tuple[ReadVoice, ...] = ()
    references: Mapping[str, Path] = field(default_factory=dict)
    taken_for: str = "lines"
    notes: tuple[Note, ...] = ()
    voice_names: Mapping[str, str] = field(default_factory=dict)


def read_texts(
    data: bytes | str, filename: str = "", *, language: str | None = None, folder: Path | None = None, within: Path | None = None
) -> ReadTexts:
    """data: of a file, or a paste. filename: tells what the data leave open. language: of texts of which the list says none.

    folder: of the list, in which the recordings that it names are looked for; without it no file is opened. within: recordings outside of
    it are not read, as of an upload that was unpacked. Raises EvaluationTextsUnusable.
    """
    text, notes = _decoded(data)
    found = found_rows(text, filename)
    gathering = Gathering(FileFinder(folder, within), language, filename)
    gathering.add(found)
    return ReadTexts(
        texts=tuple(gathering.texts),
        voices=tuple(gathering.voices.values()),
        references=gathering.references,
        taken_for=found.taken_for,
        notes=(*notes, *gathering.notes(found)),
        voice_names=gathering.voice_names,
    )


def found_rows(text: str, filename: str = "") -> FoundRows:
    """What a text is taken for, with its rows. Raises EvaluationTextsUnusable."""
    if (n_lines := text.count("\n")) > MOST_LINES:
        raise EvaluationTextsUnusable(sentence="evaluation_texts_too_many", n=n_lines, most=MOST_TEXTS)
    if found := json_rows(text):
        return found
    if looks_like_table(text, filename):
        return table_rows(text)
    return list_rows(text, filename)


def _decoded(data: bytes | str) -> tuple[str, tuple[Note, ...]]:
    if len(data) > MOST_LIST_BYTES:
        raise EvaluationTextsUnusable(sentence="evaluation_texts_too_large", size_bytes=len(data), most_bytes=MOST_LIST_BYTES)
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if data.startswith(_ARCHIVE):
        raise EvaluationTextsUnusable(sentence="evaluation_texts_binary")
    try:
        check_no_other_kind(data)
        decoded = decode_text(data)
    except ScriptFileUnusable as error:
        raise EvaluationTextsUnusable(sentence="evaluation_texts_binary") from error
    notes: list[Note] = [] if decoded.is_plain else [("texts_encoding", {"encoding": decoded.encoding})]
    if decoded.n_damaged:
        notes.append(("texts_damaged", {"n": decoded.n_damaged}))
    if not decoded.text.strip("\ufeff\u200b \t\n"):
        raise EvaluationTextsUnusable(sentence="evaluation_texts_empty")
    return decoded.text, tuple(notes)
