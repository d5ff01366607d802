"""Markdown: its headings are chapters, its paragraphs, items and tables lines, as they are written.

What only marks (**, a link's address, a bullet) stays: the reading leaves it out when it is said (studio/reading/markup/markdown.py).
Blocks of code are kept silent.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from studio.scripts.intake.passages import Passage, lines_of
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.text_files.text_check import has_words

__all__ = ["looks_like_markdown", "read_markdown"]

_FRONT = re.compile(r"\A---[ \t]*\n(?P<body>(?:.*\n){0,60}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FIELD = re.compile(r"^(?P<key>[A-Za-z_-]{1,30}):[ \t]*(?P<value>.*)$", re.MULTILINE)
_QUOTE_MARKS = re.compile(r"^(?:[ \t]*>)+[ \t]?")
_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_SIGNS = re.compile(r"^(?:#{1,6}[ \t]+\S|```|\|.+\||> |[-*+][ \t]+\S)|\*\*\S[^*\n]*\*\*|\[[^\]\n]{1,300}\]\([^)\n]{1,300}\)", re.MULTILINE)
_CODE_OR_LINK = re.compile(r"^```|\]\(", re.MULTILINE)
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
_LEAST_SIGNS = 3
_LOOKED_AT = 100_000  # characters


def looks_like_markdown(text: str) -> bool:
    """Whether a paste has headings and marks of Markdown."""
    head = text[:_LOOKED_AT]
    signs = _SIGNS.findall(head)
    if _HEADING.search(head):
        return len(signs) > 1
    return len(signs) >= _LEAST_SIGNS and _CODE_OR_LINK.search(head) is not None


def read_markdown(text: str, title: str = "") -> ReadScript:
    """title: from elsewhere; that of the text goes before it."""
    front = _FRONT.match(text)
    fields = {found["key"].lower(): found["value"].strip().strip("\"'") for found in _FIELD.finditer(front["body"])} if front else {}
    passages = list(_passages(text[front.end() :] if front else text))
    titles = [passage for passage in passages if passage.level == 1]
    own = titles[0].text if len(titles) == 1 and passages.index(titles[0]) < 3 else ""
    known = ("title", "author", "lang", "language", "date", "description")
    others = ", ".join(f"{key}: {value}" for key, value in fields.items() if key not in known)
    head = ScriptHead(
        title=(fields.get("title") or own or title)[:200],
        author=fields.get("author", "")[:200],
        language=(fields.get("lang") or fields.get("language") or "").split("-")[0].lower() or None,
        year=found[0] if (found := re.search(r"\d{4}", fields.get("date", ""))) else "",
        description=fields.get("description", "")[:4000],
    )
    notes = (("note_left_out", {"words": others[:200]}),) if others else ()
    return ReadScript(head, lines_of(passages), (), "markdown", notes=notes)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").disable("code")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _passages(text: str) -> Iterator[Passage]:
    source = text.split("\n")
    at = 0
    held: Passage | None = None
    for first, last, passage in _blocks(_parser().parse(text), source):
        if first > at and (between := _unparsed(source[at:first])):
            if held:
                yield held
            held = between
        at = max(at, last)
        if passage is None:
            held = replace(held, is_rule=True) if held else None
            continue
        if held:
            yield held
        held = passage
    if held:
        yield held
    if rest := _unparsed(source[at:]):
        yield rest


def _unparsed(lines: Sequence[str]) -> Passage | None:
    """What is said nowhere: where links lead."""
    text = "\n".join(lines).strip()
    return Passage(text, is_silent=True) if has_words(text) else None


def _blocks(tokens: Sequence[Token], source: Sequence[str]) -> Iterator[tuple[int, int, Passage | None]]:
    """(first line, line behind it, what stands there); None for a rule."""
    level = 0
    table_end = -1
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
        if token.map is None or token.map[0] < table_end:
            continue
        first, last = token.map
        if token.type == "inline":
            yield first, last, _of_inline(token, level, source[first:last])
            level = 0
        elif token.type == "table_open":
            table_end = last
            yield first, last, Passage("\n".join(source[first:last]).strip())
        elif token.type in ("fence", "code_block"):
            yield first, last, Passage("\n".join(source[first:last]).strip(), is_silent=True)
        elif token.type == "html_block":
            written = "\n".join(source[first:last]).strip()
            yield first, last, Passage(written, is_silent=_COMMENT.fullmatch(written) is not None)
        elif token.type == "hr":
            yield first, last, None


def _of_inline(token: Token, level: int, lines: Sequence[str]) -> Passage:
    if level:
        return Passage(" ".join(token.content.split()), level=level)
    parts: list[str] = []
    for number, line in enumerate(lines):
        written = line.strip() if number == 0 else _QUOTE_MARKS.sub("", line).strip()
        is_broken = line.endswith(("  ", "\\")) and number < len(lines) - 1
        parts += [written.rstrip("\\") if is_broken else written, "\n" if is_broken else " "]
    return Passage("".join(parts).strip())
