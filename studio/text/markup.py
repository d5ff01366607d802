"""Markup in a text: SSML, control tokens, stage directions, emoji.

Markup that an engine does not obey is left out and reported, never spoken.

Every door comes through here before a text is cut into sentences. The rules, in doubt for the words:

* A tag is one where it is well-formed and of SSML (or names a sound, <laugh>); within <speak> any well-formed tag is. The words around
  it stay: of `<sub alias="World Wide Web">W3C</sub>` "W3C". So `a < b` and `x <y and z>` are text.
* Entities (&amp;) are characters within <speak>, where the text is XML; elsewhere somebody may be talking about them.
* <|...|> is a control token, of whatever model. Square brackets are a stage direction where stage_directions.py knows it.
* Emoji are what is drawn as such: by default (Emoji_Presentation of Unicode 16, emoji-data.txt) or with U+FE0F behind it. Marks that are
  read as text (™, ✓, ♯) stay; of the keycap 1️⃣ the digit does.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from studio.reading.markup.stage_directions import is_stage_direction, is_vocal_sound

__all__ = ["CleanText", "MarkupFilter", "clean_text", "shown_marks"]

MOST_HELD_CHARACTERS = 500  # of a mark that is not complete yet; a longer one is text
MOST_SHOWN_MARKS, MOST_SHOWN_CHARACTERS = 12, 60

# Elements of W3C SSML 1.1 and of what clouds add to it without a prefix.
_SSML = frozenset(
    [
        "speak",
        "lexicon",
        "lookup",
        "meta",
        "metadata",
        "p",
        "s",
        "token",
        "w",
        "say-as",
        "phoneme",
        "sub",
        "lang",
        "voice",
        "emphasis",
        "break",
        "prosody",
        "audio",
        "mark",
        "desc",
        "par",
        "seq",
        "media",
        "strong",
    ]
)
_VENDORS = ("amazon:", "mstts:", "google:", "speaker:")
_PARAGRAPHS = ("p", "s", "speak")  # what they hold stands by itself
_INLINE = ("say-as", "phoneme", "sub", "emphasis", "prosody", "w", "token", "strong", "lang", "voice")  # may stand inside of a word

_NAME = r"[A-Za-z][\w:.-]*"
_VALUE = r"""(?:"[^"<]*"|'[^'<]*'|[“”][^“”<]*[“”]|[^\s"'“”<>=]+)"""
_ATTRIBUTE = rf"\s+[\w:.-]+\s*=\s*{_VALUE}"
_EMOJI_RANGES = (  # Emoji_Presentation, whole blocks of pictographs taken together
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5"
    "\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf"
    "\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a\U0001f1e6-\U0001f1ff\U0001f201\U0001f21a\U0001f22f"
    "\U0001f232-\U0001f236\U0001f238-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb"
    "\U0001f7f0\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
    "\u2639\u263a\u2661\u2665\u2764"  # faces and hearts, which nobody has read to them
)
_PICTURE = rf"(?:[{_EMOJI_RANGES}]|[\u203c\u2049\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f100-\U0001f2ff]\ufe0f)"
_TRAIL = "[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
_FLAG_LETTER = "[\U0001f1e6-\U0001f1ff]"
_EMOJI = rf"{_FLAG_LETTER}{{2}}|{_PICTURE}{_TRAIL}(?:\u200d(?:{_PICTURE}|[\u2190-\u2bff]){_TRAIL})*"
_MARK = re.compile(
    rf"(?P<comment><!--.{{0,{MOST_HELD_CHARACTERS}}}?-->|<\?[^<>]*\?>|<![A-Z][^<>]*>|<!\[CDATA\[|\]\]>)"
    r"|(?P<token><\|[^<>|\s]{1,40}\|>)"
    rf"|(?P<tag></?(?P<name>{_NAME})(?:{_ATTRIBUTE})*\s*/?>)"
    r"|\[(?P<direction>[^\[\]<>\n]{1,60})\](?!\()"  # no link of Markdown
    r"|(?P<entity>&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)"
    rf"|(?P<emoji>{_EMOJI})"
    "|(?P<joiner>\ufe0f?\u20e3|[\ufe0e\ufe0f])",
    re.DOTALL,
)
# The beginning of any of them, at the end of what has come so far.
_PART_OF_ATTRIBUTE = r"""\s+(?:[\w:.-]+\s*(?:=\s*(?:"[^"<]*"?|'[^'<]*'?|[“”][^“”<]*[“”]?|[^\s"'“”<>=]*)?)?)?"""
_BEGUN = re.compile(
    rf"<(?:/?(?:{_NAME}(?:{_ATTRIBUTE})*(?:{_PART_OF_ATTRIBUTE})?\s*/?)?|\|[^<>|\s]{{0,40}}\|?|!(?:-(?:-.*)?|\[[A-Z]*\[?|[A-Z][^<>]*)?|\?[^<>]*)\Z"
    r"|\[[^\[\]<>\n]{0,60}\]?\Z"
    r"|&[#\w]{0,8}\Z"
    rf"|{_FLAG_LETTER}+\Z"
    rf"|(?:{_EMOJI}|[\u203c\u2049\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f100-\U0001f2ff])\u200d?\Z",
    re.DOTALL,
)
_CLOSES = frozenset(".,;:!?…)]}»”’。，！？；：、")


