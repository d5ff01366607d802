"""The page's own scripts, styles and markup, from assets/web/. Scripts and styles are served below a name made of their content."""

import functools
import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from studio.audio.file_type import FILE_ENDINGS
from studio.ui.gradio import linked_modules
from studio.ui.gradio.linked_modules import linked, linked_in_turn
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = ["ICON", "ICON_FILE", "KEPT_FOR_A_YEAR", "WebFiles", "markup", "mount", "stylesheet"]

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "web"
PREFIX = "studio/web"
PART = re.compile(r"<!-- ([\w/]+) as (\w+) -->")  # of a template: another file's markup, and what its ids begin with
SOUND_FILES = "SOUND_FILES"  # of a template: how sound files end, for a chooser of files
MAIN = "main.js"  # imports all others
FIRST = "frame/first.js"  # imports what the first screen wants, which runs before all others have come
FIRST_SCRIPTS, ALL_SCRIPTS, ALL_STYLES = "first.js", "scripts.js", "styles.css"  # as they are served
CATALOG = "words/catalog.js"  # the sentences of assets/words/, of which each language has its own
SHEETS = "styles"  # their folder
# In this order: what all share comes first.
STYLES = (
    *(
        "tokens",
        "gradio",
        "first",
        "parts",
        "speak",
        "player",
        "history",
        "cache",
        "create",
        "design",
        "voices",
        "compare",
        "pairs",
        "tests",
    ),
    "forced",
)


@dataclass(frozen=True)
class LatePart:
    """What comes when it is first wanted. name: of its files as they are served; main: the script that imports its others; sections: of its
    sentences, as the module `words/<name>_catalog.js`; styles: its sheets."""

    name: str
    main: str
    sections: tuple[str, ...]
    styles: tuple[str, ...]

    @property
    def catalog(self) -> str:
        return f"words/{self.name}_catalog.js"


LATE_PARTS = (
    LatePart("later", "scripts/scripts_tab.js", ("scripts",), ("scripts", "script_side")),
    LatePart("evaluations", "evaluations/evaluations_view.js", ("evaluations",), ("evaluations",)),
)
# Of the page on which somebody takes a listening test: below its own path.
LISTENER_PREFIX, LISTENER_MAIN = "web", "listener/listen_page.js"
LISTENER_STYLES = ("tokens", "parts", "listen", "forced")
LISTENER_SECTION = "listen"
TYPES = {".js": "text/javascript", ".css": "text/css"}

ICON_FILE = FOLDER / "icon.svg"  # bars of a waveform
# Inline in pages, so that no key and no proxy stands between; until the page's head is there a browser asks the host for /favicon.ico,
# which below a proxy's path is somebody else.
ICON = "data:image/svg+xml," + quote(ICON_FILE.read_text(encoding="utf-8").strip(), safe=" =:/'<>")

KEPT_FOR_A_YEAR = "public, max-age=31536000, immutable"  # for what has its content's hash in its name


