"""The page's own scripts, markup and style, read from assets/web/. Scripts go inline into the head: no route, no cache, no foreign host."""

from pathlib import Path
from urllib.parse import quote

__all__ = ["ICON", "ICON_FILE", "STYLES", "head", "markup", "mount"]

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "web"
STYLES = tuple(FOLDER / f"{name}.css" for name in ("studio", "speak", "cache", "creating", "library"))  # what all share comes first
# In this order: each may use what the ones before it define.
SCRIPTS = (
    "frame", "tabs", "wav", "waveform", "spectrogram", "speech_transport", "gradio_queue", "gradio_transport", "player", "player_view",
    "listening", "capture", "levels", "recorder", "language", "reading", "region", "clip_report", "transcript", "extracting",
    "creating", "options", "segments", "snippets", "timing", "runs", "speaking", "api", "matrix", "engine_cards", "library", "voices",
    "history",
)  # fmt: skip


ICON_FILE = FOLDER / "icon.svg"  # bars of a waveform
# Inline in pages, so that no key and no proxy stands between; until the page's head is there a browser asks the host for /favicon.ico,
# which below a proxy's path is somebody else.
ICON = "data:image/svg+xml," + quote(ICON_FILE.read_text(encoding="utf-8").strip(), safe=" =:/'<>")


def head() -> str:
    """Icon and script elements for the page's head. `sourceURL` gives each its name in the browser's tools."""
    icon = f'<link rel="icon" href="{ICON}">\n'
    return icon + "\n".join(f"<script>{_script(name)}\n//# sourceURL=studio/{name}.js\n</script>" for name in SCRIPTS)


def markup(name: str) -> str:
    """A constant template of a gr.HTML: Gradio would wipe what scripts draw if it changed."""
    return (FOLDER / f"{name}.html").read_text(encoding="utf-8")


def mount(name: str, *events: str, calls: bool = False) -> str:
    """The js_on_load that hands a gr.HTML to its script. events: what the script may trigger; Gradio finds their names in this text.

    calls: it has server functions, and the script gets `server`.
    """
    given = "element, props, trigger, watch, upload" + (", server" if calls else "")
    return f"(window.studioMounts ??= []).push({{ name: {name!r}, events: {list(events)!r}, {given} }});"


def _script(name: str) -> str:
    source = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    if "</script" in source:
        raise ValueError(f"assets/web/{name}.js holds an end tag and cannot be inlined")
    return source
