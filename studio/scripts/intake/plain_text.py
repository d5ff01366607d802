"""Novels and other plain text: chapters by their headings, a table of contents that is not said, paragraphs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from studio.scripts.intake.gutenberg import without_gutenberg
from studio.scripts.intake.headings import bare_number, is_bare_heading, is_chapter_heading, is_contents_title, is_title_line
from studio.scripts.intake.paragraphs import TextBlock, blocks_of
from studio.scripts.intake.passages import Passage, lines_of
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.text_files.text_check import has_words

__all__ = ["read_plain_text", "text_passages"]

_MOST_HEADING_LINES, _MOST_HEADING_CHARACTERS, _MOST_TITLE_CHARACTERS = 4, 160, 90
_LEAST_BODY_CHARACTERS = 400  # between two headings that only their place tells: numbers alone, lines in capitals
_MOST_ANEW = 0.25  # of numbers that begin with one again
_PAGE_NUMBER = re.compile(r"(?:\s*\.){3,}\s*\d*\s*\Z|\s{2,}\d{1,4}\s*\Z|\s[ivxlc\d]{1,5}\s*\Z")
_PICTURE = re.compile(r"\[(?:Illustration|Frontispiece|Image|Abbildung|Illustration\s*:)[^]]*\]?\Z", re.IGNORECASE | re.DOTALL)
_RULE = re.compile(r"[\W_]+")
_KEY = re.compile(r"[\W_]+")
_LEAST_ENTRIES = 3  # of a table of contents without a title
_SENTENCE_END = re.compile(r"[.!?…。！？,;:][\"'”’»」』)\]_*]*\Z")


def read_plain_text(text: str, title: str = "") -> ReadScript:
    """title: from elsewhere; the text's own goes before it."""
    book = without_gutenberg(text)
    passages, n_contents = text_passages(book.text)
    own = passages[0].text.strip("[]_* ") if len(passages) > 1 and passages[0].level and not is_chapter_heading(passages[0].text) else ""
    notes = []
    if book.n_left_out:
        notes.append(("note_gutenberg", {"n": book.n_left_out}))
    if n_contents:
        notes.append(("note_contents", {"n": n_contents}))
    head = ScriptHead(title=(book.title or own or title)[:200], author=book.author[:200], language=book.language)
    return ReadScript(head, lines_of(passages, 1), (), "text", notes=tuple(notes))


def text_passages(text: str) -> tuple[list[Passage], int]:
    """What stands in it, and how many entries of its tables of contents are kept silent."""
    blocks = [part for block in blocks_of(text) for part in _headed(block)]
    contents = _contents(blocks)
    chapters = _chapters(blocks, contents)
    passages: list[Passage] = []
    n_contents = 0
    for at, block in enumerate(blocks):
        written = "\n".join(block.lines)
        if at in contents:
            n_contents += sum(map(has_words, block.lines))
            passages.append(Passage(written, is_silent=True))
        elif at in chapters:
            passages += [Passage(part, level=1) for part in chapters[at]]
        elif _RULE.fullmatch(written):
            passages[-1:] = [replace(last, is_rule=True) for last in passages[-1:]]
        else:
            passages.append(Passage(written, is_silent=_PICTURE.match(block.one_line) is not None))
    return passages, n_contents


def _headed(block: TextBlock) -> Iterator[TextBlock]:
    """A heading with no blank line behind it, and the paragraph that it stands on."""
    first = block.lines[0]
    is_heading = len(block.lines) > 1 and is_chapter_heading(first) and not any(map(is_chapter_heading, block.lines[1:]))
    body = "\n".join(block.lines[1:])
    if is_heading and (len(body) > _MOST_HEADING_CHARACTERS or len(block.lines) > _MOST_HEADING_LINES):
        yield TextBlock((first,), block.n_blank)
        yield TextBlock(block.lines[1:], 0)
    else:
        yield block


def _key(text: str) -> str:
    return _KEY.sub("", text).casefold()


