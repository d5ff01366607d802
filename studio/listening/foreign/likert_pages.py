"""Likert pages of webMUSHRA as tests of opinion (MOS): what they ask, and which of their stimuli are whose.

Such a page names stimuli, not systems: C1 on every page, or one clip a page. Where all pages name the same several, those are the systems.
Else the files' names tell systems from texts (studio/listening/foreign/stimulus_names.py), and what was guessed is said.

A plan has a sound of each system for each text. Where a study has other texts for each system, its sounds share rows in their order: then a
row is no text but a place, and the model judges what differs within it by chance. What still has no partner becomes a test of its own.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.listening.foreign.stimulus_names import parts_of_names
from studio.listening.plan.plan import MOST_TEXTS

__all__ = ["LikertGrid", "LikertScale", "LikertStimulus", "grids_of", "scales_of_page"]

MOST_POINTS = 11
MOST_SCALES = 8
MOST_QUESTION, MOST_LABEL = 300, 80  # characters
MOST_ROW_NAME = 200
_GRADES = ("bad", "poor", "fair", "good", "excellent")
_BREAKS = re.compile(r"<(?:/?(?:p|br|li|div|ul|ol|tr|td|h\d)\b)[^<>]*>", re.I)
_TAGS = re.compile(r"<[^<>]*>")
_LISTED = re.compile(r"<li>(.*?)(?=<li>|</[ou]l>|$)", re.S | re.I)
_NUMBERED = re.compile(r"[(\[]?\d+[)\]:.–-]?\s*")


@dataclass(frozen=True)
class LikertScale:
    """question: "" for the method's own. labels: the least first; two of them are those of both ends where there are more points."""

    question: str
    labels: tuple[str, ...]
    points: int

    @property
    def is_opinion(self) -> bool:
        """Whether it is the scale of MOS itself: five points, called as P.800 has them, or not at all."""
        named = tuple(_NUMBERED.sub("", label).casefold() for label in self.labels)
        return self.points == len(_GRADES) and (named == _GRADES or not any(named))


@dataclass(frozen=True)
class LikertStimulus:
    """place: of the page in the file. key: what the page calls it."""

    page: str
    place: str
    key: str
    path: str


@dataclass(frozen=True)
class LikertGrid:
    """A sound of each system for each text. guessed: whether systems are told by names of files. mixed: rows of several texts."""

    systems: tuple[str, ...]
    texts: tuple[str, ...]
    sounds: Mapping[tuple[str, int], LikertStimulus]
    guessed: bool = False
    mixed: int = 0


def scales_of_page(page: Mapping[str, object]) -> tuple[LikertScale, ...]:
    """What a page asks, as much of it as a plan has scales; () where nothing of it is a scale of so many points."""
    response = page.get("response")
    if not isinstance(response, list) or not response:
        return ()
    several = response if all(isinstance(one, list) for one in response) else [response]
    content = str(page.get("content") or "")
    asked = [_words(item) for item in _LISTED.findall(content)]
    questions = asked if len(asked) == len(several) and len(several) > 1 else [_words(content)] * len(several)
    found = [_scale(points, question) for points, question in zip(several, questions, strict=True)]
    return tuple(scale for scale in found if scale is not None)[:MOST_SCALES]


def grids_of(stimuli: Sequence[LikertStimulus], *, is_named: bool = False) -> Iterator[LikertGrid]:
    """stimuli: of pages that ask the same. is_named: whether keys are systems, which else is found out."""
    keys_of: dict[str, list[str]] = {}
    for one in stimuli:
        keys_of.setdefault(one.page, []).append(one.key)
    same = {tuple(sorted(keys)) for keys in keys_of.values()}
    is_named = is_named or (len(same) == 1 and (len(next(iter(same))) > 1 or len(keys_of) == 1))
    cells: dict[tuple[str, str], LikertStimulus] = {}
    for one, (system, text) in zip(stimuli, _named(stimuli) if is_named else _guessed(stimuli, len(keys_of)), strict=True):
        number, place = 1, (system, text)
        while place in cells:
            number += 1
            place = (system, f"{text} ({number})")
        cells[place] = one
    for grid in _even(cells, guessed=not is_named):
        yield from _in_parts(grid)


