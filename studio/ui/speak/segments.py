"""Segments: a preview of how a text will be spoken, sentence by sentence.

It says how long each takes, what is left out, and what will be misread. It is updated while a person types, and shown before the text is
spoken.
"""

from engines.contract.contract import EngineInfo
from engines.contract.language_limit import limits_met
from engines.text.spoken_length import spoken_seconds
from engines.text.text_splitter import split_text
from studio.reading.telling import shown_marks
from studio.service import Studio
from studio.speech.in_turn import parts_of
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
    left_out: marks that the engine does not understand. Raises what Readings.read does, and nothing for an empty text.
    """
    info = studio.engine_info(engine)
    if not text.strip():
        return {"segments": [], "n_parts": 0, "n_turns": 0, "seconds": 0.0, "left_out": [], "misread": []}
    reading = studio.readings.read(text, info, language or None)
    sentences = [unit for piece in reading.pieces for unit in split_text(piece.text, "sentence")]
    return {
        "segments": [{"text": sentence, "seconds": spoken_seconds(sentence)} for sentence in sentences[:MOST_SHOWN]],
        "n_parts": len(sentences),
        "n_turns": len(parts_of(reading, info).texts),
        "seconds": sum(map(spoken_seconds, sentences)) + reading.silence_seconds,
        "left_out": shown_marks(reading.told_marks),
        "misread": _misread(studio, reading.text, info, language),
    }


def _misread(studio: Studio, text: str, info: EngineInfo, language: str | None) -> list[Value]:
    """What the engine will read wrongly, with the next step: what it says itself, and an engine that reads the language, "" without one."""
    found = []
    for limit in limits_met(info.language_limits, text, language or None):
        others = [status.info for status in studio.engines() if limit.code in status.info.languages]
        able = [other.title for other in others if not limits_met(other.language_limits, text, limit.code)]
        found.append({"language": limit.code, "fact": limit.fact, "hint": limit.hint, "engine": able[0] if able else ""})
    return found
