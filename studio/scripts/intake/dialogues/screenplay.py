"""Screenplays in Fountain (fountain.io/syntax), and those that look so: scenes are chapters, names stand above what is said.

Scene headings, action, transitions and synopses are kept silent. Notes [[...]] and what is crossed out /* ... */ are silent as well.
"""

import re
from collections.abc import Iterator, Sequence

from studio.scripts.intake.dialogues.cast_names import CastNames, name_strength
from studio.scripts.intake.passages import Passage, lines_of
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.text_files.text_check import has_words

__all__ = ["looks_like_screenplay", "read_screenplay"]

_SCENE = re.compile(r"[ \t]*(?:\.(?=[^.\W])|(?:INT|EXT|EST|I/E|INT\.?/EXT|EXT\.?/INT)(?=[. ]))", re.IGNORECASE)
_SCENE_LINE = re.compile(r"^[ \t]*(?:INT|EXT|EST|I/E|INT\.?/EXT)[. ].*$", re.MULTILINE)
_SCENE_NUMBER = re.compile(r"\s*#[\w.-]+#\s*\Z")
_TRANSITION = re.compile(r"\s*(?:>(?!.*<\s*\Z).*|[A-Z0-9 .']+TO:|FADE (?:IN|OUT)[:.]?.*|CUT TO BLACK[.:]?)\s*")
_CENTERED = re.compile(r"\s*>(?P<text>.*)<\s*")
_NAME = re.compile(r"[ \t]*(?P<forced>@)?(?P<name>[^\W_][^\n:()^]{0,40}?)(?P<extension>(?:\s*\([^()\n]{1,30}\))*)\s*\^?\s*")
_PARENTHETICAL = re.compile(r"[ \t]*\((?P<how>[^()\n]{1,300})\)[ \t]*")
_SET_APART = (("/*", "*/"), ("[[", "]]"))
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z ]{0,30}):[ \t]*(?P<value>.*)")
_KEYS = frozenset(("title", "author", "authors", "credit", "source", "draft date", "contact", "copyright", "revision"))  # of a title page
_LEAST_SCENES = 2
_MOST_INSTRUCTION_CHARACTERS = 80
_MOST_CUE_CHARACTERS = 200  # of a name or a transition with its blanks


def looks_like_screenplay(text: str) -> bool:
    """Whether scenes begin as in screenplays, and somebody speaks."""
    if len(_SCENE_LINE.findall(text[:200_000])) < _LEAST_SCENES:
        return False
    lines = text.split("\n")[:5_000]
    return any(_is_cue(lines, at) for at in range(len(lines)))


def read_screenplay(text: str, title: str = "") -> ReadScript:
    """title: where its title page has none."""
    fields, body = _title_page(text)
    names = CastNames()
    passages = list(_passages(body, names))
    n_silent = sum(1 for passage in passages if passage.is_silent and not passage.level)
    notes: list[tuple[str, dict]] = [("note_directions", {"n": n_silent})] if n_silent else []
    notes += [("note_left_out", {"words": ", ".join(names.left_out)[:200]})] if names.left_out else []
    others = "\n".join(f"{key}: {value}" for key, value in fields.items() if key not in ("title", "author", "authors", "credit"))
    head = ScriptHead(
        title=(fields.get("title", "").strip("_* ") or title)[:200],
        author=(fields.get("author") or fields.get("authors") or "")[:200],
        description=others[:4000],
    )
    return ReadScript(head, lines_of(passages, 1), (), "screenplay", notes=tuple(notes))


def _title_page(text: str) -> tuple[dict[str, str], str]:
    """The fields at the top, up to the first blank line; {} where there are none."""
    page, _, body = text.lstrip("\n").partition("\n\n")
    fields: dict[str, str] = {}
    key = ""
    for line in page.split("\n"):
        found = _FIELD.fullmatch(line)
        if found and not line[0].isspace():
            key = found["key"].strip().casefold()
            fields[key] = found["value"].strip()
        elif key and line[:1].isspace():
            fields[key] = f"{fields[key]} {line.strip()}".strip()
        else:
            return {}, text
    return (fields, body) if _KEYS & fields.keys() else ({}, text)


