"""Words in time, as answers tell them: vLLM-Omni's members, and beside them where a word stands in the text and how it is said."""

import json
from collections.abc import Sequence

from studio.errors import WordTimesUnknown
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.timed_words import TimedWord

__all__ = ["MOST_HEADER_BYTES", "WORD_SCHEMA", "word_headers", "word_members", "word_times"]

MOST_HEADER_BYTES = 4096  # vLLM-Omni 0.30.0's limit of the header
WORD_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["word", "start_ms", "end_ms"],
        "properties": {
            "word": {"type": "string", "description": "As written."},
            "start_ms": {"type": "integer"},
            "end_ms": {"type": "integer"},
            "said": {"type": "string", "description": "As it is read, where that is otherwise."},
            "from": {"type": "integer", "description": "Characters of the text."},
            "to": {"type": "integer"},
            "guessed": {"type": "boolean", "description": "It was not found in the sound, and lies between its neighbors."},
        },
    },
}


def word_times(words: Sequence[TimedWord]) -> list[dict[str, object]]:
    """As vLLM-Omni 0.30.0 has them."""
    times = ((round(word.start_seconds * 1000), round(word.end_seconds * 1000)) for word in words)
    return [{"word": word.written, "start_ms": start, "end_ms": end} for word, (start, end) in zip(words, times, strict=True)]


def _more(word: TimedWord) -> dict[str, object]:
    more: dict[str, object] = {"from": word.start, "to": word.end}
    return more | ({"said": word.said} if word.said != word.written else {}) | ({"guessed": True} if word.is_guessed else {})


async def word_headers(spoken: AwaitedSpeech) -> dict[str, str]:
    """Of a whole answer. Where they are more than a header holds, or not known, it says so."""
    try:
        told = json.dumps(word_times(await spoken.words()), separators=(",", ":"))
    except WordTimesUnknown as error:
        return {"x-word-timestamps-omitted": f"{error.code}; {error.fact}".encode("latin-1", "backslashreplace").decode("latin-1")}
    if len(told) > MOST_HEADER_BYTES:
        return {"x-word-timestamps-omitted": f"oversize; bytes={len(told)}; limit={MOST_HEADER_BYTES}"}
    return {"x-word-timestamps": told}


async def word_members(spoken: AwaitedSpeech) -> dict[str, object]:
    """Of the last message about a speech, which has room for all of them."""
    try:
        words = await spoken.words()
    except WordTimesUnknown as error:
        return {"word_timestamps": None, "word_timestamps_omitted": {"reason_code": error.code, "message": error.fact, "hint": error.hint}}
    return {"word_timestamps": [told | _more(word) for told, word in zip(word_times(words), words, strict=True)]}