# --- tables of contents


def _contents(blocks: Sequence[TextBlock]) -> frozenset[int]:
    """The blocks that are one: behind its title, or where headings stand without text that come again."""
    later = _last_places(blocks)
    found: set[int] = set()
    at = looked_to = 0  # looked_to: behind what is no table, and is not looked at from each of its blocks again
    while at < len(blocks):
        end = at
        if is_contents_title(blocks[at].lines[0]) and len(blocks[at].one_line) < _MOST_TITLE_CHARACTERS * len(blocks[at].lines):
            end = _entries_end(blocks, at + 1, later, is_titled=True)
            end = end if end > at + 1 or len(blocks[at].lines) > 1 else at
        elif at >= looked_to and _is_entry(blocks[at], at, later, is_titled=False):
            end = looked_to = _entries_end(blocks, at, later, is_titled=False)
            entries = [line for block in blocks[at:end] for line in block.lines]
            again = sum(1 for line in entries if later.get(_key(_PAGE_NUMBER.sub("", line)), -1) >= end)
            end = end if len(entries) >= _LEAST_ENTRIES and again * 2 >= len(entries) else at
        found.update(range(at, end))
        at = max(end, at + 1)
    return frozenset(found)


def _last_places(blocks: Sequence[TextBlock]) -> dict[str, int]:
    """Key of what may be a heading -> the last block that is it, or begins with it."""
    places: dict[str, int] = {}
    for at, block in enumerate(blocks):
        if len(block.one_line) <= _MOST_HEADING_CHARACTERS:
            places[_key(block.one_line)] = places[_key(block.lines[0])] = at
            if (numbered := bare_number(block.one_line)) and numbered[1]:
                places[_key(numbered[1])] = at
            if len(block.lines) > 1:
                places[_key(block.lines[-1])] = at
    return places


def _is_entry(block: TextBlock, at: int, later: Mapping[str, int], *, is_titled: bool) -> bool:
    """Whether each line of it may stand in a table of contents; of one without a title, whether it looks like a heading besides."""
    if max(map(len, block.lines)) > _MOST_HEADING_CHARACTERS or _RULE.fullmatch(block.one_line):
        return False
    n_known = sum(1 for line in block.lines if _is_known(line, at, later, is_titled=is_titled))
    return n_known >= 0.6 * len(block.lines) and n_known > 0


def _is_known(line: str, at: int, later: Mapping[str, int], *, is_titled: bool) -> bool:
    bare = _PAGE_NUMBER.sub("", line)
    is_again = later.get(_key(bare), -1) > at or later.get(_key(line), -1) > at
    looks_so = bare != line or is_chapter_heading(line) or bool((numbered := bare_number(line)) and numbered[1])
    return (is_again or looks_so) if is_titled else looks_so or (is_again and line.isupper())


def _entries_end(blocks: Sequence[TextBlock], first: int, later: Mapping[str, int], *, is_titled: bool) -> int:
    """Where the table ends that begins there: before what is no entry, and before the first heading that has its text behind it."""
    at = first
    seen: set[str] = set()
    while at < len(blocks):
        block = blocks[at]
        keys = {_key(_PAGE_NUMBER.sub("", line)) for line in block.lines}
        if not _is_entry(block, at, later, is_titled=is_titled) or (len(block.lines) <= 2 and keys & seen):
            break
        is_last = len(block.lines) == 1 and not any(later.get(key, -1) > at for key in keys)
        if is_last and at > first and not _PAGE_NUMBER.search(block.one_line):
            break
        seen |= keys
        at += 1
    return at


# --- chapters