@dataclass(frozen=True)
class WebFiles:
    """ES modules and style sheets, by path below the folder, each language's as few files. Another content of any has another address for
    all, so that browsers keep them without asking.

    catalogs: by language, the module of its sentences. late: what is sent when it is asked for; late_catalogs: by language and path, the
    modules of its sentences. All else is the same for all.
    main: the script that imports all others that are sent. first: the one whose modules come apart, before the others; "" for none.
    styles: the sheets that are sent, in their order. prefix: of all addresses.
    """

    files: Mapping[str, bytes]
    catalogs: Mapping[str, bytes]
    main: str = MAIN
    first: str = FIRST
    styles: tuple[str, ...] = STYLES
    prefix: str = PREFIX
    late: tuple[LatePart, ...] = ()
    late_catalogs: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path = FOLDER) -> "WebFiles":
        sections = [section for part in LATE_PARTS for section in part.sections]
        catalogs = {language: sentences_in(language).without(*sections).module() for language in LANGUAGES}
        late = {
            language: {part.catalog: sentences_in(language).later_module(*part.sections) for part in LATE_PARTS} for language in LANGUAGES
        }
        return cls(_all_files(folder), catalogs, late=LATE_PARTS, late_catalogs=late)

    @classmethod
    def for_listeners(cls, folder: Path = FOLDER) -> "WebFiles":
        """What goes to somebody who takes a listening test: nothing that names an engine, a voice or another part of the studio."""
        catalogs = {language: sentences_in(language).section_alone(LISTENER_SECTION).module() for language in LANGUAGES}
        return cls(_all_files(folder), catalogs, LISTENER_MAIN, "", LISTENER_STYLES, LISTENER_PREFIX)

    @property
    def address(self) -> str:
        """Of the folder, relative to the page, so that it is right below any proxy's path; the language is a mark (`Sentences.marked`)."""
        return f"{self._root}/@@language@@"

    @functools.cached_property
    def _root(self) -> str:
        digest = hashlib.sha256(Path(linked_modules.__file__).read_bytes())
        late = [(name, data) for modules in self.late_catalogs.values() for name, data in modules.items()]
        for name, data in [*self.files.items(), *self.catalogs.items(), *late]:
            digest.update(f"{name} {len(data)} ".encode() + data)
        return f"{self.prefix}/{digest.hexdigest()[:20]}"

    @property
    def _scripts(self) -> tuple[str, ...]:
        return (FIRST_SCRIPTS, ALL_SCRIPTS) if self.first else (ALL_SCRIPTS,)

    @property
    def head(self) -> str:
        """Icon and scripts for the page's head: modules, which run once the document is read, and before those that stand behind them."""
        style = f'<link rel="preload" as="style" href="{self.address}/{ALL_STYLES}">'
        scripts = [f'<script type="module" src="{self.address}/{name}"></script>' for name in self._scripts]
        return "\n".join([f'<link rel="icon" href="{ICON}">', style, *scripts])

    @property
    def style_line(self) -> str:
        """The style sheet for the beginning of the page's body: after those that Gradio puts into the head as it runs, so that of two
        rules alike ours counts."""
        return f'<link rel="stylesheet" href="{self.address}/{ALL_STYLES}">'

    def scripts_of(self, language: str) -> dict[str, bytes]:
        """All modules as a few scripts, by the names under which they are served, since a browser that loads a hundred, from wherever, is
        kept at it for a fifth of a second.
        """
        modules = {name: data.decode() for name, data in self.files.items() if name.endswith(".js")}
        modules[CATALOG] = self.catalogs[language].decode()
        late = self.late_catalogs.get(language, {})
        modules |= {part.catalog: late.get(part.catalog, b"").decode() for part in LATE_PARTS}
        if not self.first:
            return {ALL_SCRIPTS: linked(modules, self.main).encode()}
        mains = {self.first: FIRST_SCRIPTS, self.main: ALL_SCRIPTS}
        names = [*mains.values(), *(f"{part.name}.js" for part in self.late)]
        scripts = linked_in_turn(modules, {main: f"./{name}" for main, name in mains.items()}, [part.main for part in self.late])
        return {name: script.encode() for name, script in zip(names, scripts, strict=True)}

    def route(self) -> Route:
        """GET of each file; below no other name, so that nobody keeps one content under the name of another."""
        styles = {ALL_STYLES: self._sheets(self.styles)} | {f"{part.name}.css": self._sheets(part.styles) for part in self.late}
        served = (*self._scripts, *(f"{part.name}.js" for part in self.late), *styles)

        scripts = functools.cache(self.scripts_of)

        @functools.cache
        def content(language: str, name: str, is_packed: bool) -> bytes:
            """Made when it is first asked for: a studio starts without packing what perhaps nobody reads."""
            data = styles[name] if name in styles else scripts(language)[name]
            return gzip.compress(data, mtime=0) if is_packed else data

        def file(request: Request) -> Response:
            language, name = request.path_params["language"], request.path_params["name"]
            if language not in self.catalogs or name not in served:
                return PlainTextResponse("Not Found", status_code=404)
            takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
            headers = {"Cache-Control": KEPT_FOR_A_YEAR, "Vary": "Accept-Encoding"}
            if takes_gzip:
                headers["Content-Encoding"] = "gzip"
            return Response(content(language, name, takes_gzip), media_type=TYPES[Path(name).suffix], headers=headers)

        return Route(f"/{self._root}/{{language}}/{{name}}", file)

    def _sheets(self, names: tuple[str, ...]) -> bytes:
        return b"".join(self.files.get(f"{SHEETS}/{name}.css", b"") for name in names)


def _all_files(folder: Path) -> dict[str, bytes]:
    """By path below the folder, whichever way the system writes paths."""
    return {path.relative_to(folder).as_posix(): _compact(path).encode() for path in sorted(folder.rglob("*")) if path.suffix in TYPES}


def markup(name: str) -> str:
    """A constant template of a gr.HTML: Gradio would wipe what scripts draw if it changed. name: with its room, as "speak/composer"."""
    text = (FOLDER / f"{name}.html").read_text(encoding="utf-8")
    return PART.sub(lambda found: markup(found[1]).replace("NAME", found[2]), text).replace(SOUND_FILES, ",".join(FILE_ENDINGS))


def stylesheet(name: str) -> str:
    """A style sheet without its comments, for a page that has it within. name: as in STYLES."""
    return _compact(FOLDER / SHEETS / f"{name}.css")


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
