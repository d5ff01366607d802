"""XHTML and HTML as passages: paragraphs, headings, verse; without what is only shown.

Not said, and told: numbers of footnotes, numbers of pages, readings over characters (<rt>), what pictures show. Footnotes themselves are
kept silent.
"""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

from studio.scripts.intake.books.markup_tree import local_name
from studio.scripts.intake.passages import Passage
from studio.text_files.text_check import has_words

__all__ = ["BELOW_CHAPTERS", "ReadPage", "read_page"]

BELOW_CHAPTERS = 7  # level of headings that begin no chapter
_UNSAID = frozenset("script style head template noscript iframe object svg math canvas audio video rt rp title".split())  # noqa: SIM905 a list is longer
_BLOCKS = frozenset(
    """p div section article aside header footer main nav body html blockquote ul ol dl li dt dd table thead tbody tfoot tr caption figure
    figcaption form fieldset address details summary center hgroup pre h1 h2 h3 h4 h5 h6 hr""".split()  # noqa: SIM905 a list is longer
)
_VOID = frozenset("br hr img input meta link col area base embed source track wbr image".split())  # noqa: SIM905 a list is longer
_HEADING = re.compile(r"h[1-6]")
_CELLS = frozenset(("td", "th"))
_NOTE_TYPES = frozenset("footnote rearnote endnote footnotes rearnotes endnotes doc-footnote doc-endnote doc-endnotes".split())  # noqa: SIM905 a list is longer
_REFERENCE_TYPES = frozenset("noteref doc-noteref annoref backlink doc-backlink".split())  # noqa: SIM905 a list is longer
_PAGE_TYPES = frozenset("pagebreak doc-pagebreak page-list doc-pagelist".split())  # noqa: SIM905 a list is longer
_PAGE_CLASSES = frozenset("pagenum pageno pgnum page-number pagenumber page_number pagebreak page-break lineno linenum ns".split())  # noqa: SIM905 a list is longer
_REFERENCE_CLASSES = re.compile(
    r"(?:^|[\s_-])(?:fn|foot|end)?-?note-?(?:ref|anchor)|fnanchor|fnref|footnote-(?:ref|link|anchor)", re.IGNORECASE
)
_CONTENTS_TYPES = frozenset("toc doc-toc landmarks lot loi".split())  # noqa: SIM905 a list is longer
_FRONT_TYPES = frozenset("cover titlepage halftitlepage copyright-page colophon imprint other-credits doc-cover doc-colophon".split())  # noqa: SIM905 a list is longer
_ROLES = (
    (_PAGE_TYPES, "page"),
    (_NOTE_TYPES, "note"),
    (_CONTENTS_TYPES, "contents"),
    (_FRONT_TYPES, "front"),
    (_REFERENCE_TYPES, "reference"),
)
_GUTENBERG_IDS = re.compile(r"pg-(?:header|footer|machine-header|start-separator|end-separator)\b")
_NOTE_NUMBER = re.compile(r"[\[(]?\s*(?:\d{1,4}|[*†‡§¶#]{1,3}|[a-z]|[ivxlc]{1,5})\s*[\])]?", re.IGNORECASE)
_DRAWING = re.compile(r"<((?:\w{1,8}:)?(?:math|svg))(?=[\s>])[^<>]{0,2000}(?<!/)>", re.IGNORECASE)
_RAISED = {"sup": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"), "sub": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")}  # m² is not m2
_UNCLOSED, _MOST_UNCLOSED = re.compile(r"<(?=[^<>]*(?:<|\Z))"), 100
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_MOST_DEPTH = 2_000  # elements in each other
_LINKS = frozenset(("reference", "link"))


@dataclass
class ReadPage:
    """places: id -> index of the passage that it stands at. title: of <title>. links: share of its letters that lead elsewhere."""

    passages: list[Passage] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    title: str = ""
    language: str = ""
    links: float = 0.0
    is_front: bool = False  # a cover, a title page, an imprint
    n_formulas: int = 0
    n_notes: int = 0
    n_references: int = 0
    n_pictures: int = 0
    n_left_out: int = 0  # characters of what Project Gutenberg puts around a book


