"""Segments: how a text will be spoken, sentence by sentence, with about how long each takes; shown before it is spoken."""

import gradio as gr

from engines.errors import EngineError
from engines.spoken_length import spoken_seconds
from engines.text_splitter import split_text
from studio.service import Studio
from studio.text.long_text import parts_of
from studio.ui import web
from studio.ui.events import LIGHT

__all__ = ["build_segments", "segments_value", "wire_segments"]

MOST_SHOWN = 100


def build_segments() -> gr.HTML:
    """Counter and preview below the text; assets/web/segments.js asks when something is typed while the preview is open."""
    return gr.HTML(
        None, elem_id="segments", html_template=web.markup("segments"), js_on_load=web.mount("segments", "preview"), apply_default_css=False
    )


def wire_segments(studio: Studio, segments: gr.HTML) -> None:
    """The preview that the page asks for: {text, engine}."""

    def preview(asked: gr.EventData) -> dict[str, object]:
        return segments_value(studio, str(asked._data["text"]), asked._data.get("engine"))

    segments.preview(preview, None, segments, **LIGHT)


def segments_value(studio: Studio, text: str, engine: str | None) -> dict[str, object]:
    """What assets/web/segments.js draws: {segments: [{text, seconds}], note}."""
    if not text.strip():
        return {"segments": [], "note": "Nothing to preview: the text is empty."}
    try:
        n_parts = len(parts_of(text, studio.engine_info(engine), studio.settings.most_text_characters))
    except EngineError as error:
        return {"segments": [], "note": f"{error.fact} {error.hint}"}
    sentences = split_text(text, "sentence")
    shown = [{"text": sentence, "seconds": spoken_seconds(sentence)} for sentence in sentences[:MOST_SHOWN]]
    seconds = sum(map(spoken_seconds, sentences))
    left_out = f" The first {MOST_SHOWN} are shown." if len(sentences) > MOST_SHOWN else ""
    parts = "in one go" if n_parts == 1 else f"in {n_parts} parts"
    count = f"{len(sentences)} segment{'s' if len(sentences) != 1 else ''}"
    return {"segments": shown, "note": f"{count}, about {seconds:.0f} s in all; the engine takes it {parts}.{left_out}"}
