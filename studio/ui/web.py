"""The page's own scripts, markup and style, read from assets/web/. Scripts are one file, named by its content and kept by browsers."""

import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["ICON", "ICON_FILE", "KEPT_FOR_A_YEAR", "STYLES", "ScriptBundle", "markup", "mount"]

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "web"
STYLES = tuple(FOLDER / f"{name}.css" for name in ("studio", "speak", "cache", "creating", "library"))  # what all share comes first
# In this order: each may use what the ones before it define.
SCRIPTS = (
    "frame", "connection", "draft", "tabs", "wav", "waveform", "spectrogram", "speech_transport", "gradio_queue", "gradio_transport",
    "player", "player_view", "listening", "capture", "levels", "recorder", "language", "reading", "region", "clip_report", "transcript",
    "extracting", "voice_name", "clip_sound", "create_draft", "creating", "options", "segments", "snippets", "timing", "runs", "speaking",
    "api", "matrix", "engine_cards", "library", "voices", "history",
)  # fmt: skip


ICON_FILE = FOLDER / "icon.svg"  # bars of a waveform
# Inline in pages, so that no key and no proxy stands between; until the page's head is there a browser asks the host for /favicon.ico,
# which below a proxy's path is somebody else.
ICON = "data:image/svg+xml," + quote(ICON_FILE.read_text(encoding="utf-8").strip(), safe=" =:/'<>")


KEPT_FOR_A_YEAR = "public, max-age=31536000, immutable"  # for what has its content's hash in its name


@dataclass(frozen=True)
class ScriptBundle:
    """All scripts as one file. Another content has another name, so that a browser may keep it without asking."""

    data: bytes

    @classmethod
    def read(cls, folder: Path = FOLDER) -> "ScriptBundle":
        parts = (f"// {name}.js\n{(folder / f'{name}.js').read_text(encoding='utf-8')}" for name in SCRIPTS)
        return cls("\n".join(parts).encode())

    @property
    def path(self) -> str:
        """Relative to the page, so that it is right below any proxy's path."""
        return f"studio/scripts/{hashlib.sha256(self.data).hexdigest()[:20]}.js"

    @property
    def head(self) -> str:
        """Icon and script element for the page's head."""
        return f'<link rel="icon" href="{ICON}">\n<script src="{self.path}"></script>'

    def route(self) -> Route:
        """GET of the file; of no other name, so that nobody keeps one content under the name of another."""
        packed = gzip.compress(self.data, mtime=0)
        headers = {"Cache-Control": KEPT_FOR_A_YEAR, "Vary": "Accept-Encoding"}

        def scripts(request: Request) -> Response:
            takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
            encoding = {"Content-Encoding": "gzip"} if takes_gzip else {}
            return Response(packed if takes_gzip else self.data, media_type="text/javascript", headers=headers | encoding)

        return Route(f"/{self.path}", scripts)


def markup(name: str) -> str:
    """A constant template of a gr.HTML: Gradio would wipe what scripts draw if it changed."""
    return (FOLDER / f"{name}.html").read_text(encoding="utf-8")


def mount(name: str, *events: str, calls: bool = False) -> str:
    """The js_on_load that hands a gr.HTML to its script. events: what the script may trigger; Gradio finds their names in this text.

    calls: it has server functions, and the script gets `server`.
    """
    given = "element, props, trigger, watch, upload" + (", server" if calls else "")
    return f"(window.studioMounts ??= []).push({{ name: {name!r}, events: {list(events)!r}, {given} }});"
