"""Segments: a preview of how a text will be spoken, sentence by sentence.

It says how long each takes, what is left out, and what will be misread. It is updated while a person types, and shown before the text is
spoken.
"""

from engines.contract.contract import EngineInfo
from engines.contract.language_limit import limits_met
from engines.text.spoken_length import spoken_seconds
from engines.text.text_splitter import split_text
from studio.service import Studio
from studio.text.long_text import parts_of, spoken_text
from studio.text.markup import shown_marks
from studio.ui.gradio.messages import answered

__all__ = ["preview_text", "segments_value"]

MOST_SHOWN = 100

Value = dict[str, object]


@answered
def preview_text(studio: Studio, asked: Value) -> Value:
    """asked: {text, engine, language}, of the composer."""
    return segments_value(studio, str(asked["text"]), asked.get("engine"), asked.get("language"))


def segments_value(studio: Studio, text: str, engine: str | None, language: str | None = None) -> Value:
    """What assets/web/speak/segments.js draws: {segments: [{text, seconds}], n_parts, n_turns, seconds, left_out, misread}.

    language: its code; None or "" where the engine decides. segments: the first of n_parts. n_turns: how often the engine is asked.
    left_out: marks that the engine does not understand. Raises what `spoken_text` does, and nothing for an empty text.
    """
    info, most = studio.engine_info(engine), studio.settings.most_text_characters
    if not text.strip():
        return {"segments": [], "n_parts": 0, "n_turns": 0, "seconds": 0.0, "left_out": [], "misread": []}
    spoken = spoken_text(text, info, most)
    sentences = split_text(spoken.text, "sentence")
    return {
        "segments": [{"text": sentence, "seconds": spoken_seconds(sentence)} for sentence in sentences[:MOST_SHOWN]],
        "n_parts": len(sentences),
        "n_turns": len(parts_of(spoken.text, info, most)),
        "seconds": sum(map(spoken_seconds, sentences)),
        "left_out": list(shown_marks(spoken.left_out)),
        "misread": _misread(studio, spoken.text, info, language),
    }


def _misread(studio: Studio, text: str, info: EngineInfo, language: str | None) -> list[Value]:
    """What the engine will read wrongly, with the next step: what it says itself, and an engine that reads the language, "" without one."""
    found = []
    for limit in limits_met(info.language_limits, text, language or None):
        others = [status.info for status in studio.engines() if limit.code in status.info.languages]
        able = [other.title for other in others if not limits_met(other.language_limits, text, limit.code)]
        found.append({"language": limit.code, "fact": limit.fact, "hint": limit.hint, "engine": able[0] if able else ""})
    return found
