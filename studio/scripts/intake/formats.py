"""Formats: which one data are taken for, by what stands in them, and by a file's name where that leaves a doubt."""

import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from studio.errors import ScriptFileUnusable
from studio.scripts.intake.cues import looks_like_subtitles
from studio.scripts.intake.dialogues.screenplay import looks_like_screenplay
from studio.scripts.intake.json_lists import looks_like_json
from studio.scripts.intake.markdown_text import looks_like_markdown
from studio.scripts.intake.tables import looks_like_table

__all__ = ["FORMATS", "archive_kind", "is_markdown", "text_format", "title_of_name"]

FORMATS = ("text", "markdown", "dialogue", "screenplay", "epub", "html", "srt", "vtt", "csv", "json", "script")
_BY_ENDING = {"md": "markdown", "markdown": "markdown", "fountain": "screenplay", "html": "html", "htm": "html", "xhtml": "html"}
_MARKED = {"word/document.xml": "DOCX", "ppt/presentation.xml": "PPTX", "xl/workbook.xml": "XLSX", "content.xml": "ODT"}
_HTML_STARTS = ("<!doctype html", "<html", "<?xml", "<body", "<head")


def archive_kind(data: bytes) -> str:
    """Of a ZIP: "epub", or "script" with its sounds. Raises ScriptFileUnusable."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = frozenset(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise ScriptFileUnusable(sentence="script_file_damaged") from error
    if "script.json" in names:
        return "script"
    if "META-INF/container.xml" in names or any(name.lower().endswith(".opf") for name in names):
        return "epub"
    for mark, kind in _MARKED.items():
        if mark in names:
            raise ScriptFileUnusable(sentence="script_file_document", kind=kind)
    raise ScriptFileUnusable(sentence="script_file_no_epub")


def text_format(text: str, filename: str) -> str:
    """Of a text; "" where it may be a dialogue, and is plain text where it is none."""
    head = text.lstrip()[:200].casefold()
    ending = _ending(filename)
    if looks_like_json(text):
        return "json"
    if subtitles := looks_like_subtitles(text):
        return subtitles
    if head.startswith(_HTML_STARTS) and (ending in ("html", "htm", "xhtml") or "<html" in text[:2_000].casefold()):
        return "html"
    if looks_like_table(text):
        return "csv"
    if ending == "fountain" or looks_like_screenplay(text):
        return "screenplay"
    return ""


def is_markdown(text: str, filename: str) -> bool:
    """Of a text that is no dialogue."""
    return _BY_ENDING.get(_ending(filename)) == "markdown" or looks_like_markdown(text)


def title_of_name(filename: str) -> str:
    """ "the_dark-house.txt" -> "the dark house"."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    stem = name.rpartition(".")[0] or name
    return " ".join(stem.replace("_", " ").replace("-", " ").split())


def _ending(filename: str) -> str:
    return filename.rpartition(".")[2].casefold() if "." in filename else ""
