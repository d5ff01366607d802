"""EPUB 2 and 3, and a page of HTML by itself: chapters by their table of contents, else by their headings."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from studio.errors import ScriptFileUnusable
from studio.scripts.intake.books.epub_archive import EpubArchive
from studio.scripts.intake.books.epub_package import EpubPackage, NavEntry, read_package
from studio.scripts.intake.books.xhtml import BELOW_CHAPTERS, ReadPage, read_page
from studio.scripts.intake.gutenberg import is_gutenberg_end, is_gutenberg_start
from studio.scripts.intake.headings import is_chapter_heading
from studio.scripts.intake.passages import Passage, lines_of
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.text_files.decoding import decode_text, joined_line_ends
from studio.text_files.text_check import has_words

__all__ = ["read_epub", "read_html"]

_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,80}encoding\s*=\s*["']([\w.-]{2,40})["']|<meta[^>]{0,120}charset\s*=\s*["']?([\w.-]{2,40})""", re.IGNORECASE
)
_KEY = re.compile(r"[\W_]+")
_CONTENTS_SHARE = 0.7  # of a page's letters that lead elsewhere
_LOOKED_AHEAD = 3  # passages behind the place that a table of contents names: a picture's words, the number of a page


@dataclass
class _Told:
    """What is counted over all pages."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, key: str, n: int) -> None:
        self.counts[key] = self.counts.get(key, 0) + n

    @property
    def notes(self) -> tuple[tuple[str, dict], ...]:
        return tuple((key, {"n": n}) for key, n in self.counts.items() if n)


def read_epub(data: bytes, title: str = "", *, most_characters: int = 4_000_000) -> ReadScript:
    """title: where the book names none. most_characters: a longer book is refused as soon as it is known. Raises ScriptFileUnusable."""
    archive = EpubArchive(data)
    archive.check_readable()
    package = read_package(archive)
    told = _Told()
    passages: list[Passage] = []
    named = {entry.name for entry in package.nav} & set(package.pages)
    n_characters = 0
    for name in package.pages:
        if n_characters > most_characters:
            raise ScriptFileUnusable(sentence="script_file_too_long", n=n_characters, most=most_characters)
        page = read_page(_page_text(archive.read(name)))
        _tell(told, page)
        n_characters += sum(len(passage.text) for passage in page.passages)
        passages += _of_page(page, name, package, has_nav=len(package.nav) > 1 and bool(named), told=told)
    told.add("note_beside", len(package.beside))
    passages, n_left_out = _without_gutenberg(passages)
    told.add("note_gutenberg", n_left_out)
    if not any(has_words(passage.text) and not passage.is_silent for passage in passages):
        raise ScriptFileUnusable(sentence="script_file_no_words")
    head = ScriptHead(
        title=(package.title or title)[:200],
        author=package.author[:200],
        language=package.language,
        year=package.year,
        description=package.description[:4000],
    )
    return ReadScript(head, lines_of(passages), (), "epub", notes=told.notes, cover=package.cover)


def read_html(text: str, title: str = "") -> ReadScript:
    """Of one page."""
    page = read_page(text)
    told = _Told()
    _tell(told, page)
    passages, n_left_out = _without_gutenberg(page.passages)
    told.add("note_gutenberg", n_left_out)
    language = re.match(r"[a-z]{2,3}(?![a-z])", page.language.lower())
    head = ScriptHead(title=(page.title or title)[:200], language=language[0] if language else None)
    return ReadScript(head, lines_of(passages), (), "html", notes=told.notes)


def _page_text(data: bytes) -> str:
    declared = _DECLARED.search(data, 0, 2_000)
    if declared and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        try:
            return joined_line_ends(data.decode((declared[1] or declared[2]).decode("ascii")))
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_text(data).text


def _tell(told: _Told, page: ReadPage) -> None:
    told.add("note_footnotes", max(page.n_references, page.n_notes))
    told.add("note_front", int(page.is_front and bool(page.passages)))
    told.add("note_formulas", page.n_formulas)
    told.add("note_pictures", page.n_pictures)
    told.add("note_gutenberg", page.n_left_out)


def _of_page(page: ReadPage, name: str, package: EpubPackage, *, has_nav: bool, told: _Told) -> list[Passage]:
    passages = page.passages
    if name in package.contents or page.links > _CONTENTS_SHARE:
        told.add("note_contents", len(passages))
        return [replace(passage, level=0, is_silent=True) for passage in passages]
    if name in package.front and not page.is_front:
        told.add("note_front", int(bool(passages)))
        return [replace(passage, level=0, is_silent=True) for passage in passages]
    if not has_nav:
        return passages
    entries = [entry for entry in package.nav if entry.name == name]
    return _with_chapters(passages, page.places, entries)


def _with_chapters(passages: Sequence[Passage], places: dict[str, int], entries: Iterable[NavEntry]) -> list[Passage]:
    """With a heading where a chapter begins: the one that stands there, else a silent one that names it."""
    made = [replace(passage, level=BELOW_CHAPTERS) if passage.level else passage for passage in passages]
    inserted: dict[int, Passage] = {}
    for entry in entries:
        at = places.get(unquote(entry.place), 0) if entry.place else 0
        if at >= len(passages):
            continue
        found = _heading_at(passages, at, entry.title)
        if found is not None:
            if 0 < made[found].level <= entry.depth:
                continue
            made[found] = replace(made[found], level=entry.depth)
        elif at not in inserted:
            inserted[at] = Passage(entry.title, level=entry.depth, is_silent=True)
    return [part for at, passage in enumerate(made) for part in ((inserted[at], passage) if at in inserted else (passage,))]


def _heading_at(passages: Sequence[Passage], at: int, title: str) -> int | None:
    """The passage that is the heading: one of the first by its words, else the first if it is a heading at all."""
    key = _key(title)
    for number in range(at, min(at + _LOOKED_AHEAD, len(passages))):
        own = _key(passages[number].text)
        is_same = own and (own == key or (passages[number].level and (own in key or key in own)))
        if is_same and not passages[number].is_silent:
            return number
    return at if passages[at].level or (is_chapter_heading(passages[at].text) and not passages[at].is_silent) else None


def _key(text: str) -> str:
    return _KEY.sub("", text).casefold()


def _without_gutenberg(passages: list[Passage]) -> tuple[list[Passage], int]:
    """Without header and license, where marks tell them; (passages, characters that are left out)."""
    start = next((at for at, passage in enumerate(passages[:80]) if is_gutenberg_start(passage.text)), -1)
    end = next((at for at in range(start + 1, len(passages)) if is_gutenberg_end(passages[at].text)), len(passages))
    kept = passages[start + 1 : end]
    return kept, sum(len(passage.text) for passage in passages) - sum(len(passage.text) for passage in kept)