def _chapters(blocks: Sequence[TextBlock], contents: frozenset[int]) -> dict[int, tuple[str, ...]]:
    """Block -> its headings: the number of a chapter and its title, which may stand in the block behind it."""
    short = [at for at, block in enumerate(blocks) if at not in contents and _may_be_heading(block)]
    worded = [at for at in short if is_chapter_heading(blocks[at].lines[0]) or is_chapter_heading(blocks[at].one_line)]
    found = sorted({*worded, *_numbered(blocks, short)}) or _in_capitals(blocks, short)
    if 0 in short and 0 not in found and _begins_with_title(blocks):
        found = [0, *found]
    chapters = {at: _heading_parts(blocks[at]) for at in found}
    for at in found:
        is_bare = is_bare_heading(blocks[at].one_line)
        if is_bare and at + 1 not in chapters and at + 1 not in contents and at + 2 < len(blocks) and _is_title(blocks[at + 1]):
            chapters[at + 1] = (blocks[at + 1].one_line,)
    return chapters


def _begins_with_title(blocks: Sequence[TextBlock]) -> bool:
    """Whether the first line is a title: it stands alone, and sentences follow."""
    first, following = blocks[0], blocks[1:6]
    is_alone = len(first.lines) == 1 and bool(following) and following[0].n_blank > 0
    return is_alone and is_title_line(first.one_line) and any(not is_title_line(block.one_line) for block in following)


def _heading_parts(block: TextBlock) -> tuple[str, ...]:
    if len(block.lines) > 1 and is_bare_heading(block.lines[0]):
        return block.lines[0].strip(), " ".join(" ".join(block.lines[1:]).split())
    return (block.one_line,)


def _is_title(block: TextBlock) -> bool:
    """Of what stands behind the number of a chapter."""
    text = block.one_line
    if len(text) > _MOST_TITLE_CHARACTERS or len(block.lines) > 2 or not has_words(text) or _PICTURE.match(text):
        return False
    return text.isupper() or (not _SENTENCE_END.search(text) and not text[0].islower()) or (text.endswith(".") and text.istitle())


def _may_be_heading(block: TextBlock) -> bool:
    text = block.one_line
    return len(block.lines) <= _MOST_HEADING_LINES and 0 < len(text) <= _MOST_HEADING_CHARACTERS and has_words(text)


def _numbered(blocks: Sequence[TextBlock], short: Sequence[int]) -> list[int]:
    """Numbers alone, and numbers with titles, that count up from one with text between them. A new part may begin anew."""
    found: list[tuple[int, int]] = []
    for at in short:
        numbered = bare_number(blocks[at].one_line)
        if numbered and not (numbered[1] and _SENTENCE_END.search(numbered[1]) and not numbered[1].isupper()):
            found.append((at, numbered[0]))
    kept: list[int] = []
    last = n_anew = 0
    for at, number in found:
        if number in (last + 1, 1) or (last and last < number <= last + 3):
            kept.append(at)
            n_anew += number <= last
            last = number
    if len(kept) < 2 or n_anew > _MOST_ANEW * len(kept) or not any(number == 1 for at, number in found if at in kept[:1]):
        return []
    return kept if _body_between(blocks, kept) >= _LEAST_BODY_CHARACTERS else []


def _in_capitals(blocks: Sequence[TextBlock], short: Sequence[int]) -> list[int]:
    """Of a text whose headings do not count: lines in capitals, with text between them."""
    places = set(short)
    found = [
        at
        for at in short
        if len(blocks[at].lines) <= 2
        and len(blocks[at].one_line) <= _MOST_TITLE_CHARACTERS
        and blocks[at].one_line.isupper()
        and sum(map(str.isalpha, blocks[at].one_line)) > 2
        and not blocks[at].one_line.endswith(("!", "?", ",", ";", ":"))
        and not (at + 1 < len(blocks) and at + 1 in places and blocks[at + 1].one_line.isupper())
    ]
    return found if len(found) > 1 and _body_between(blocks, found) >= _LEAST_BODY_CHARACTERS else []


def _body_between(blocks: Sequence[TextBlock], places: Sequence[int]) -> float:
    """Characters of text behind a heading, on average."""
    taken = set(places)
    return sum(len(block.one_line) for at, block in enumerate(blocks) if at > places[0] and at not in taken) / len(places)
