"""Turns: the beginnings of what somebody says, as dialogues and plays write them, and which of them a text really has.

ANNA: text · Anna (whispering): text · **Anna:** text · [ANNA] text · 太郎：… · 太郎「…」 · ANNA. text · ANNA on a line of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from studio.scripts.intake.dialogues.cast_names import is_extension, name_strength
from studio.scripts.intake.headings import is_chapter_heading

__all__ = ["PLAY_FORMS", "DialogueTurn", "accepted_turns"]

_NAME = r"[^\W_][^:：\[\]<>{}|=*_]{0,48}?"
_HOW = r"(?:\s*[(（](?P<how>[^()（）]{1,80})[)）])?"
_COLON = re.compile(
    rf"\s*(?:[-•–]\s+)?(?P<open>[*_]{{1,3}})?(?P<name>{_NAME}){_HOW}\s*(?P<mid>[*_]{{0,3}})[:：](?![/\\])(?P<shut>[*_]{{0,3}})(?P<text>(?:\s.*|[^\d\s].*)?)"
)
_BRACKET = re.compile(rf"\s*[\[【](?P<name>{_NAME}){_HOW}[\]】]\s*[:：]?\s*(?P<text>.*)")
_QUOTE = re.compile(r"\s*(?P<name>[^\W_][\w・·]{0,11})(?P<text>[「『].*[」』])\s*")
_PERIOD = re.compile(r"\s*(?P<name>[^\W\d_][\w'’-]{0,16}(?:[ ][\w'’-]{1,16}){0,3})\.(?P<shut>[_*]{0,3})(?P<text>\s+\S.*|[-—–]+\s?\S.*)")
_OWN = re.compile(
    rf"\s*[_*]{{0,2}}(?P<name>[^\W\d_][\w .,'’&#/-]{{0,40}}?){_HOW}\s*[.:]?[_*]{{0,2}}\s*(?:[\[(](?P<aside>[^\])]{{1,80}})[\])])?\s*\^?"
)
_FORMS: Mapping[str, re.Pattern[str]] = {"colon": _COLON, "bracket": _BRACKET, "quote": _QUOTE, "own": _OWN, "period": _PERIOD}
PLAY_FORMS = frozenset(("own", "period"))  # of plays: what nobody says in them are directions
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st mme mlle m prof rev capt col gen lt sgt hon no nos vol chap fig p pp etc hr fr sr sra jr vs".split()  # noqa: SIM905 a list is longer
)
_NUMERAL = re.compile(r"[ivxlc]+", re.IGNORECASE)
_LEAST_SHARE, _LEAST_PLAY_SHARE, _LEAST_SCATTERED_SHARE = 0.5, 0.3, 0.1  # of what begins in the text
_LEAST_SCATTERED = 6
_ALMOST_ALL = 0.9
_MOST_DISTINCT = 0.75  # names to turns: a list of things has as many
_FEW = 4


class DialogueTurn(NamedTuple):
    """at: of its line. name: as written. how: what stands in brackets behind it. text: of the same line, behind the name."""

    at: int
    name: str
    how: str | None
    text: str
    form: str


def accepted_turns(lines: Sequence[str], *, is_asked: bool = False) -> dict[int, DialogueTurn]:
    """Of each line that begins a turn; empty where the text is no dialogue. is_asked: somebody says that it is one."""
    n_starts = sum(1 for at, line in enumerate(lines) if line.strip() and (at == 0 or not lines[at - 1].strip()))
    found: dict[str, list[DialogueTurn]] = defaultdict(list)
    for turn in _candidates(lines):
        found[turn.form].append(turn)
    named = {form: _of_names(turns, form, n_starts, is_asked=is_asked) for form, turns in found.items()}
    kept: dict[int, DialogueTurn] = {}
    for form in sorted(named, key=lambda form: -len(named[form])):  # what most lines have goes first where a line may be read as two
        turns = [turn for turn in named[form] if turn.at not in kept]
        if turns and (is_asked or _is_dialogue(turns, form, lines, n_starts)):
            kept |= {turn.at: turn for turn in (*turns, *_within(lines, turns, form))}
    return kept


def _within(lines: Sequence[str], turns: Sequence[DialogueTurn], form: str) -> Iterator[DialogueTurn]:
    """Of a play, those that no blank line parts from the one before, by the names that are known."""
    if form != "period":
        return
    names = {turn.name for turn in turns}
    for at, line in enumerate(lines):
        found = _PERIOD.fullmatch(line)
        if found and found["name"] in names and at and lines[at - 1].strip():
            yield DialogueTurn(at, found["name"], None, found["text"].strip(), form)


def _candidates(lines: Sequence[str]) -> Iterator[DialogueTurn]:
    for at, line in enumerate(map(str.strip, lines)):  # many blanks would be tried in many ways
        if not line or is_chapter_heading(line):
            continue
        starts_block = at == 0 or not lines[at - 1].strip()
        for form, pattern in _FORMS.items():
            if form in PLAY_FORMS and not starts_block:
                continue
            if (turn := _turn(at, line, form, pattern)) and (form != "own" or _is_said(lines, at)):
                yield turn


def _turn(at: int, line: str, form: str, pattern: re.Pattern[str]) -> DialogueTurn | None:
    found = pattern.fullmatch(line)
    if found is None:
        return None
    name, groups = found["name"].strip(), found.groupdict()
    strength = name_strength(name)
    if not strength or (form in PLAY_FORMS and not _is_play_name(name, strength, form)):
        return None
    text = (groups.get("text") or "").strip()
    if form == "colon" and groups["open"] and not (groups["mid"] or groups["shut"]):
        text = f"{groups['open']}{text}"
    how = groups.get("how") or groups.get("aside")
    if how and is_extension(how):
        name, how = f"{name} ({how})", None
    return DialogueTurn(at, name, how.strip() if how else None, text, form)


def _is_play_name(name: str, strength: int, form: str) -> bool:
    folded = name.casefold().strip(". ")
    if folded in _ABBREVIATIONS or _NUMERAL.fullmatch(folded) or len(folded) < 2:
        return False
    return strength == 3 if form == "own" else strength >= 2


def _is_said(lines: Sequence[str], at: int) -> bool:
    """Whether text stands below a name on a line of its own, and no other line in capitals."""
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return bool(following) and not (
        following.isupper() and len(following) > 1 and name_strength(following) == 3 and _OWN.fullmatch(following)
    )


def _of_names(turns: Sequence[DialogueTurn], form: str, n_starts: int, *, is_asked: bool) -> list[DialogueTurn]:
    """Without those whose name is none after all: it occurs once, and is not written as others are."""
    counts = Counter(turn.name.casefold() for turn in turns)
    share = len(turns) / max(n_starts, len(turns), 1)
    kept = []
    for turn in turns:
        strength, n = name_strength(turn.name), counts[turn.name.casefold()]
        needed = 1 if strength == 3 or is_asked else 2 if strength == 2 else 3
        needed = by_share if form != "period" and (by_share := _needed_by_share(share, strength)) else needed
        needed = 3 if form == "period" and strength < 3 and not is_asked else needed
        if n >= needed:
            kept.append(turn)
    return kept


def _needed_by_share(share: float, strength: int) -> int:
    """How often a name has to occur where so much of a text is turns; 0 where that makes no difference."""
    if strength == 2 and share >= _LEAST_SHARE:
        return 1
    return 2 if strength == 1 and share >= _ALMOST_ALL else 0


def _is_dialogue(turns: Sequence[DialogueTurn], form: str, lines: Sequence[str], n_starts: int) -> bool:
    names = Counter(turn.name.casefold() for turn in turns)
    n_other = sum(1 for line in lines if line.strip()) - len(turns)
    starts = max(n_starts, len(turns) + (n_other if n_starts <= 2 else 0) // 2)
    share = len(turns) / max(starts, 1)
    if len(turns) < 2 or (len(turns) >= _FEW and len(names) > _MOST_DISTINCT * len(turns)):
        return False
    if form in PLAY_FORMS:
        return len(names) > 1 and share >= _LEAST_PLAY_SHARE
    is_scattered = share >= _LEAST_SCATTERED_SHARE and len(turns) >= _LEAST_SCATTERED and len(names) > 1
    return share >= _LEAST_SHARE or (is_scattered and all(name_strength(turn.name) == 3 for turn in turns))