def read_page(text: str) -> ReadPage:
    """Of a whole document or a part of one; what is not well-formed is read as browsers do, roughly."""
    reader = _PageReader()
    if text.count("<") > text.count(">") + _MOST_UNCLOSED:  # for each of which Python's parser looks through all of the rest
        text = _UNCLOSED.sub("&lt;", text)
    plain, n_formulas = _without_drawings(text)
    reader.feed(plain)
    reader.close()
    page = reader.page()
    page.n_formulas += n_formulas
    return page


def _without_drawings(text: str) -> tuple[str, int]:
    """(the text without formulas and drawings, which have hundreds of tags and no words that are said; how many formulas)."""
    kept: list[str] = []
    at = n_formulas = 0
    for found in _DRAWING.finditer(text):
        if found.start() < at:
            continue
        end = text.find(f"</{found[1]}", found.end())
        if end < 0:
            break
        kept.append(text[at : found.start()])
        at = end + len(found[1]) + 2
        at = text.find(">", at) + 1 or len(text)
        n_formulas += found[1].lower().endswith("math")
    return "".join((*kept, text[at:])), n_formulas


@dataclass
class _Open:
    """An element that is open. role: what its text is taken for: "" as what it stands in, else one of the handlers' words."""

    name: str
    role: str = ""


