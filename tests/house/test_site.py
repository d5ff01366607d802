"""The documentation site: it is built of the READMEs without a warning, every link in it leads somewhere, and no page asks another host."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from studio.settings import current_environment
from tests.house.source_files import ROOT, tracked

NAMES = ("href", "src")
FETCHED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "video": "src", "audio": "src"}
OF_GITHUB = (".github/", "tests/studio/speakers/samples/")  # a form, and what lies beside recordings


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    environment = current_environment() | {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


class Reader(HTMLParser):
    """What a page links to, fetches and can be linked at."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.links += [given[name] for name in NAMES if name in given]
        if tag == "link" and given.get("rel") != "canonical":
            self.fetched.append(given.get("href", ""))
        elif tag in FETCHED:
            self.fetched.append(given.get(FETCHED[tag], ""))


@cache
def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def pages(site: Path) -> Iterator[Path]:
    return (
        page for page in sorted(site.rglob("*.html")) if page.name != "404.html"
    )  # whose links are those of a site at the root of its host


def page_of(place: str) -> str:
    """Where MkDocs puts a page."""
    path = Path(place)
    return str(path.parent / "index.html" if path.name == "README.md" else path.with_suffix("") / "index.html")


@pytest.mark.slow
def test_every_readme_is_a_page(site):
    written = [place for place in (str(file.relative_to(ROOT)) for file in tracked("*.md")) if not place.startswith(OF_GITHUB)]
    assert {"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "studio/README.md", "engines/README.md"} <= set(written)
    for place in written:
        assert (site / page_of(place)).is_file(), f"{place}: name it in mkdocs.yml"


@pytest.mark.slow
def test_every_link_inside_the_site_leads_somewhere(site):
    for page in pages(site):
        for link in read(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file() and target.is_relative_to(site), f"{page}: {link}"
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in read(target).anchors, f"{page}: {link}"


@pytest.mark.slow
def test_no_page_asks_another_host(site):
    for page in pages(site):
        assert not [link for link in read(page).fetched if urlsplit(link).netloc], page
        assert 'class="mermaid"' not in page.read_text(encoding="utf-8"), f"{page}: the theme fetches what draws it"
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.slow
def test_a_page_that_the_text_names_is_linked(site):
    assert '<a href="engines/"><code>engines/README.md</code></a>' in (site / "index.html").read_text(encoding="utf-8")
    beside = '"><code>ERRORS.md</code></a>'
    assert any(beside in page.read_text(encoding="utf-8") for page in pages(site))
