"""Segments: a preview of how a text will be spoken, sentence by sentence.

It says how long each takes, what is said otherwise than it is written, what is left out or followed and not said, and what will be misread.
It is updated while a person types, and shown before the text is spoken.
"""

import html
import re
from collections.abc import Iterable, Iterator

from engines.contract.contract import EngineInfo
from engines.contract.language_limit import limits_met
from engines.text.spoken_length import spoken_seconds
from studio.reading.language import asked_code
from studio.reading.parts import Changed, Reading
from studio.reading.telling import shown_kinds, shown_mark, shown_marks
from studio.reading.units import sentences_of
from studio.service import Studio
from studio.speech.in_turn import parts_of
from studio.ui.engines.engine_state import is_lacking
from studio.ui.gradio.asked import text_in
from studio.ui.gradio.messages import answered

__all__ = ["preview_text", "segments_value"]

MOST_SHOWN = 100  # segments
MOST_CHANGES = 24
_SOUNDS = re.compile(r'<phoneme alphabet="ipa" ph="([^"]*)">.*?</phoneme>', re.DOTALL)
_NOTHING = {"segments": [], "n_parts": 0, "n_turns": 0, "lead": 0.0, "seconds": 0.0, "gpu_seconds": None}
_NOTHING_TOLD = {"changed": [], "n_changed": 0, "left_out": [], "directions": [], "misread": [], "untaken": []}

Value = dict[str, object]


@answered
def preview_text(studio: Studio, asked: Value) -> Value:
    """asked: {text, engine, language, directions}, of the composer; directions: False where they are to be said as words."""
    return segments_value(
        studio, str(asked["text"]), text_in(asked, "engine"), text_in(asked, "language"), directions=asked.get("directions") is not False
    )


def segments_value(studio: Studio, text: str, engine: str | None, language: str | None = None, *, directions: bool = True) -> Value:
    """What assets/web/speak/segments.js draws: {segments: [{text, seconds, silence}], n_parts, n_turns, lead, seconds,
    gpu_seconds}, and what is told.

    language: its code; None or "" where the engine decides. segments: the first of n_parts, each with the seconds of silence behind it.
    n_turns: how often the engine is asked. lead: seconds of silence before the first word.
    gpu_seconds: of the visitor's GPU time of the day, where a GPU is lent; else None. To learn a new voice takes more.
    Told is {changed: [{written, said}], n_changed, left_out: [{kind, marks}], directions, misread, untaken}.
    changed: the first of n_changed. directions: what the engine follows and does not say, or would where directions is False.
    misread: what it reads wrongly. untaken: words that the dictionary has in sounds alone, which the engine does not take.
    Raises what Readings.read and asked_code do, and nothing for an empty text.
    """
    info = studio.engine_info(engine)
    if not text.strip():
        return _NOTHING | _NOTHING_TOLD
    code = asked_code(language or None, info)
    reading = studio.readings.read(text, info, code, directions=directions)
    followed = reading if directions else studio.readings.read(text, info, code)
    segments, spoken = list(_segments(reading)), spoken_seconds(reading.text)
    return {
        "segments": segments[:MOST_SHOWN],
        "n_parts": len(segments),
        "n_turns": len(parts_of(reading, info).texts),
        "lead": reading.lead,
        "seconds": spoken + reading.silence_seconds,
        "gpu_seconds": studio.gpu_seconds(engine, spoken),
        "left_out": [{"kind": kind, "marks": marks} for kind, marks in shown_kinds(reading.left_out).items()],
        "directions": shown_marks(followed.directions),
        "misread": _misread(studio, reading.text, info, code),
        "untaken": shown_marks(reading.untaken),
    } | _changes(reading.changed)


def _segments(reading: Reading) -> Iterator[Value]:
    for piece in reading.pieces:
        sentences = [words.text for words in sentences_of(piece, "sentence")]
        for number, text in enumerate(sentences, start=1):
            yield {"text": _shown(text), "seconds": spoken_seconds(text), "silence": piece.pause if number == len(sentences) else 0.0}


def _changes(changed: Iterable[Changed]) -> Value:
    """The different ones."""
    pairs = dict.fromkeys((shown_mark(one.written), shown_mark(_shown(one.said))) for one in changed)
    return {"changed": [{"written": written, "said": said} for written, said in list(pairs)[:MOST_CHANGES]], "n_changed": len(pairs)}


def _shown(text: str) -> str:
    """Sounds as a dictionary of words writes them: /sounds/."""
    return _SOUNDS.sub(lambda found: f"/{html.unescape(found[1])}/", text)


def _misread(studio: Studio, text: str, info: EngineInfo, language: str | None) -> list[Value]:
    """What the engine will read wrongly, with the next step: what it says itself, and an engine that reads the language, "" without one."""
    found = []
    for limit in limits_met(info.language_limits, text, language or None):
        here = [one.info for one in studio.engines() if not is_lacking(one, studio.weights.status(one.info.id))]
        others = [other for other in here if limit.code in other.languages]
        able = [other.title for other in others if not limits_met(other.language_limits, text, limit.code)]
        found.append({"language": limit.code, "fact": limit.fact, "hint": limit.hint, "engine": able[0] if able else ""})
    return found