class _PageReader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self._page = ReadPage()
        self._open: list[_Open] = []
        self._roles: list[str] = [
            ""
        ]  # of what is open: "unsaid", "page", "note", "contents", "front", "reference", "link", "title", "gutenberg"
        self._held: list[str] = []
        self._level = 0
        self._is_verse = False
        self._n_letters = self._n_linked = self._n_links = 0
        self._reference: list[str] = []  # text of a link that is open
        self._is_raised = False

    def page(self) -> ReadPage:
        """What was read."""
        self._flush()
        self._page.links = self._n_linked / max(self._n_letters, 1) if self._n_links > 4 else 0.0
        return self._page

    # --- what the parser tells

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._begin(local_name(tag), {name.lower(): value or "" for name, value in attrs}, is_empty=False)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._begin(local_name(tag), {name.lower(): value or "" for name, value in attrs}, is_empty=True)

    def handle_endtag(self, tag: str) -> None:
        name = local_name(tag)
        if not any(element.name == name for element in self._open[-60:]):
            return
        while self._open:
            ended = self._open.pop()
            self._roles.pop()
            self._end(ended)
            if ended.name == name:
                return

    def handle_data(self, data: str) -> None:
        role = self._roles[-1]
        if role == "title":
            self._page.title = " ".join(f"{self._page.title} {data}".split())
        elif role == "gutenberg":
            self._page.n_left_out += len(data)
        elif role in _LINKS:
            self._reference.append(data)
        elif role not in ("unsaid", "page"):
            self._hold(data)

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):
            self.handle_data(data.removeprefix("CDATA["))

    # --- elements

    def updatepos(self, i: int, j: int) -> int:
        """Nobody asks for lines and columns, which cost a tenth of the time."""
        return j

    def _begin(self, name: str, attributes: dict[str, str], *, is_empty: bool) -> None:
        if self._roles[-1] == "unsaid" and name not in _BLOCKS:  # a formula has hundreds
            if not is_empty and name not in _VOID and len(self._open) < _MOST_DEPTH:
                self._open.append(_Open(name))
                self._roles.append("unsaid")
            return
        if name in _BLOCKS:
            self._begin_block()
        if place := attributes.get("id") or (attributes.get("name") if name == "a" else ""):
            self._page.places.setdefault(place, len(self._page.passages))
        self._show(name, attributes)
        if name in _VOID or is_empty or len(self._open) >= _MOST_DEPTH:
            return
        if _HEADING.fullmatch(name):
            self._level = int(name[1])
        self._is_verse = self._is_verse or name == "pre"
        self._n_links += name == "a" and "href" in attributes
        role = self._role(name, attributes)
        if role in _LINKS and self._roles[-1] not in _LINKS:
            self._reference, self._is_raised = [], any(element.name == "sup" for element in self._open[-2:])
        self._is_raised = self._is_raised or name == "sup"
        self._open.append(_Open(name, role))
        self._roles.append(role or self._roles[-1])

    def _begin_block(self) -> None:
        if self._roles[-1] in _LINKS:  # a link around paragraphs
            self._end_link(is_reference=False)
            self._roles = ["" if role in _LINKS else role for role in self._roles]
        self._flush()

    def _show(self, name: str, attributes: dict[str, str]) -> None:
        """What an element does by itself: breaks, pictures, cells."""
        if name == "html":
            self._page.language = attributes.get("xml:lang") or attributes.get("lang", "")
        elif name == "br":
            self._held.append(" " if self._level else "\v")
        elif name in ("img", "image"):
            self._page.n_pictures += has_words(attributes.get("alt", ""))
        elif name == "hr" and self._page.passages:
            self._page.passages[-1] = replace(self._page.passages[-1], is_rule=True)
        elif name in _CELLS and any(map(has_words, self._held)):
            self._held.append(", ")

    def _end(self, ended: _Open) -> None:
        if ended.role in _LINKS and self._roles[-1] not in _LINKS:
            self._end_link(is_reference=ended.role == "reference")
        if ended.name in _BLOCKS:
            self._flush()
        if _HEADING.fullmatch(ended.name):
            self._level = 0
        self._is_verse = self._is_verse and ended.name != "pre"

    def _end_link(self, *, is_reference: bool) -> None:
        """The number of a footnote is not said: one that is raised, in brackets, or called so. What is none stays."""
        text = "".join(self._reference)
        bare = text.strip()
        if _NOTE_NUMBER.fullmatch(bare) and (is_reference or self._is_raised or not bare[0].isalnum()):
            self._page.n_references += 1
        else:
            self._hold(text)
            self._n_linked += sum(map(str.isalnum, text))
        self._reference = []

    def _hold(self, data: str) -> None:
        self._n_letters += 0 if data.isspace() else sum(map(str.isalnum, data))
        if self._open and (digits := _RAISED.get(self._open[-1].name)) and data.strip().isdecimal():
            data = data.translate(digits)
        self._held.append(data.replace("\u00ad", ""))

    def _role(self, name: str, attributes: dict[str, str]) -> str:
        kinds = {*attributes.get("epub:type", "").split(), attributes.get("role", "")}
        classes = attributes.get("class", "")
        if _GUTENBERG_IDS.match(attributes.get("id", "")) or "pg-boilerplate" in classes:
            return "gutenberg"
        if name in _UNSAID:
            return "title" if name == "title" else "" if name == "head" else "unsaid"
        found = next((role for types, role in _ROLES if kinds & types), "")
        self._page.is_front = self._page.is_front or found == "front"
        if found or _PAGE_CLASSES & set(classes.lower().split()):
            return found or "page"
        is_reference = name in ("a", "sup", "span") and _REFERENCE_CLASSES.search(classes)
        return "reference" if is_reference else "link" if name == "a" and "href" in attributes else ""

    def _flush(self) -> None:
        """What was held is a passage."""
        held, self._held = "".join(self._held), []
        if not held or held.isspace():
            return
        if self._is_verse:
            text = "\n".join(line.rstrip() for line in held.replace("\v", "\n").strip("\n").split("\n"))
        else:
            text = "\n".join(filter(None, (line.strip(" ") for line in _BLANKS.sub(" ", held.replace("\u00a0", " ")).split("\v"))))
        role = self._roles[-1]
        is_silent = role in ("note", "contents", "front") or (self._is_verse and any(element.name == "code" for element in self._open))
        if not has_words(text):
            if self._page.passages and not self._level:
                self._page.passages[-1] = replace(self._page.passages[-1], is_rule=True)
            return
        self._page.n_notes += role == "note"
        level = self._level if role == "" else 0
        self._page.passages.append(Passage(" ".join(text.split("\n")) if level else text, level=level, is_silent=is_silent))
