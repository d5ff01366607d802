"""read_script: whatever people bring becomes a ReadScript, and they are told what it was taken for."""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

from engines.text.language_guess import guess_language, is_small_word
from studio.errors import ScriptFileUnusable
from studio.scripts.intake.books.epub import read_epub, read_html
from studio.scripts.intake.cues import looks_like_subtitles
from studio.scripts.intake.dialogues.dialogue import read_dialogue
from studio.scripts.intake.dialogues.screenplay import read_screenplay
from studio.scripts.intake.formats import FORMATS, archive_kind, is_markdown, text_format, title_of_name
from studio.scripts.intake.json_lists import json_of, looks_like_json, read_json_list
from studio.scripts.intake.markdown_text import read_markdown
from studio.scripts.intake.plain_text import read_plain_text
from studio.scripts.intake.subtitles import read_subtitles
from studio.scripts.intake.tables import looks_like_table, read_table
from studio.scripts.keep.script_file import from_plain, is_script
from studio.scripts.script.cast import CastMember
from studio.scripts.script.script import ReadScript
from studio.text_files.decoding import decode_text, joined_line_ends
from studio.text_files.text_check import check_no_other_kind

__all__ = ["MOST_CHARACTERS", "MOST_FILE_BYTES", "read_script", "readable_as"]

MOST_FILE_BYTES = 256 << 20  # an EPUB with its pictures, a script with its sounds
MOST_TEXT_BYTES = 16 << 20
MOST_CHARACTERS = 4_000_000  # eight times what a script may have, so that its own limit says by how much a book is too long
_MOST_SCRIPT_BYTES = 64 << 20  # of its JSON
_ZIP = b"PK\x03\x04"
_TITLE_CHARACTERS = 60
_LEAST_LETTERS, _SAMPLED_CHARACTERS, _N_SAMPLES = 20, 500, 5
_LEAST_ENGLISH = 0.1  # of the words: function words; English is what is guessed of all that nobody knows
_WORD = re.compile(r"[^\W\d_]+")


def read_script(data: bytes | str, filename: str = "", *, as_format: str | None = None) -> ReadScript:
    """data: of a file, or a paste. filename: tells the format where the data leave a doubt, and a title where they have none.
    as_format: one of FORMATS, where somebody knows it better. Raises ScriptFileUnusable."""
    if as_format is not None and as_format not in FORMATS:
        raise ScriptFileUnusable(sentence="script_format_unknown", format=as_format[:40], known=", ".join(FORMATS))
    title = title_of_name(filename)
    if isinstance(data, bytes) and data.startswith(_ZIP):
        return _finished(_of_archive(data, title, as_format), title)
    text, notes = _text(data)
    if as_format == "epub":
        raise ScriptFileUnusable(sentence="script_file_no_epub")
    read = _of_text(text, filename, as_format, title)
    return _finished(replace(read, notes=(*notes, *read.notes)), title)


def readable_as(data: bytes | str) -> tuple[str, ...]:
    """Names of FORMATS that would read these data. Raises ScriptFileUnusable."""
    if isinstance(data, bytes) and data.startswith(_ZIP):
        return (archive_kind(data),)
    text, _ = _text(data)
    if looks_like_json(text):
        return ("script" if is_script(json_of(text)) else "json", "text")
    subtitles, is_page = looks_like_subtitles(text), text.lstrip().startswith("<")
    found = {"text": True, "dialogue": True, "markdown": True, "screenplay": True, "html": is_page, "csv": looks_like_table(text)}
    return (*((subtitles,) if subtitles else ()), *(name for name, is_readable in found.items() if is_readable))


def _of_archive(data: bytes, title: str, as_format: str | None) -> ReadScript:
    if len(data) > MOST_FILE_BYTES:
        raise ScriptFileUnusable(sentence="script_file_too_large", size_bytes=len(data), most_bytes=MOST_FILE_BYTES)
    kind = archive_kind(data)
    if as_format not in (None, kind):
        raise ScriptFileUnusable(sentence="script_format_unfit", format=as_format, known=kind)
    return read_epub(data, title, most_characters=MOST_CHARACTERS) if kind == "epub" else _of_script_archive(data)