@dataclass(frozen=True)
class CleanText:
    """text: to be spoken; what was written, where nothing was left out. left_out: the marks, as written, in order."""

    text: str
    left_out: tuple[str, ...] = ()


def clean_text(text: str, obeyed: Sequence[str] = ()) -> CleanText:
    """The text without markup but for what the engine obeys. obeyed: patterns (re), each of which a mark matches as a whole."""
    markup = MarkupFilter(obeyed)
    kept = markup.feed(text) + markup.flush()
    left_out = markup.take_left_out()
    return CleanText(kept.strip() if left_out else kept, left_out)


def shown_marks(left_out: Sequence[str]) -> list[str]:
    """The different marks, for people: in one line each, with their number where it is not one, the first few of many."""
    counts: dict[str, int] = {}
    for mark in left_out:
        line = " ".join("".join(c if c.isprintable() or c == "\u200d" else " " for c in mark).split())
        line = line if len(line) <= MOST_SHOWN_CHARACTERS else f"{line[: MOST_SHOWN_CHARACTERS - 1]}…"
        counts[line] = counts.get(line, 0) + 1
    shown = [f"{mark} ({count} times)" if count > 1 else mark for mark, count in counts.items()]
    more = len(shown) - MOST_SHOWN_MARKS
    return [*shown[:MOST_SHOWN_MARKS], f"{more} others"] if more > 0 else shown


class MarkupFilter:
    """clean_text for a text that comes in pieces: of a mark that is cut between two of them nothing is given out."""

    def __init__(self, obeyed: Sequence[str] = ()):
        self._obeyed = tuple(map(re.compile, obeyed))
        self._left_out: list[str] = []
        self._held = ""
        self._is_ssml = False
        self._last = self._seen = ""  # the last character given out, and the last of them that is no space
        self._gap: str | None = None  # what stands for a mark that was left out, until something follows

    @property
    def waiting_characters(self) -> int:
        """Of the text that is held back."""
        return len(self._held)

    def feed(self, text: str) -> str:
        """What can be given out of this piece and what was held."""
        text = self._held + text
        start = max(0, len(text) - MOST_HELD_CHARACTERS)
        begun = _BEGUN.search(text, start)
        cut = begun.start() if begun else len(text)
        self._held = text[cut:]
        return self._passed(text[:cut])

    def flush(self) -> str:
        """The rest, at the end of the text: what is not complete by then is text."""
        rest, self._held = self._held, ""
        return self._passed(rest)

    def take_left_out(self) -> tuple[str, ...]:
        """The marks that were left out since the last call."""
        taken, self._left_out = tuple(self._left_out), []
        return taken

    def _passed(self, text: str) -> str:
        out: list[str] = []
        at = 0
        for match in _MARK.finditer(text):
            self._give(text[at : match.start()], out)
            at = match.end()
            self._take_mark(match, out)
        self._give(text[at:], out)
        return "".join(out)

    def _take_mark(self, match: re.Match, out: list[str]) -> None:
        mark, kind = match.group(), match.lastgroup if match.lastgroup != "name" else "tag"
        if kind == "joiner":
            return
        if kind == "entity":
            self._give(html.unescape(mark) if self._is_ssml else mark, out)
            return
        is_one = (
            kind in ("comment", "token", "emoji")
            or (kind == "tag" and self._is_tag(match))
            or (kind == "direction" and is_stage_direction(match.group("direction"), self._before))
        )
        if not is_one or any(pattern.fullmatch(mark) for pattern in self._obeyed):
            self._give(mark, out)
            return
        if mark not in ("<![CDATA[", "]]>"):
            self._left_out.append(mark)
        self._gap = self._gap_for((match.group("name") or "").casefold(), kind)

    def _is_tag(self, match: re.Match) -> bool:
        name = match.group("name").casefold()
        is_one = self._is_ssml or name in _SSML or name.startswith(_VENDORS) or is_vocal_sound(name)
        if name == "speak":
            self._is_ssml = not match.group().startswith("</")
        return is_one

    def _gap_for(self, name: str, kind: str) -> str:
        gap = "\n\n" if name in _PARAGRAPHS else "" if name in _INLINE or kind == "comment" else " "
        return max(gap, self._gap or "", key=len)

    @property
    def _before(self) -> str:
        return "\n" if self._last == "\n" else self._seen

    def _give(self, piece: str, out: list[str]) -> None:
        if self._gap is not None and piece:
            piece = self._closed_up(piece, out)
        if not piece:
            return
        out.append(piece)
        self._last, self._gap = piece[-1], None
        self._seen = (piece.rstrip() or self._seen)[-1:]

    def _closed_up(self, piece: str, out: list[str]) -> str:
        """A piece behind a mark that was left out, so that no two spaces, no space before a full stop and no joined words remain."""
        if not self._last:
            return piece.lstrip()
        if self._gap == "\n\n" and self._last != "\n":
            piece = piece.lstrip()
            return f"\n\n{piece}" if piece else ""
        if not self._last.isspace():
            return piece if piece[0].isspace() or piece[0] in _CLOSES else self._gap + piece
        piece = piece.lstrip(" \t")
        if piece and piece[0] in _CLOSES and out and out[-1].strip(" "):
            out[-1] = out[-1].rstrip(" ")
        return piece