def _named(stimuli: Sequence[LikertStimulus]) -> list[tuple[str, str]]:
    return [(one.key, one.page) for one in stimuli]


def _guessed(stimuli: Sequence[LikertStimulus], n_pages: int) -> list[tuple[str, str]]:
    """(system, text) of each: by the files, else by what pages call them, else all of one system. A page that has one of each is a text."""
    for names in ([one.path for one in stimuli], [one.key for one in stimuli]):
        parts = parts_of_names(names)
        told = [parts[name] for name in names]
        if all(part.system for part in told):
            pages = {(one.page, part.system) for one, part in zip(stimuli, told, strict=True)}
            is_text = len(pages) == len(stimuli) >= 2 * n_pages
            return [(part.system, one.page if is_text else part.text) for one, part in zip(stimuli, told, strict=True)]
    return [(stimuli[0].key, one.page if len(stimuli) == n_pages else f"{one.page}: {one.key}") for one in stimuli]


def _even(cells: Mapping[tuple[str, str], LikertStimulus], *, guessed: bool) -> Iterator[LikertGrid]:
    """First all that has a sound of each system, then what is left, as few tests as can be."""
    systems = tuple(dict.fromkeys(system for system, _ in cells))
    rows: list[dict[str, tuple[str, LikertStimulus]]] = []
    by_text: dict[str, dict[str, tuple[str, LikertStimulus]]] = {}
    for (system, text), one in cells.items():
        by_text.setdefault(text, {})[system] = (text, one)
    partial = {system: [row[system] for row in by_text.values() if len(row) < len(systems) and system in row] for system in systems}
    rows += [row for row in by_text.values() if len(row) == len(systems)]
    while partial:
        n = min(map(len, partial.values()))
        rows += [{system: its[number] for system, its in partial.items()} for number in range(n)]
        if rows:
            yield _grid(rows, guessed=guessed)
        rows = []
        partial = {system: its[n:] for system, its in partial.items() if len(its) > n}


def _grid(rows: Sequence[Mapping[str, tuple[str, LikertStimulus]]], *, guessed: bool) -> LikertGrid:
    names = [" / ".join(dict.fromkeys(text for text, _ in row.values()))[:MOST_ROW_NAME] for row in rows]
    sounds = {(system, number): one for number, row in enumerate(rows) for system, (_, one) in row.items()}
    mixed = sum(len({text for text, _ in row.values()}) > 1 for row in rows)
    return LikertGrid(tuple(rows[0]), tuple(names), sounds, guessed, mixed)


def _in_parts(grid: LikertGrid) -> Iterator[LikertGrid]:
    """Of as many texts as a plan has."""
    for begin in range(0, len(grid.texts), MOST_TEXTS):
        texts = grid.texts[begin : begin + MOST_TEXTS]
        sounds = {(system, text - begin): one for (system, text), one in grid.sounds.items() if begin <= text < begin + len(texts)}
        yield LikertGrid(grid.systems, texts, sounds, grid.guessed, grid.mixed)


def _scale(points: object, question: str) -> LikertScale | None:
    """One scale: points with labels, or, as forks of webMUSHRA have it, one entry that says how many there are and what both ends are."""
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        return None
    if len(points) == 1 and isinstance(n := points[0].get("rate"), int):
        ends = tuple(_words(points[0].get(end))[:MOST_LABEL] or str(at) for end, at in (("min_value", 0), ("max_value", n - 1)))
        return LikertScale((_words(points[0].get("label")) or question)[:MOST_QUESTION], ends, n) if 2 <= n <= MOST_POINTS else None
    if not 2 <= len(points) <= MOST_POINTS:
        return None
    values = [point.get("value") for point in points]
    if all(isinstance(value, int | float) for value in values) and values == sorted(values, reverse=True):
        points = points[::-1]
    labels = tuple((_words(point.get("label")) or _words(point.get("value")))[:MOST_LABEL] or str(at) for at, point in enumerate(points, 1))
    return LikertScale(question[:MOST_QUESTION], labels, len(points))


def _words(said: object) -> str:
    """Without markup."""
    return "" if said is None else " ".join(html.unescape(_TAGS.sub("", _BREAKS.sub(" ", str(said)))).split())
