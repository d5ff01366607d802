"""Subtitles: lines that were said, as SRT, WebVTT, WebVTT with a time for each word, and JSON of the words.

Long lines are parted into cues that can be read: where words' times are known by these, else by how long their texts take to say.
"""

import html
import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from engines.text.spoken_length import spoken_seconds
from studio.speech.timed_words import TimedWord

__all__ = ["Cue", "SubtitledLine", "cues", "karaoke_vtt", "srt", "vtt", "words_json"]

# Netflix, "Timed Text Style Guide, General Requirements": two rows, of 42 Latin characters or 16 Chinese ones; at most 7 seconds.
ROW_WIDTH, MOST_ROWS, MOST_CUE_SECONDS = 42.0, 2, 7.0
WIDE_WIDTH = ROW_WIDTH / 16
_SENTENCE_ENDS = ".!?…。！？"
_CLAUSE_ENDS = ",;:—，；：、"
_EARLIEST_SHARE = 0.4  # of what fits, in which no break is looked for: a cue of two words is no cue


@dataclass(frozen=True)
class SubtitledLine:
    """start_seconds, end_seconds: of the whole sound. words: with times from the beginning of the line on, and places in `text`; None where
    they are not known."""

    start_seconds: float
    end_seconds: float
    text: str
    who: str = ""
    words: tuple[TimedWord, ...] | None = None


@dataclass(frozen=True)
class Cue:
    """What is shown at a time; seconds of the whole sound. words: (start, text with what stands behind it), () where times are not known.
    is_first: of its line."""

    start_seconds: float
    end_seconds: float
    text: str
    who: str
    words: tuple[tuple[float, str], ...] = ()
    is_first: bool = True


@dataclass(frozen=True)
class _Token:
    """text[start:end] of the line, and what stands behind it up to the next; seconds of the whole sound."""

    text: str
    start_seconds: float
    end_seconds: float


def cues(lines: Iterable[SubtitledLine]) -> Iterator[Cue]:
    """In their order; none of a line without a text."""
    for line in lines:
        tokens = list(_tokens(line))
        is_first = True
        while tokens:
            n = _fitting(tokens)
            shown, tokens = tokens[:n], tokens[n:]
            words = tuple((token.start_seconds, token.text) for token in shown) if line.words else ()
            end = tokens[0].start_seconds if tokens else line.end_seconds
            last = shown[-1].end_seconds if line.words and tokens else end
            text = " ".join("".join(token.text for token in shown).split())
            yield Cue(shown[0].start_seconds, max(last, shown[0].start_seconds), text, line.who, words, is_first)
            is_first = False


def srt(lines: Iterable[SubtitledLine], *, names: bool = True) -> str:
    """names: who speaks stands before the first cue of a line."""
    found = []
    for number, cue in enumerate(cues(lines), 1):
        text = _rows(_named(cue, names)).replace("-->", "→")
        found.append(f"{number}\n{_time(cue.start_seconds, ',')} --> {_time(cue.end_seconds, ',')}\n{text}\n")
    return "\n".join(found)


def vtt(lines: Iterable[SubtitledLine], *, names: bool = True) -> str:
    """names: who speaks is the voice of each cue (`<v Anna>`)."""
    return _vtt((cue, html.escape(_rows(cue.text), quote=False)) for cue in _voiced(lines, names))


def karaoke_vtt(lines: Iterable[SubtitledLine], *, names: bool = True) -> str:
    """As `vtt`, with the time at which each word begins inside the cue, where it is known."""
    return _vtt((cue, _timed(cue) if cue.words else html.escape(_rows(cue.text), quote=False)) for cue in _voiced(lines, names))


def words_json(lines: Iterable[SubtitledLine]) -> str:
    """{"lines": [{start, end, who, text, words: [{start, end, written, said, from, to}] or null}]}; seconds of the whole sound."""
    found = [
        {
            "start": round(line.start_seconds, 3),
            "end": round(line.end_seconds, 3),
            "who": line.who,
            "text": line.text,
            "words": None if line.words is None else [_told(word, line.start_seconds) for word in line.words],
        }
        for line in lines
    ]
    return json.dumps({"lines": found}, ensure_ascii=False, indent=1) + "\n"


def _told(word: TimedWord, begins: float) -> dict[str, object]:
    times = {"start": round(begins + word.start_seconds, 3), "end": round(begins + word.end_seconds, 3)}
    return times | {"written": word.written, "said": word.said, "from": word.start, "to": word.end}


# --- cues


