"""Segments: how a text will be spoken, sentence by sentence, with about how long each takes, what is left out of it and what of it will be
misread; shown before it is spoken."""

import gradio as gr

from engines.contract import EngineInfo
from engines.errors import EngineError
from engines.language_limit import limits_met
from engines.spoken_length import spoken_seconds
from engines.text_splitter import split_text
from studio.service import Studio
from studio.text.language import language_name
from studio.text.long_text import parts_of
from studio.text.spoken_text import left_out_words, spoken_text
from studio.ui import web
from studio.ui.events import LIGHT
from studio.ui.messages import problem_of

__all__ = ["build_segments", "segments_value", "wire_segments"]

MOST_SHOWN = 100


def build_segments() -> gr.HTML:
    """Counter and preview below the text; assets/web/segments.js asks when something is typed while the preview is open."""
    return gr.HTML(
        None, elem_id="segments", html_template=web.markup("segments"), js_on_load=web.mount("segments", "preview"), apply_default_css=False
    )


def wire_segments(studio: Studio, segments: gr.HTML) -> None:
    """The preview that the page asks for: {text, engine, language}."""

    def preview(asked: gr.EventData) -> dict[str, object]:
        return segments_value(studio, str(asked._data["text"]), asked._data.get("engine"), asked._data.get("language"))

    segments.preview(preview, None, segments, **LIGHT)


def segments_value(studio: Studio, text: str, engine: str | None, language: str | None = None) -> dict[str, object]:
    """What assets/web/segments.js draws: {segments: [{text, seconds}], note, warnings: sentences}.

    language: its code; None or "" where the engine decides.
    """
    if not text.strip():
        return {"segments": [], "note": "Nothing to preview: the text is empty.", "warnings": []}
    info, most = studio.engine_info(engine), studio.settings.most_text_characters
    try:
        spoken = spoken_text(text, info, most)
        n_parts = len(parts_of(spoken.text, info, most))
    except EngineError as error:
        return {"segments": [], "note": " ".join(problem_of(error)[part] for part in ("fact", "hint")), "warnings": []}
    sentences = split_text(spoken.text, "sentence")
    shown = [{"text": sentence, "seconds": spoken_seconds(sentence)} for sentence in sentences[:MOST_SHOWN]]
    seconds = sum(map(spoken_seconds, sentences))
    left_out = f" The first {MOST_SHOWN} are shown." if len(sentences) > MOST_SHOWN else ""
    parts = "in one go" if n_parts == 1 else f"in {n_parts} parts"
    count = f"{len(sentences)} segment{'s' if len(sentences) != 1 else ''}"
    return {
        "segments": shown,
        "note": f"{count}, about {seconds:.0f} s in all; the engine takes it {parts}.{left_out}",
        "warnings": [*filter(None, [left_out_words(spoken.left_out, info.title)]), *_misreadings(studio, spoken.text, info, language)],
    }


def _misreadings(studio: Studio, text: str, info: EngineInfo, language: str | None) -> list[str]:
    """What the engine will read wrongly, with the next step: what it says itself, or an engine that reads the language."""
    sentences = []
    for limit in limits_met(info.language_limits, text, language or None):
        others = [status.info for status in studio.engines() if limit.code in status.info.languages]
        able = [other.title for other in others if not limits_met(other.language_limits, text, limit.code)]
        other = f" Or choose {able[0]}." if able else ""
        sentences.append(f"{language_name(limit.code)}: {limit.fact} {limit.hint}{other}")
    return sentences
