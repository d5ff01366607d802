"""Subtitles: each cue a line with its slot, as dubbing wants them; what is no speech is kept silent.

A sentence in two cues stays in two lines, since each has its own slot: who wants it as one joins the lines in the editor.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engines.text.spoken_length import shared_out, spoken_seconds
from studio.errors import ScriptFileUnusable
from studio.scripts.intake.cues import SubtitleCue, cues_of
from studio.scripts.intake.dialogues.cast_names import CastNames, name_strength
from studio.scripts.intake.passages import line_cuts
from studio.scripts.script.cast import NARRATOR
from studio.scripts.script.line import MOST_LINE_CHARACTERS, MOST_SLOT_SECONDS, LineText, TimeSlot
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.text_files.text_check import has_words

__all__ = ["read_subtitles"]

_DASH = re.compile(r"(?:-|–|—|‐)\s*(?=\S)")
_NAMED = re.compile(
    r"(?:[-–—]\s*)?(?P<name>[^\W_][^:：\[\]()<>{}]{0,40}?)\s?(?:[(\[](?P<how>[^()\[\]]{1,60})[)\]])?[:：](?!//)\s+(?P<text>\S.*)", re.DOTALL
)
_SOUND = re.compile(r"\s*(?:[-–—]\s*)?(?:[\[(（【][^\[\]()（）【】]{1,300}[\])）】]\s*)+")
_MUSIC = re.compile("[♪♫♬♩]|^#.*#$")
_SHORTEST_SECONDS = 0.05  # what ends with its beginning has no room for a word


def read_subtitles(text: str, kind: str, title: str = "") -> ReadScript:
    """kind: "srt" or "vtt". Cues in the order of their times. Raises ScriptFileUnusable where there are none."""
    cues, outside, n_rolled = cues_of(text)
    if not cues:
        raise ScriptFileUnusable(sentence="script_file_no_cues")
    n_unsorted = sum(1 for one, other in pairwise(cues) if other.start < one.start)
    cues = sorted(cues, key=lambda cue: cue.start)
    n_overlaps = sum(
        1 for one, other in pairwise(cues) if other.start < one.end - 0.001 and (other.start, other.end) != (one.start, one.end)
    )
    n_short = sum(1 for cue in cues if cue.end - cue.start < _SHORTEST_SECONDS)
    known = _known_names(cues)
    names = CastNames()
    lines = tuple(
        line for cue, following in zip(cues, [*cues[1:], None], strict=True) for line in _lines(cue, following, known, names) if line.text
    )
    counted = {"note_cues_unsorted": n_unsorted, "note_cues_overlap": n_overlaps, "note_cues_short": n_short, "note_cues_rolled": n_rolled}
    notes: list[tuple[str, dict]] = [(key, {"n": n}) for key, n in counted.items() if n]
    notes += [("note_left_out", {"words": " ".join(outside.split())[:200]})] if has_words(outside) else []
    return ReadScript(ScriptHead(title=title[:200]), lines, (), kind, notes=tuple(notes))


def _known_names(cues: Sequence[SubtitleCue]) -> frozenset[str]:
    """Names before a colon that are some: in capitals, or more than once."""
    counts: dict[str, int] = {}
    for cue in cues:
        for line in cue.lines:
            if (found := _NAMED.fullmatch(line)) and name_strength(found["name"]) >= 2:
                name = found["name"].casefold()
                counts[name] = counts.get(name, 0) + (2 if name_strength(found["name"]) == 3 else 1)
    return frozenset(name for name, n in counts.items() if n > 1)


def _lines(cue: SubtitleCue, following: SubtitleCue | None, known: frozenset[str], names: CastNames) -> Iterator[LineText]:
    """One line; more where several speak at a time, who then share its slot by what they say."""
    pieces = list(_pieces(cue, known))
    end = cue.end
    if end - cue.start < _SHORTEST_SECONDS:
        needed = cue.start + max(spoken_seconds(" ".join(cue.lines)), 0.5)
        end = min(needed, following.start) if following and following.start - cue.start > _SHORTEST_SECONDS else needed
    at = cue.start
    for (who, text, how), seconds in zip(pieces, shared_out(end - cue.start, [text for _, text, _ in pieces]), strict=True):
        is_silent = not has_words(text) or _SOUND.fullmatch(text) is not None or _MUSIC.search(text) is not None
        slot = TimeSlot(start=round(min(at, MOST_SLOT_SECONDS), 3), end=round(min(at + seconds, MOST_SLOT_SECONDS), 3))
        name = names.member(who) if who else NARRATOR
        yield LineText(who=name, text=text, is_silent=is_silent, slot=slot, instructions=how)
        at += seconds


def _pieces(cue: SubtitleCue, known: frozenset[str]) -> Iterator[tuple[str, str, str | None]]:
    """(who, text, how) of each who speaks in it."""
    for number, speech in enumerate(_speeches(cue.lines, known)):
        if len(speech) > MOST_LINE_CHARACTERS:
            yield from ((cue.who, part, None) for part in line_cuts(speech))
            continue
        found = _NAMED.fullmatch(speech)
        if found and found["name"].casefold() in known:
            yield found["name"], found["text"], found["how"]
        else:
            yield cue.who if number == 0 or cue.who else "", speech, None


def _speeches(lines: Sequence[str], known: frozenset[str]) -> list[str]:
    """The lines of a cue as one text; as several where each begins with a dash, or with a name."""
    are_dashed = len(lines) > 1 and sum(1 for line in lines if _DASH.match(line)) > 1
    speeches: list[str] = []
    for line in lines:
        named = _NAMED.fullmatch(line)
        begins = (are_dashed and _DASH.match(line)) or (named and named["name"].casefold() in known) or _SOUND.fullmatch(line)
        after_sound = bool(speeches) and _SOUND.fullmatch(speeches[-1])
        if begins or not speeches or after_sound:
            speeches.append(_DASH.sub("", line, count=1) if are_dashed and _DASH.match(line) else line)
        else:
            speeches[-1] = f"{speeches[-1]} {line}"
    return speeches