def _of_script_archive(data: bytes) -> ReadScript:
    """What the studio exported with its sounds: script.json, and sounds/<sha256>.flac beside it."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if (
                archive.getinfo("script.json").file_size > _MOST_SCRIPT_BYTES
                or sum(info.file_size for info in archive.infolist()) > 4 * MOST_FILE_BYTES
            ):
                raise ScriptFileUnusable(sentence="script_file_bomb")
            return from_plain(json.loads(archive.read("script.json")), sound_of=lambda digest: archive.read(f"sounds/{digest}.flac"))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError) as error:
        raise ScriptFileUnusable(sentence="script_file_damaged") from error


def _text(data: bytes | str) -> tuple[str, tuple[tuple[str, dict], ...]]:
    """(text, notes of how it was written)."""
    n_bytes = len(data)
    if n_bytes > MOST_TEXT_BYTES:
        raise ScriptFileUnusable(sentence="script_file_too_large", size_bytes=n_bytes, most_bytes=MOST_TEXT_BYTES)
    if isinstance(data, str):
        text, notes = joined_line_ends(data).replace("\0", ""), ()
    else:
        check_no_other_kind(data)
        decoded = decode_text(data)
        text = decoded.text
        notes = () if decoded.is_plain else (("note_encoding", {"encoding": decoded.encoding}),)
        notes += (("note_damaged", {"n": decoded.n_damaged}),) if decoded.n_damaged else ()
    if not text.strip("\ufeff\u200b \t\n"):
        raise ScriptFileUnusable(sentence="script_file_empty")
    if len(text) > MOST_CHARACTERS:
        raise ScriptFileUnusable(sentence="script_file_too_long", n=len(text), most=MOST_CHARACTERS)
    return text.encode("utf-8", "replace").decode() if _has_halves(text) else text, notes


def _has_halves(text: str) -> bool:
    """Whether half of a pair stands in it, which no file can keep."""
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def _of_text(text: str, filename: str, as_format: str | None, title: str) -> ReadScript:
    form = as_format or text_format(text, filename)
    if form:
        return _READ[form](text, title)
    if read := read_dialogue(text, title):
        return read
    return read_markdown(text, title) if is_markdown(text, filename) else read_plain_text(text, title)


def _of_json(text: str, title: str) -> ReadScript:
    try:
        value = json_of(text)
    except ValueError as error:
        raise ScriptFileUnusable(sentence="script_file_no_json") from error
    return from_plain(value) if is_script(value) else read_json_list(value, title)


def _of_subtitles(kind: str) -> Callable[[str, str], ReadScript]:
    return lambda text, title: read_subtitles(text, kind, title)


def _asked_dialogue(text: str, title: str) -> ReadScript:
    read = read_dialogue(text, title, is_asked=True)
    assert read is not None  # it is asked for
    return read


_READ: dict[str, Callable[[str, str], ReadScript]] = {
    "text": read_plain_text,
    "markdown": read_markdown,
    "dialogue": _asked_dialogue,
    "screenplay": read_screenplay,
    "html": read_html,
    "srt": _of_subtitles("srt"),
    "vtt": _of_subtitles("vtt"),
    "csv": read_table,
    "json": _of_json,
    "script": _of_json,
}


# --- what all have in common


def _finished(read: ReadScript, title: str) -> ReadScript:
    """With a title, a language and a cast. Raises ScriptFileUnusable where there is nothing to say."""
    if not any(line.text for line in read.lines):
        raise ScriptFileUnusable(sentence="script_file_no_cues" if read.taken_for in ("srt", "vtt") else "script_file_no_words")
    if read.taken_for == "script":
        return read
    first = next((line.text for line in read.lines if line.text), "")
    head = read.head.model_copy(
        update={"title": read.head.title or title[:200] or _shortened(first), "language": read.head.language or _language(read)}
    )
    return replace(read, head=head, cast=_cast(read))


def _cast(read: ReadScript) -> tuple[CastMember, ...]:
    """Everybody whom a line names, in the order in which they do; who came with a voice has it."""
    known = {member.name: member for member in read.cast}
    names = dict.fromkeys([*(line.who for line in read.lines if line.who or not line.is_silent), *known])
    return tuple(known.get(name) or CastMember(name=name) for name in names)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else f"{line[:_TITLE_CHARACTERS].rsplit(' ', 1)[0]}…"


def _language(read: ReadScript) -> str | None:
    """Guessed from places all over the text."""
    said = [line.text for line in read.lines if not line.is_silent and line.kind == "line"] or [line.text for line in read.lines]
    step = max(1, len(said) // _N_SAMPLES)
    guesses = Counter(_guess(" ".join(said[at : at + 12])[:_SAMPLED_CHARACTERS]) for at in range(0, len(said), step))
    return guesses.most_common(1)[0][0]


def _guess(text: str) -> str | None:
    words = _WORD.findall(text.lower())
    if sum(map(len, words)) < _LEAST_LETTERS and text.isascii():
        return None
    language = guess_language(text)
    n_english = sum(1 for word in words if is_small_word(word, "en"))
    return None if language == "en" and n_english < _LEAST_ENGLISH * len(words) else language
