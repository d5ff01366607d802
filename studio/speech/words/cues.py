"""Cues: words in time, cut into what is read at a glance on a screen."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.speech.timed_words import TimedWord

__all__ = ["Cue", "CueRules", "cues_of"]

_WIDE = re.compile(r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]")
_SENTENCE_END = re.compile(r"[.!?…。！？｡।؟۔]+[\"'”’»)\]』」]*$")
_CLAUSE_END = re.compile(r"[,;:—–、，；：،؛][\"'”’»)\]]*$")


@dataclass(frozen=True)
class CueRules:
    """Bounds of a cue. Where no source is named, the number is ours.

    most_characters, most_wide_characters: of a line, of alphabets and of Chinese, Japanese and Korean (Netflix, Timed Text Style Guide:
    General Requirements, and those of each language: 42, and 16). most_lines: likewise.
    least_seconds, most_seconds: that it is shown (Netflix: 5/6 s and 7 s; BBC, Subtitle Guidelines, "Timing": about a second at least).
    characters_per_second: that are read (Netflix, English: 20 for adults); a cue is shown longer for them where nothing follows.
    least_gap_seconds: between two cues, or none (Netflix: two frames). most_pause_seconds: within one.
    """

    most_characters: int = 42
    most_wide_characters: int = 16
    most_lines: int = 2
    least_seconds: float = 1.0
    most_seconds: float = 7.0
    characters_per_second: float = 20.0
    least_gap_seconds: float = 2 / 24
    most_pause_seconds: float = 0.8


@dataclass(frozen=True)
class Cue:
    """lines: what is shown, as written, from start_seconds to end_seconds. words: of each line, in time. who: says it, if told."""

    start_seconds: float
    end_seconds: float
    lines: tuple[str, ...]
    words: tuple[tuple[TimedWord, ...], ...]
    who: str = ""


@dataclass(frozen=True)
class _Unit:
    """One word with what is written around it: text up to the next word. before: blanks that stand before it where it goes on a line."""

    word: TimedWord
    text: str
    before: str

    @property
    def width(self) -> float:
        return sum(_width(character) for character in self.text)


def cues_of(words: Sequence[TimedWord], text: str, rules: CueRules = CueRules()) -> tuple[Cue, ...]:
    """The words of a text, in order, as cues. text: that their places are about; "" where `written` is all that is known.

    A cue ends with a sentence, with a clause where it must, or at a pause; what no cue holds is cut between words.
    """
    groups = [_lines(group, rules) for group in _groups(list(_units(words, text)), rules)]
    starts = [lines[0][0].word.start_seconds for lines in groups]
    return tuple(_cue(lines, rules, starts[number + 1] if number + 1 < len(starts) else None) for number, lines in enumerate(groups))


def _units(words: Sequence[TimedWord], text: str) -> Iterator[_Unit]:
    """Marks behind a word go with it, and those that open something with the next."""
    opening, last_gap = "", False
    for number, word in enumerate(words):
        following = words[number + 1].start if number + 1 < len(words) else len(text)
        between = text[word.end : following] if text else " "
        behind, gap, ahead = _parted(between)
        before = " " if last_gap else ""
        yield _Unit(word, opening + (text[word.start : word.end] if text else word.written) + behind, before)
        opening, last_gap = ahead, bool(gap)


def _parted(between: str) -> tuple[str, bool, str]:
    """What of the signs between two words goes with the first, whether there is a blank, and what goes with the second."""
    parts = between.split()
    if between == "" or not between.strip():
        return "", between != "", ""
    has_blank = between[:1].isspace() or between[-1:].isspace() or len(parts) > 1
    behind = parts[0] if not between[:1].isspace() else ""
    ahead = parts[-1] if not between[-1:].isspace() and (len(parts) > 1 or not behind) else ""
    rest = parts[1 if behind else 0 : -1 if ahead else None]
    spoken = [sign for sign in rest if not set(sign) & set("#*_`~")]  # signs of layout are not shown
    return _shown(" ".join([behind, *spoken]).rstrip()), has_blank, _shown(ahead)


def _shown(signs: str) -> str:
    return signs.strip("#*_`~")


def _groups(units: list[_Unit], rules: CueRules) -> Iterator[list[_Unit]]:
    """What is shown at once."""
    begun = 0
    while begun < len(units):
        end = _end(units, begun, rules)
        yield units[begun:end]
        begun = end


def _end(units: list[_Unit], begun: int, rules: CueRules) -> int:
    """Behind the last unit of the cue that begins there: the first end of a sentence that is long enough, else the best place to cut."""
    last = begun + 1
    while last < len(units) and _fits(units[begun : last + 1], rules):
        if _is_pause(units, last, rules) or (_SENTENCE_END.search(units[last - 1].text) and _is_enough(units[begun:last], rules)):
            return last
        last += 1
    if last == len(units) or _is_pause(units, last, rules):
        return last
    half = begun + max(1, (last - begun) // 2)
    for ends in (_SENTENCE_END, _CLAUSE_END):
        for at in range(last, half - 1, -1):
            if ends.search(units[at - 1].text):
                return at
    return last


def _is_enough(units: list[_Unit], rules: CueRules) -> bool:
    """Whether it can stand alone: short sentences are shown together."""
    return units[-1].word.end_seconds - units[0].word.start_seconds >= rules.least_seconds


def _is_pause(units: list[_Unit], at: int, rules: CueRules) -> bool:
    return units[at].word.start_seconds - units[at - 1].word.end_seconds > rules.most_pause_seconds


def _fits(units: list[_Unit], rules: CueRules) -> bool:
    seconds = units[-1].word.end_seconds - units[0].word.start_seconds
    return seconds <= rules.most_seconds and len(_filled(units, rules)) <= rules.most_lines


def _lines(units: list[_Unit], rules: CueRules) -> list[list[_Unit]]:
    """One where it holds all; else two of about the same width, the second no shorter where it can be, cut at a clause if one ends near."""
    filled = _filled(units, rules)
    if len(filled) < 2 or rules.most_lines != 2:
        return filled
    ways = [at for at in range(1, len(units)) if len(_filled(units[:at], rules)) == 1 and len(_filled(units[at:], rules)) == 1]
    if not ways:
        return filled

    def cost(at: int) -> float:
        first, second = _line_width(units[:at]), _line_width(units[at:])
        clause = 6.0 if _CLAUSE_END.search(units[at - 1].text) or _SENTENCE_END.search(units[at - 1].text) else 0.0
        return abs(first - second) + (2.0 if first > second else 0.0) - clause

    at = min(ways, key=cost)
    return [units[:at], units[at:]]


def _filled(units: list[_Unit], rules: CueRules) -> list[list[_Unit]]:
    """As much in each line as goes in."""
    lines: list[list[_Unit]] = []
    for unit in units:
        if lines and _line_width([*lines[-1], unit]) <= _most_width([*lines[-1], unit], rules):
            lines[-1].append(unit)
        else:
            lines.append([unit])
    return lines


def _line_width(units: Sequence[_Unit]) -> float:
    return sum(unit.width for unit in units) + sum(len(unit.before) for unit in units[1:])


def _most_width(units: Sequence[_Unit], rules: CueRules) -> float:
    """By the script of most of it."""
    text = "".join(unit.text for unit in units)
    return rules.most_wide_characters if 2 * len(_WIDE.findall(text)) > len(text) else rules.most_characters


def _width(character: str) -> float:
    """0 of a sign on another letter. Of a wide one 1: a line of them has a number of its own."""
    return 0.0 if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf") else 1.0


def _cue(lines: list[list[_Unit]], rules: CueRules, next_start: float | None) -> Cue:
    """Shown until it is read, unless the next begins before."""
    units = [unit for line in lines for unit in line]
    start, end = units[0].word.start_seconds, units[-1].word.end_seconds
    shown = tuple("".join((unit.before if number else "") + unit.text for number, unit in enumerate(line)) for line in lines)
    wanted = min(max(rules.least_seconds, sum(map(len, shown)) / rules.characters_per_second), rules.most_seconds)
    end = max(end, start + wanted)
    if next_start is not None and end > next_start - rules.least_gap_seconds:
        end = max(units[-1].word.end_seconds, next_start - rules.least_gap_seconds)
        end = min(end, next_start) if next_start > start else end
    return Cue(start, end, shown, tuple(tuple(unit.word for unit in line) for line in lines))
