"""Cues of subtitles: the times and texts of SRT and WebVTT as real files write them.

A reader of our own, since real files bring more than libraries for subtitles keep: who speaks (<v Name>), cues that roll up, times without
hours, without numbers, with points for commas.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engines.text.spoken_length import shared_out

__all__ = ["SubtitleCue", "cues_of", "looks_like_subtitles"]

_TIME = r"(?:(?P<{0}h>\d{{1,3}})\s?:\s?)?(?P<{0}m>\d{{1,2}})\s?:\s?(?P<{0}s>\d{{1,2}})(?:\s?[.,:]\s?(?P<{0}f>\d{{1,3}}))?"
_TIMES = re.compile(rf"^[ \t]*{_TIME.format('a')}[ \t]*(?:-{{1,2}}|–|—)\s?>[ \t]*{_TIME.format('b')}(?P<settings>[^\n]*)$", re.MULTILINE)
_NUMBER = re.compile(r"\s*\d{1,6}\s*\Z")
_VOICE = re.compile(r"<v(?:\.[\w.-]*)?\s+(?P<name>[^>\n]{1,64})>")
_STAMP = re.compile(r"<\d{1,3}:\d{2}(?::\d{2})?[.,]\d{1,3}>")
_RUBY = re.compile(r"<rt>.*?</rt>", re.DOTALL)
_TAG = re.compile(
    r"</?(?:[biucv]|font|lang|ruby|rt|span|s|em|strong|p)(?:[\s.][^<>\n]{0,200})?/?>|\{\\[^{}\n]{0,200}\}|\{[ybciuYBCIU]:[^{}\n]{0,60}\}",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br\s*/?>|\\[Nn](?=\S)", re.IGNORECASE)
_MOST_REPEAT_GAP_SECONDS = 0.1  # between cues that roll up


@dataclass(frozen=True)
class SubtitleCue:
    """start, end: seconds. lines: without marks of fonts and places. who: the voice that WebVTT names, "" for none."""

    start: float
    end: float
    lines: tuple[str, ...]
    who: str = ""
    has_stamps: bool = False


def looks_like_subtitles(text: str) -> str:
    """ "vtt", "srt", or "" for neither."""
    if text.lstrip("\ufeff \n").startswith("WEBVTT"):
        return "vtt"
    found = _TIMES.search(text, 0, 4_000)
    if found is None:
        return ""
    before = text[: found.start()].strip()
    return "srt" if not before or _NUMBER.fullmatch(before.rsplit("\n", 1)[-1]) else ""


def cues_of(text: str) -> tuple[list[SubtitleCue], str, int]:
    """(cues as they stand there, what stood outside of them, how many lines rolled up and are kept once)."""
    found = list(_TIMES.finditer(text))
    if not found:
        return [], text, 0
    outside = [text[: found[0].start()]]
    cues: list[SubtitleCue] = []
    for match, following in zip(found, [*found[1:], None], strict=True):
        body = text[match.end() : following.start() if following else len(text)]
        if following is not None:
            body = _without_name_of_next(body)
        body, left = _own_text(body)
        outside.append(left)
        cues += _parts(match, body)
    told = "\n".join(part for part in map(_told, outside) if part)
    cues, n_rolled = _rolled_up(cues)
    return cues, told, n_rolled


def _without_name_of_next(body: str) -> str:
    """Without the number or the name of the cue that follows: the line right before its times."""
    head, newline, last = body.rstrip("\n").rpartition("\n") if body.endswith("\n") else ("", "", "")
    if body.endswith("\n\n") or not newline:
        return body
    is_apart = not head.strip() or head.endswith("\n") or _NUMBER.fullmatch(last)
    return head if is_apart else body


def _own_text(body: str) -> tuple[str, str]:
    """(the cue's text, notes and styles behind it). A blank line within a text does not end it: people write such."""
    parts = re.split(r"\n[ \t]*\n", body.strip("\n"))
    own = [part for part in parts if not part.lstrip().startswith(("NOTE", "STYLE", "REGION"))]
    left = [part for part in parts if part not in own]
    return "\n".join(own), "\n\n".join(left)


def _told(outside: str) -> str:
    """Of the head of a file and of its notes: words that people wrote, without styles and numbers."""
    kept = []
    for part in re.split(r"\n[ \t]*\n", outside):
        text = part.strip()
        if text.startswith(("STYLE", "REGION")) or _NUMBER.fullmatch(text):
            continue
        text = re.sub(r"\AWEBVTT\b[ \t:-]*|^(?:Kind|Language|X-TIMESTAMP-MAP)\s*[:=].*$|\ANOTE\b", "", text, flags=re.MULTILINE).strip()
        kept += [text] if text else []
    return "\n".join(kept)


def _parts(match: re.Match, body: str) -> Iterator[SubtitleCue]:
    """A cue, or one for each voice that it names."""
    start, end = _seconds(match, "a"), _seconds(match, "b")
    has_stamps = _STAMP.search(body) is not None
    pieces = _VOICE.split(body)
    voiced = [(who, _plain_lines(piece)) for who, piece in zip(["", *pieces[1::2]], pieces[0::2], strict=True)]
    voiced = [(who, lines) for who, lines in voiced if lines] or [("", ())]
    for (who, lines), seconds in zip(voiced, shared_out(end - start, [" ".join(lines) for _, lines in voiced]), strict=True):
        yield SubtitleCue(start, start + seconds, lines, html.unescape(who).strip(), has_stamps)
        start += seconds


def _plain_lines(written: str) -> tuple[str, ...]:
    plain = _BREAK.sub("\n", _STAMP.sub("", _RUBY.sub("", written)))
    return tuple(line for line in (" ".join(html.unescape(_TAG.sub("", line)).split()) for line in plain.split("\n")) if line)


def _seconds(match: re.Match, end: str) -> float:
    hours, minutes, seconds = (int(match[end + unit] or 0) for unit in "hms")
    return hours * 3600 + minutes * 60 + seconds + float(f"0.{match[f'{end}f'] or 0}")


def _rolled_up(cues: Sequence[SubtitleCue]) -> tuple[list[SubtitleCue], int]:
    """Captions that a machine wrote show each line again above the next one; they are said once."""
    if sum(cue.has_stamps for cue in cues) * 4 < len(cues):
        return list(cues), 0
    kept: list[SubtitleCue] = []
    shown: tuple[str, ...] = ()
    shown_end = 0.0
    n_again = 0
    for cue in cues:
        again = 0
        if cue.start - shown_end <= _MOST_REPEAT_GAP_SECONDS:
            again = next((n for n in range(min(len(shown), len(cue.lines)), 0, -1) if shown[-n:] == cue.lines[:n]), 0)
        n_again += again
        if lines := cue.lines[again:]:
            kept.append(replace(cue, lines=lines))
        shown, shown_end = cue.lines or shown, cue.end
    return kept, n_again