def _tokens(line: SubtitledLine) -> Iterator[_Token]:
    """The whole text in words; what stands before the first one is the first one's."""
    places = _known_places(line) if line.words else _guessed_places(line)
    for number, (start, begins, ends) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(line.text)
        yield _Token(line.text[0 if number == 0 else start : end], begins, ends)


def _known_places(line: SubtitledLine) -> list[tuple[int, float, float]]:
    """(character, start and end in seconds). Of words that were written as one ("$5"), the first."""
    found: list[tuple[int, float, float]] = []
    for word in line.words or ():
        if not found or word.start > found[-1][0]:
            found.append((word.start, line.start_seconds + word.start_seconds, line.start_seconds + word.end_seconds))
    return found


def _guessed_places(line: SubtitledLine) -> list[tuple[int, float, float]]:
    places = list(_words_of(line.text))
    pieces = [line.text[start:end] for start, end in zip(places, [*places[1:], len(line.text)], strict=True)]
    ends = list(accumulate(max(1e-3, spoken_seconds(piece)) for piece in pieces))
    rate = (line.end_seconds - line.start_seconds) / ends[-1] if ends else 0.0
    begins = [0.0, *ends[:-1]]
    return [
        (place, line.start_seconds + begin * rate, line.start_seconds + end * rate)
        for place, begin, end in zip(places, begins, ends, strict=True)
    ]


def _words_of(text: str) -> Iterator[int]:
    """Where words begin: behind blanks; in scripts without blanks, at each character but marks."""
    is_inside = False
    for place, character in enumerate(text):
        if character.isspace():
            is_inside = False
        elif not is_inside or (_is_wide(character) and unicodedata.category(character)[0] != "P"):
            yield place
            is_inside = True


def _fitting(tokens: Sequence[_Token]) -> int:
    """How many are one cue: all that fit, or up to the last end of a sentence or clause among them."""
    n = max(1, sum(1 for _ in _while_fitting(tokens)))
    if n == len(tokens):
        return n
    for ends in (_SENTENCE_ENDS, _CLAUSE_ENDS):
        for last in range(n, max(1, round(n * _EARLIEST_SHARE)) - 1, -1):
            if tokens[last - 1].text.rstrip().rstrip("\"'”’»）)").endswith(tuple(ends)):
                return last
    return n


def _while_fitting(tokens: Sequence[_Token]) -> Iterator[_Token]:
    width = 0.0
    for token in tokens:
        is_too_wide = width + _width(token.text.rstrip()) > ROW_WIDTH * MOST_ROWS
        if is_too_wide or token.end_seconds - tokens[0].start_seconds > MOST_CUE_SECONDS:
            return
        width += _width(token.text)
        yield token


def _width(text: str) -> float:
    return sum(WIDE_WIDTH if _is_wide(character) else 1.0 for character in text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


# --- text of cues


def _voiced(lines: Iterable[SubtitledLine], names: bool) -> Iterator[Cue]:
    return (cue if names else replace(cue, who="") for cue in cues(lines))


def _vtt(shown: Iterable[tuple[Cue, str]]) -> str:
    found = ["WEBVTT\n"]
    for cue, text in shown:
        voice = f"<v {html.escape(' '.join(cue.who.split()), quote=False)}>" if cue.who else ""
        found.append(f"{_time(cue.start_seconds, '.')} --> {_time(cue.end_seconds, '.')}\n{voice}{text}\n")
    return "\n".join(found)


def _timed(cue: Cue) -> str:
    """A time before each word but the first, which begins with the cue."""
    found: list[str] = []
    for start, text in cue.words:
        time = f"<{_time(start, '.')}>" if found and cue.start_seconds < start < cue.end_seconds else ""
        found.append(time + html.escape(" ".join(text.split()), quote=False) + (" " if text[-1:].isspace() else ""))
    return "".join(found).strip()


def _named(cue: Cue, names: bool) -> str:
    return f"{cue.who}: {cue.text}" if names and cue.who and cue.is_first else cue.text


def _rows(text: str) -> str:
    """In two rows, as even as words allow, where one is too narrow."""
    if _width(text) <= ROW_WIDTH:
        return text
    breaks = [place for place in _words_of(text) if place]
    if not breaks:
        return text
    middle = min(breaks, key=lambda place: max(_width(text[:place].rstrip()), _width(text[place:])))
    return f"{text[:middle].rstrip()}\n{text[middle:]}"


def _time(seconds: float, point: str) -> str:
    ms = max(0, round(seconds * 1000))
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{point}{ms % 1000:03d}"
