"""The package of an EPUB 2 or 3: who wrote it, in which order it is read, which chapters its tables of contents name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from studio.errors import ScriptFileUnusable
from studio.scripts.intake.books.epub_archive import EpubArchive
from studio.scripts.intake.books.markup_tree import MarkupNode
from studio.scripts.intake.books.xhtml import read_page

__all__ = ["EpubPackage", "NavEntry", "read_package"]

_PAGES = frozenset(("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml", "application/xml", ""))
_COVERS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
_MOST_COVER_BYTES = 16 << 20
_FRONT = frozenset(("cover", "title-page", "titlepage", "halftitlepage", "copyright-page", "colophon"))
_MOST_ENTRIES, _MOST_NAV_DEPTH = 5_000, 6


@dataclass(frozen=True)
class NavEntry:
    """depth: from 1. name, place: of the file in the archive, and the id within it, "" for its beginning."""

    title: str
    depth: int
    name: str
    place: str


@dataclass(frozen=True)
class EpubPackage:
    """pages: names of the files in reading order. beside: of those that are no part of it (linear="no").
    contents: of the tables of contents. front: of what is no text of the book: cover, title page, imprint."""

    title: str
    author: str
    language: str | None
    year: str
    description: str
    pages: tuple[str, ...]
    beside: tuple[str, ...]
    contents: frozenset[str]
    front: frozenset[str]
    nav: tuple[NavEntry, ...]
    cover: bytes | None


def read_package(archive: EpubArchive) -> EpubPackage:
    """Raises ScriptFileUnusable where the archive is no EPUB."""
    name = _package_name(archive)
    package = archive.tree(name)
    items = {item.attributes.get("id", ""): item for item in package.all("item")}
    metadata = package.first("metadata") or MarkupNode("")
    pages, beside = _spine(archive, name, package, items)
    if not pages:
        raise ScriptFileUnusable(sentence="script_file_no_words" if items else "script_file_damaged")  # pages of pictures alone
    nav_name = next((archive.find(item.attributes.get("href", ""), name) for item in items.values() if _has(item, "nav")), "")
    spine = package.first("spine") or MarkupNode("")
    ncx = items.get(spine.attributes.get("toc", "")) or next(
        (item for item in items.values() if "dtbncx" in item.attributes.get("media-type", "")), None
    )
    nav = _nav(archive, nav_name) if nav_name else ()
    if len(nav) < 2 and ncx is not None:
        nav = _ncx(archive, archive.find(ncx.attributes.get("href", ""), name)) or nav
    parts = [*_guide(archive, name, package), *(_landmarks(archive, nav_name) if nav_name else ())]
    return EpubPackage(
        title=_title(metadata),
        author=", ".join(_authors(metadata)),
        language=_language(metadata),
        year=next((year[0] for date in _dates(metadata) if (year := re.search(r"\b\d{4}\b", date))), ""),
        description="\n".join(passage.text for passage in read_page(_field(metadata, "description")).passages),
        pages=pages,
        beside=beside,
        contents=frozenset({nav_name, *(page for kind, page in parts if kind == "toc")} - {""}),
        front=frozenset(page for kind, page in parts if kind in _FRONT) - {pages[0] if len(pages) == 1 else ""},
        nav=nav,
        cover=_cover(archive, name, package, items),
    )


def _package_name(archive: EpubArchive) -> str:
    container = archive.tree(archive.find("META-INF/container.xml"))
    for root in container.all("rootfile"):
        if name := archive.find(root.attributes.get("full-path", "")):
            return name
    if name := next((name for name in archive.names if name.lower().endswith(".opf")), ""):
        return name
    raise ScriptFileUnusable(sentence="script_file_no_epub")


def _spine(archive: EpubArchive, name: str, package: MarkupNode, items: dict[str, MarkupNode]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    pages: dict[str, bool] = {}
    for reference in package.all("itemref"):
        item = items.get(reference.attributes.get("idref", ""))
        if item is None or item.attributes.get("media-type", "").lower() not in _PAGES:
            continue
        if page := archive.find(item.attributes.get("href", ""), name):
            pages.setdefault(page, reference.attributes.get("linear", "yes").lower() != "no")
    if not any(pages.values()):
        pages = dict.fromkeys(pages, True)
    return tuple(page for page in pages if pages[page]), tuple(page for page in pages if not pages[page])


def _has(item: MarkupNode, property_name: str) -> bool:
    return property_name in item.attributes.get("properties", "").split()


# --- metadata


def _field(metadata: MarkupNode, name: str) -> str:
    return next((node.text for node in metadata.all(name) if node.text), "")


def _title(metadata: MarkupNode) -> str:
    kinds = {
        node.attributes.get("refines", "").lstrip("#"): node.text
        for node in metadata.all("meta")
        if node.attributes.get("property") == "title-type"
    }
    titles = [node for node in metadata.all("title") if node.text]
    main = next((node for node in titles if kinds.get(node.attributes.get("id", "")) == "main"), titles[0] if titles else None)
    return main.text if main else ""


def _authors(metadata: MarkupNode) -> list[str]:
    roles = {
        node.attributes.get("refines", "").lstrip("#"): node.text
        for node in metadata.all("meta")
        if node.attributes.get("property") == "role"
    }
    creators = [
        (node.text, node.attributes.get("role") or roles.get(node.attributes.get("id", ""), "")) for node in metadata.all("creator")
    ]
    authors = [name for name, role in creators if name and role in ("", "aut")]
    return list(dict.fromkeys(authors or [name for name, _ in creators if name]))


def _language(metadata: MarkupNode) -> str | None:
    code = re.match(r"[a-z]{2,3}(?![a-z])", _field(metadata, "language").strip().lower())
    return code[0] if code and code[0] not in ("und", "zxx", "mul") else None


def _dates(metadata: MarkupNode) -> list[str]:
    """That of the original first, then that of publication."""
    dates = [(node.attributes.get("event", ""), node.text) for node in metadata.all("date")]
    order = ("original-publication", "publication", "", "creation")
    return [text for wanted in order for event, text in dates if event == wanted]


def _cover(archive: EpubArchive, name: str, package: MarkupNode, items: dict[str, MarkupNode]) -> bytes | None:
    found = [item for item in items.values() if _has(item, "cover-image")]
    named = next((node.attributes.get("content", "") for node in package.all("meta") if node.attributes.get("name") == "cover"), "")
    found += [items[named]] if named in items else []
    found += [item for key, item in items.items() if "cover" in key.lower() and item.attributes.get("media-type", "").startswith("image/")]
    for item in found:
        entry = archive.find(item.attributes.get("href", ""), name)
        data = archive.read(entry) if entry else b""
        if data.startswith(_COVERS) and len(data) <= _MOST_COVER_BYTES:
            return data
    return None


# --- tables of contents


def _guide(archive: EpubArchive, name: str, package: MarkupNode) -> Iterator[tuple[str, str]]:
    """(what a page is, its name), by EPUB 2."""
    for reference in package.all("reference"):
        yield reference.attributes.get("type", "").lower(), archive.find(reference.attributes.get("href", ""), name)


def _landmarks(archive: EpubArchive, name: str) -> Iterator[tuple[str, str]]:
    """The same by EPUB 3."""
    for nav in archive.tree(name).all("nav"):
        for link in nav.all("a") if "landmarks" in nav.attributes.get("type", "").split() else ():
            for kind in link.attributes.get("type", "").lower().split():
                yield kind, archive.find(link.attributes.get("href", ""), name)


def _nav(archive: EpubArchive, name: str) -> tuple[NavEntry, ...]:
    navs = list(archive.tree(name).all("nav"))
    nav = next((nav for nav in navs if "toc" in nav.attributes.get("type", "").split()), navs[0] if navs else None)
    return tuple(_nav_entries(archive, name, nav, 0))[:_MOST_ENTRIES] if nav else ()


def _nav_entries(archive: EpubArchive, name: str, node: MarkupNode, depth: int) -> Iterator[NavEntry]:
    for child in node.children():
        if child.name == "a" and (title := child.text):
            link = child.attributes.get("href", "")
            yield NavEntry(title, max(depth, 1), archive.find(link, name), link.partition("#")[2])
        elif child.name not in ("h1", "h2", "h3", "h4", "h5", "h6") and depth < _MOST_NAV_DEPTH:
            yield from _nav_entries(archive, name, child, depth + (child.name in ("ol", "ul")))


def _ncx(archive: EpubArchive, name: str) -> tuple[NavEntry, ...]:
    top = archive.tree(name).first("navmap") if name else None
    return tuple(_ncx_entries(archive, name, top, 1))[:_MOST_ENTRIES] if top else ()


def _ncx_entries(archive: EpubArchive, name: str, node: MarkupNode, depth: int) -> Iterator[NavEntry]:
    for point in node.children("navpoint"):
        label, content = next(point.children("navlabel"), None), next(point.children("content"), None)
        link = content.attributes.get("src", "") if content else ""
        if label and label.text:
            yield NavEntry(label.text, depth, archive.find(link, name), link.partition("#")[2])
        if depth < _MOST_NAV_DEPTH:
            yield from _ncx_entries(archive, name, point, depth + 1)