def _passages(text: str, names: CastNames) -> Iterator[Passage]:
    at = 0
    for start, end in _set_apart(text):
        yield from _of_lines(text[at:start].split("\n"), names)
        if has_words(text[start:end]):
            yield Passage(text[start:end], is_silent=True)
        at = end
    yield from _of_lines(text[at:].split("\n"), names)


def _set_apart(text: str) -> Iterator[tuple[int, int]]:
    """Where notes and what is crossed out stand. What is not closed is neither."""
    closing = dict(_SET_APART)
    at = 0
    while closing and (found := re.compile("|".join(map(re.escape, closing))).search(text, at)):
        end = text.find(closing[found[0]], found.end())
        if end < 0:
            del closing[found[0]]
            continue
        at = end + len(closing[found[0]])
        yield found.start(), at


def _of_lines(lines: Sequence[str], names: CastNames) -> Iterator[Passage]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif _SCENE.match(line) and not line.lstrip().startswith(".."):
            yield Passage(_SCENE_NUMBER.sub("", line).strip().lstrip("."), level=1, is_silent=True)
            at += 1
        elif line.lstrip().startswith("#"):
            yield Passage(line.strip().lstrip("# "), level=1, is_silent=True)
            at += 1
        elif _is_cue(lines, at):
            end = _block_end(lines, at)
            yield from _speech(lines[at:end], names)
            at = end
        else:
            end = (
                at + 1
                if len(line) <= _MOST_CUE_CHARACTERS and (_TRANSITION.fullmatch(line) or _CENTERED.fullmatch(line))
                else _block_end(lines, at)
            )
            text = "\n".join(part.strip() for part in lines[at:end])
            yield Passage(text.lstrip("!=~ ") if text[:1] in "!=~" else text, is_silent=True)
            at = end


def _block_end(lines: Sequence[str], at: int) -> int:
    return next((end for end in range(at + 1, len(lines)) if not lines[end].strip() and lines[end] != "  "), len(lines))


def _is_cue(lines: Sequence[str], at: int) -> bool:
    """Whether a name stands there, behind a blank line, with what it says below."""
    line = lines[at]
    if (at and lines[at - 1].strip()) or at + 1 >= len(lines) or not lines[at + 1].strip():
        return False
    found = _NAME.fullmatch(line) if len(line) <= _MOST_CUE_CHARACTERS else None
    if found is None or _TRANSITION.fullmatch(line) or _SCENE.match(line):
        return False
    is_loud = name_strength(found["name"]) > 1 and not any(map(str.islower, found["name"]))
    return bool(found["forced"]) or is_loud


def _speech(block: Sequence[str], names: CastNames) -> Iterator[Passage]:
    if not any(map(has_words, block[1:])):  # who says nothing
        yield Passage("\n".join(line.strip() for line in block), is_silent=True)
        return
    found = _NAME.fullmatch(block[0])
    assert found is not None  # _is_cue
    who = names.member(found["name"] + found["extension"])
    how: str | None = None
    held: list[str] = []
    for line in block[1:]:
        aside = _PARENTHETICAL.fullmatch(line)
        if aside is None:
            held.append(line.strip())
            continue
        yield from _said(held, who, how)
        held, how = [], aside["how"].strip()
        if how and len(how) > _MOST_INSTRUCTION_CHARACTERS:
            yield Passage(f"({how})", is_silent=True, who=who)
            how = None
    if held:
        yield from _said(held, who, how)
    elif how:
        yield Passage(f"({how})", is_silent=True, who=who)


def _said(held: Sequence[str], who: str, how: str | None) -> Iterator[Passage]:
    text = " ".join(filter(None, held))
    if not text and how:
        yield Passage(f"({how})", is_silent=True, who=who)
    if text.startswith("~"):
        yield Passage(text, is_silent=True, who=who)
    elif text:
        yield Passage(text, who=who, instructions=how)
