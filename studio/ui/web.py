"""The page's own scripts, styles and markup, read from assets/web/. Scripts and styles are served below a name of their content."""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from studio.ui.catalogue import LANGUAGES, catalogue

__all__ = ["ICON", "ICON_FILE", "KEPT_FOR_A_YEAR", "WebFiles", "markup", "mount", "style"]

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "web"
PREFIX = "studio/web"
MAIN = "main.js"  # imports all others
CATALOG = "catalog.js"  # the sentences of assets/words/, of which each language has its own
# In this order: what all share comes first.
STYLES = ("tokens", "gradio", "parts", "speak", "player", "history", "cache", "create", "voices")
TYPES = {".js": "text/javascript", ".css": "text/css"}

ICON_FILE = FOLDER / "icon.svg"  # bars of a waveform
# Inline in pages, so that no key and no proxy stands between; until the page's head is there a browser asks the host for /favicon.ico,
# which below a proxy's path is somebody else.
ICON = "data:image/svg+xml," + quote(ICON_FILE.read_text(encoding="utf-8").strip(), safe=" =:/'<>")


KEPT_FOR_A_YEAR = "public, max-age=31536000, immutable"  # for what has its content's hash in its name


@dataclass(frozen=True)
class WebFiles:
    """ES modules and style sheets, by name. Another content of any has another address for all, so that browsers keep them without asking,
    and modules name each other as they are called in the folder.

    catalogs: by language, the module of its sentences. All else is the same for all, below each language's name.
    """

    files: Mapping[str, bytes]
    catalogs: Mapping[str, bytes]

    @classmethod
    def read(cls, folder: Path = FOLDER) -> "WebFiles":
        files = {path.name: _compact(path).encode() for path in sorted(folder.iterdir()) if path.suffix in TYPES}
        return cls(files, {language: catalogue(language).module() for language in LANGUAGES})

    @property
    def address(self) -> str:
        """Of the folder, relative to the page, so that it is right below any proxy's path; the language is a mark (`Catalogue.marked`)."""
        return f"{self._root}/@@language@@"

    @property
    def _root(self) -> str:
        digest = hashlib.sha256()
        for name, data in [*self.files.items(), *self.catalogs.items()]:
            digest.update(f"{name} {len(data)} ".encode() + data)
        return f"{PREFIX}/{digest.hexdigest()[:20]}"

    @property
    def modules(self) -> list[str]:
        """Addresses of the scripts, the one that imports the others first."""
        scripts = sorted((name for name in [*self.files, CATALOG] if name.endswith(".js")), key=lambda name: name != MAIN)
        return [f"{self.address}/{name}" for name in scripts]

    @property
    def head(self) -> str:
        """Icon and scripts for the page's head. All modules are named, or a browser would find them one import after the other."""
        first, *others = self.modules
        lines = [f'<link rel="icon" href="{ICON}">']
        lines += [f'<link rel="preload" as="style" href="{path}">' for path in self._styles]
        lines += [f'<script type="module" src="{first}"></script>']
        lines += [f'<link rel="modulepreload" href="{path}">' for path in others]
        return "\n".join(lines)

    @property
    def styles(self) -> str:
        """Style sheets for the beginning of the page's body: after those that Gradio puts into the head as it runs, so that of two
        rules alike ours counts."""
        return "\n".join(f'<link rel="stylesheet" href="{path}">' for path in self._styles)

    @property
    def _styles(self) -> list[str]:
        return [f"{self.address}/{name}.css" for name in STYLES]

    def route(self) -> Route:
        """GET of a file; below no other name, so that nobody keeps one content under the name of another."""
        plain = {(language, CATALOG): data for language, data in self.catalogs.items()}
        plain |= {(language, name): data for language in self.catalogs for name, data in self.files.items()}
        gzipped = {data: gzip.compress(data, mtime=0) for data in {*plain.values()}}

        def file(request: Request) -> Response:
            language, name = request.path_params["language"], request.path_params["name"]
            data = plain.get((language, name))
            if data is None:
                return PlainTextResponse("Not Found", status_code=404)
            headers = {"Cache-Control": KEPT_FOR_A_YEAR, "Vary": "Accept-Encoding"}
            takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
            if takes_gzip:
                headers["Content-Encoding"] = "gzip"
            return Response(gzipped[data] if takes_gzip else data, media_type=TYPES[Path(name).suffix], headers=headers)

        return Route(f"/{self._root}/{{language}}/{{name}}", file)


def markup(name: str) -> str:
    """A constant template of a gr.HTML: Gradio would wipe what scripts draw if it changed."""
    return (FOLDER / f"{name}.html").read_text(encoding="utf-8")


def style(name: str) -> str:
    """A style sheet without its comments, for a page that has it within."""
    return _compact(FOLDER / f"{name}.css")


def _compact(path: Path) -> str:
    """A script or style sheet without what no browser reads, a sixth of what travels: comments on lines of their own, in style sheets all,
    and indentation. Nothing else is touched, so that names and lines are found again; no text of ours goes over several lines and needs it.
    """
    text = path.read_text(encoding="utf-8")
    comment = r"/\*.*?\*/" if path.suffix == ".css" else r"^\s*(?:/\*\*.*?\*/\s*$|//[^\n]*$)"
    lines = re.sub(comment, "", text, flags=re.DOTALL | re.MULTILINE).splitlines()
    return "\n".join(filter(None, (line.strip() for line in lines))) + "\n"


def mount(name: str, *events: str, calls: bool = False) -> str:
    """The js_on_load that hands a gr.HTML to its script. events: what the script may trigger; Gradio finds their names in this text.

    calls: it has server functions, and the script gets `server`.
    """
    given = "element, props, trigger, watch, upload" + (", server" if calls else "")
    return f"(window.studioMounts ??= []).push({{ name: {name!r}, events: {list(events)!r}, {given} }});"
