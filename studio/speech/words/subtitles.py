"""Subtitles: cues as files that players read (SRT, WebVTT), and words in time as JSON.

The forms: SubRip has no standard, players agree on numbered blocks with commas in their times; WebVTT is W3C's (https://www.w3.org/TR/webvtt1/).
"""

import json
from collections.abc import Iterator, Sequence
from unicodedata import bidirectional

from studio.speech.timed_words import TimedWord
from studio.speech.words.cues import Cue, CueRules, cues_of

__all__ = ["karaoke_vtt", "srt", "srt_of", "vtt", "vtt_of", "words_json"]

_RIGHT_TO_LEFT = ("R", "AL")  # of Unicode's bidirectional classes
_RLE, _PDF = "\u202b", "\u202c"  # around a line of SRT that is written from right to left, whose players have no other way to know


def srt(words: Sequence[TimedWord], text: str, rules: CueRules = CueRules()) -> str:
    """SubRip of a text whose words are in time."""
    return srt_of(cues_of(words, text, rules))


def vtt(words: Sequence[TimedWord], text: str, rules: CueRules = CueRules()) -> str:
    """WebVTT."""
    return vtt_of(cues_of(words, text, rules))


def karaoke_vtt(words: Sequence[TimedWord], text: str, rules: CueRules = CueRules()) -> str:
    """WebVTT with the time of each word within its cue, by which players color what was said."""
    return vtt_of(cues_of(words, text, rules), is_karaoke=True)


def words_json(words: Sequence[TimedWord], text: str = "") -> str:
    """{"text", "words": [{"start", "end", "written", "said", "from", "to"}]}, in seconds and characters."""
    return json.dumps({"text": text, "words": [word.members() for word in words]}, ensure_ascii=False, indent=1) + "\n"


def srt_of(cues: Sequence[Cue]) -> str:
    """Cues from anywhere. What is written from right to left is marked as such."""
    blocks = []
    for number, cue in enumerate(cues, start=1):
        lines = [f"{_RLE}{line}{_PDF}" if is_right_to_left(line) else line for line in cue.lines]
        times = f"{_time(cue.start_seconds, ',')} --> {_time(cue.end_seconds, ',')}"
        blocks.append("\n".join((str(number), times, *lines)))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def vtt_of(cues: Sequence[Cue], *, is_karaoke: bool = False) -> str:
    """Cues from anywhere, in the voice of who says them (`<v Anna>`). Players find out the direction of a line by themselves."""
    blocks = ["WEBVTT"]
    for cue in cues:
        lines = list(_timed_lines(cue)) if is_karaoke and any(cue.words) else [_escaped(line) for line in cue.lines]
        if cue.who:
            lines[0] = f"<v {_escaped(' '.join(cue.who.split()))}>{lines[0]}"
        blocks.append("\n".join((f"{_time(cue.start_seconds, '.')} --> {_time(cue.end_seconds, '.')}", *lines)))
    return "\n\n".join(blocks) + "\n"


def is_right_to_left(line: str) -> bool:
    """By its first letter, as Unicode's rule P2 has it."""
    found = next((kind for kind in map(bidirectional, line) if kind in ("L", *_RIGHT_TO_LEFT)), "L")
    return found in _RIGHT_TO_LEFT


def _timed_lines(cue: Cue) -> Iterator[str]:
    """Each word of a line behind the time at which it begins; the first of the cue begins with that. Times rise, as WebVTT wants it."""
    last = cue.start_seconds
    for line, words in zip(cue.lines, cue.words, strict=True):
        places = list(_places(line, words))
        bounds = [*(start for start, _ in places[1:]), len(line)]
        timed, at = [], 0
        for (start, word), end in zip(places, bounds, strict=True):
            timed.append(_escaped(line[at:start]))
            if _milliseconds(word.start_seconds) > _milliseconds(last) and word.start_seconds < cue.end_seconds:
                timed.append(f"<{_time(word.start_seconds, '.')}>")
                last = word.start_seconds
            timed.append(_escaped(line[start:end]))
            at = end
        yield "".join(timed)


def _places(line: str, words: Sequence[TimedWord]) -> Iterator[tuple[int, TimedWord]]:
    """Where each word begins in its line."""
    at = 0
    for word in words:
        found = max(at, line.find(word.written, at))
        yield max(at, line.rfind(" ", at, found) + 1), word  # with what opens before it
        at = found + len(word.written)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _milliseconds(seconds: float) -> int:
    return round(max(0.0, seconds) * 1000)


def _time(seconds: float, mark: str) -> str:
    """hh:mm:ss.mmm, hours beyond 99 as they are."""
    milliseconds = _milliseconds(seconds)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}{mark}{rest % 1000:03d}"
