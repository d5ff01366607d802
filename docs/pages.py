"""Pages of the documentation site: the READMEs and what they show, handed to MkDocs as they lie, so that nothing is written twice.

Each keeps its path, so that a link from one to another leads right on GitHub and in the site.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

__all__ = ["on_files", "on_page_markdown"]

LINK = re.compile(r"\]\(([^)#:\s]+)\)")  # to a file of ours
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
NAMED_PAGE = re.compile(r"(?<!\[)`([\w./-]+\.md)`")  # in the text; a link has its name in brackets


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """MkDocs' hook: adds every page that the navigation names, and the pictures and plain files that it links to."""
    root = Path(config.config_file_path).parent
    pages = list(_named(config.nav))
    linked = {place for page in pages for place in _links(root, page) if not place.endswith(".md") and (root / place).is_file()}
    for place in (*pages, *sorted(linked)):
        files.append(File(place, str(root), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """MkDocs' hook: a page that the text names by its path, from here or from the top, is a link to it."""
    here = page.file.src_uri
    folder = Path(here).parent

    def link(found: re.Match[str]) -> str:
        beside = (folder / found[1]).as_posix()
        named = next((place for place in (beside, found[1]) if files.get_file_from_path(place)), here)
        return found[0] if named == here else f"[{found[0]}]({Path(os.path.relpath(named, folder)).as_posix()})"

    parts = FENCED.split(markdown)
    return "".join(part if FENCED.match(part) else NAMED_PAGE.sub(link, part) for part in parts)


def _links(root: Path, page: str) -> Iterator[str]:
    """Paths from the top."""
    for link in LINK.findall((root / page).read_text(encoding="utf-8")):
        yield Path(os.path.normpath(Path(page).parent / link)).as_posix()


def _named(entry: object) -> Iterator[str]:
    """Paths in the navigation, which nests lists and titles."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from _named(part)
