"""Marks: SSML, HTML, tokens of models, directions in brackets, emoji, entities, and what a chat model thought before it answered.

The rules, in doubt for the words:

* A tag is one where it is well-formed and its name is an element of SSML or HTML, or a sound (<laugh>); within <speak> any well-formed tag
  is. The words around it stay. So `a < b` and `x <y and z>` are text. Of scripts, styles and drawings nothing is said.
* What asks for a silence is one, at every engine: <break time="1s"/>, [pause:500ms], <#0.5#>.
* <sub alias>, <say-as> of characters and digits, and <phoneme> where the engine takes phones are obeyed; of the rest of SSML the tags are
  left out.
* <|...|> is a control token, of whatever model. Square brackets are a direction where the engine obeys them, or stage_directions.py knows
  it.
* Reasoning stands between <think> and </think>, or what models write instead.
"""

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

from studio.reading.draft import Edit, Kept, Silence, Spoken
from studio.reading.markup.elements import CELLS, SILENCES, UNSAID, is_element, is_inline, is_plain
from studio.reading.markup.pictures import EMOTICON, JOINER, PICTURE
from studio.reading.markup.stage_directions import is_stage_direction, is_vocal_sound
from studio.reading.parts import Kind
from studio.reading.silences import MOST_SECONDS, break_seconds, mark_seconds

__all__ = ["ATTRIBUTE", "FRONT_MATTER", "MOST_MARK_CHARACTERS", "NAME", "REASONING_BEGINS", "MarkReader"]

_LONGEST_NAME = 4  # characters of a formula that only names something, $n$
MOST_MARK_CHARACTERS = 500  # of a comment, or of what an element with a meaning of its own holds

NAME = r"[A-Za-z][\w:.-]*"
_VALUE = r"""(?:"[^"<]*"|'[^'<]*'|[“”][^“”<]*[“”]|[^\s"'“”<>=]+)"""
ATTRIBUTE = rf"\s+[\w:.-]+\s*=\s*{_VALUE}"
_BARE_ATTRIBUTE = (
    r"\s+(?:open|disabled|checked|controls|reversed|selected|hidden|async|defer|required|readonly|multiple|autoplay|loop|muted)(?=[\s/>])"
)
_TAG = rf"</?(?P<name>{NAME})(?P<attributes>(?:{ATTRIBUTE}|{_BARE_ATTRIBUTE})*)\s*/?>"
_ATTRIBUTE_PARTS = re.compile(rf"([\w:.-]+)\s*=\s*({_VALUE})")
_THOUGHTS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_REASONING = (
    rf"<(?P<thought>{_THOUGHTS})\b[^<>]*>(?:.*?</(?P=thought)\s*>|.*\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)"
    r"|<details\s+type=[\"']reasoning[\"'][^<>]*>.*?(?:</details>|\Z)"
    r"|<\|channel\|>(?:analysis|commentary)<\|message\|>.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)|<\|channel\|>final<\|message\|>"
    r"|<\|start\|>[a-z]{1,20}(?=<\|)"
)
FRONT_MATTER = re.compile(r"---[^\S\n]*\n(?=[\w-]+:(?:[ \t]|\n))(?:.{0,4000}?\n)??---[^\S\n]*(?:\n|\Z)", re.DOTALL)  # YAML
_CITATION = r"(?:\[\d{1,3}(?:[,–-]\s?\d{1,3})*\])+(?!\()"
_FORMULA = (  # of LaTeX
    r"\$\$[^$]{1,500}\$\$|\\\[.{1,500}?\\\]|\\\([^\n]{1,300}?\\\)|\\begin\{\w+\*?\}.{1,500}?\\end\{\w+\*?\}"
    r"|(?<![\w$])\$(?=[^\s$])[^$\n]{1,200}(?<=[^\s$])\$(?!\w)"
)
_MARK = re.compile(
    rf"(?P<reasoning>{_REASONING})"
    rf"|(?P<comment><!--.{{0,{MOST_MARK_CHARACTERS}}}?-->|<\?[^<>]*\?>|<![A-Z][^<>]*>|<!\[CDATA\[|\]\]>)"
    r"|(?P<silence><#\s*(?P<seconds>\d{1,4}(?:\.\d{1,4})?)\s*#>)"
    r"|(?P<token><\|[^<>|\s]{1,40}\|>)"
    rf"|(?P<tag>{_TAG})"
    rf"|(?P<footnote>\[\^[^\[\]\s]{{1,40}}\]:?|(?<=[.,;!?”\"»])(?:{_CITATION}|[¹²³⁰⁴-⁹]{{1,3}}(?!\w)))"
    rf"|(?P<formula>{_FORMULA})"
    r"|\[(?P<direction>[^\[\]<>\n]{1,60})\](?!\(|:\s*(?:<|/|\w+://))"  # no link of Markdown
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?<![\w*])\*(?P<star>[^\W\d_][^*\n]{1,39})\*(?![\w*])"
    r"|\((?P<beat>(?:long |short |brief )?(?:pause|beat|silence))\)"
    rf"|(?P<picture>{PICTURE}|{EMOTICON})"
    rf"|(?P<joiner>{JOINER})",
    re.DOTALL,
)
_ORPHAN = re.compile(rf"\A.*?</(?:{_THOUGHTS})\s*>", re.DOTALL)  # of a model whose prompt held the opening tag
_CLOSES = frozenset(".,;:!?…)]}»”’。，！？；：、")
_SPELLED = frozenset(("characters", "character", "spell-out", "verbatim", "digits", "telephone"))
_COMMAND = re.compile(r"\\[A-Za-z]+")
_FORMULA_SIGN = re.compile(r"[\^_=<>+]")
_REFERENCE = re.compile(r"(?:<a\b[^<>]*>)?\s*\[?(?:\d{1,3}|[a-z*†‡]|note \d{1,3})\]?\s*(?:</a>)?", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[^\W\d_]{4}\Z|[.,;:!?”\"»)]\Z")
_READING = re.compile(r"\s*(?:<rb>)?[^<]+(?:</rb>)?\s*(?:<rp>[^<]*</rp>)?\s*<rt>([\u3041-\u30ff\s]+)</rt>\s*(?:<rp>[^<]*</rp>)?\s*")
_REPLACED = ("sub", "say-as", "phoneme", "sup", "ruby")  # elements that may say something else than what they hold
_RAISED = re.compile(r"[-+]?\d{1,3}</sup>", re.IGNORECASE)
REASONING_BEGINS = re.compile(rf"<(?P<thought>{_THOUGHTS})\b[^<>]*>|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>")
_LEFT_OUT_AS: dict[str | None, Kind] = {"reasoning": "reasoning", "picture": "picture"}
_UNIT_BEFORE = re.compile(r"(?:\d|\b(?:k|c|m|d)?m)\Z")


class MarkReader:
    """Reads the marks of one text, which may come in several pieces, each cut where no mark is open.

    obeyed: patterns (re) of what the engine obeys, each of which a mark matches as a whole. directions: False where what it obeys in
    brackets is to be said.
    """

    def __init__(self, obeyed: Sequence[str] = (), *, directions: bool = True):
        self._obeyed = tuple(map(re.compile, obeyed))
        self._directions = directions
        self._is_ssml = False
        self._starts_line = True
        self._seen = ""  # the last character that is said and no space
        self._edits: list[Edit] = []
        self._n_before = 0  # edits before the marks that were left out last
        self._gap: str | None = None  # what stands for them, until something follows
        self._at = 0
        self._last = ""  # the last character of what is kept
        self._closings: dict[str, list[tuple[int, int]]] = {}  # of the elements met so far, in this piece

    def edits(self, text: str, *, is_start: bool = True, starts_line: bool = True) -> list[Edit]:
        """In order. is_start: nothing was said before this piece. starts_line: it begins a line."""
        self._edits, self._n_before, self._gap, self._at, self._last = [], 0, None, 0, "" if is_start else "x"
        self._closings, self._starts_line = {}, starts_line
        begin = self._orphan_end(text) if is_start and "</" in text else 0
        if begin:
            self._drop(0, begin, "reasoning", "")
        elif is_start and (matter := FRONT_MATTER.match(text)):
            begin = matter.end()
            self._drop(0, begin, "code", "")
        for match in _MARK.finditer(text, begin):
            if match.start() >= self._at:  # else it lies within an element that was taken as a whole
                self._take(text, match)
        self._pass(text, len(text))
        return self._edits

    def _orphan_end(self, text: str) -> int:
        """Behind reasoning whose beginning was in the model's prompt; 0 for none."""
        orphan = _ORPHAN.match(text)
        return orphan.end() if orphan and not REASONING_BEGINS.search(orphan.group()) else 0

    def _take(self, text: str, match: re.Match) -> None:
        start, end, mark = match.start(), match.end(), match.group()
        kind = match.lastgroup  # the outermost, since it ends last
        if kind == "tag":
            self._take_tag(text, match)
        elif kind in ("direction", "star", "beat"):
            self._take_direction(text, match, kind)
        elif kind == "formula":
            self._take_formula(text, start, end)
        elif kind == "entity":
            self._take_entity(text, start, end)
        elif kind == "silence":
            self._be_silent(text, start, end, min(float(match["seconds"]), MOST_SECONDS))
        elif kind == "reasoning" and self._is_talked_about(text, match):
            self._leave_out(text, start, start + mark.index(">") + 1, "markup", " ")
        elif kind == "joiner":
            self._leave_out(text, start, end, "invisible", "")
        elif kind != "footnote" and self._is_obeyed(mark):
            self._put(text, Edit(start, end, held=Kept(mark)))
        else:
            self._leave_out(text, start, end, _LEFT_OUT_AS.get(kind, "markup"), "" if kind == "comment" else " ")

    def _take_entity(self, text: str, start: int, end: int) -> None:
        """What it stands for is read as if it were written."""
        mark = text[start:end]
        said = html.unescape(mark)
        if said == mark:
            return
        if not said:
            self._leave_out(text, start, end, "invisible", "")
        elif said.isspace():
            self._put(text, Edit(start, end, " ", kind="layout"), " ")
        elif unicodedata.category(said[0]) == "Cf" and said != "\u200c":
            self._leave_out(text, start, end, "invisible", "")
        elif re.fullmatch(PICTURE, said) and not self._is_obeyed(said):
            self._leave_out(text, start, end, "picture", " ")
        else:
            self._put(text, Edit(start, end, said), said[-1])

    def _take_formula(self, text: str, start: int, end: int) -> None:
        """Nobody hears what commands of LaTeX mean; of a plain formula all but its marks is said."""
        mark = text[start:end]
        if _COMMAND.search(mark):
            self._leave_out(text, start, end, "code", " ")
        elif _FORMULA_SIGN.search(mark) or len(mark) <= _LONGEST_NAME:
            width = 1 if mark[0] == "$" != mark[1] else 2
            self._leave_out(text, start, start + width, "layout", "")
            self._leave_out(text, end - width, end, "layout", "")

    def _is_talked_about(self, text: str, match: re.Match) -> bool:
        """Whether <think> is a word within a line, and no beginning: nothing ends it."""
        mark = match.group()
        is_open = match["thought"] is not None and "</" not in mark
        _, line_end, ahead = text[: match.start()].rpartition("\n")
        return is_open and (bool(ahead.strip()) or not (line_end or self._starts_line))

    # --- tags

    def _take_tag(self, text: str, match: re.Match) -> None:
        start, end, mark = match.start(), match.end(), match.group()
        name, closes = match["name"].casefold(), mark.startswith("</")
        if self._is_obeyed(mark):
            self._put(text, Edit(start, end, held=Kept(mark)))
            return
        if not (self._is_ssml or is_element(name) or is_vocal_sound(name)) or self._compares(text, match, name):
            return
        if name == "speak":
            self._is_ssml = not closes
        attributes = _attributes(match["attributes"])
        whole = None if closes or mark.endswith("/>") else self._whole(text, match, name, attributes)
        if whole is not None:
            gap = "" if is_inline(name) or name in ("rt", "rp") else " "
            self._put(text, whole, "x") if whole.kind is None else self._leave_out(text, whole.start, whole.end, whole.kind, gap)
        elif name == "break" and (seconds := break_seconds(attributes)) is not None:
            self._be_silent(text, start, end, seconds)
        elif name in SILENCES:
            self._be_silent(text, start, end, SILENCES[name], is_asked=False)
        elif name == "img" and (alt := attributes.get("alt", "").strip()):
            self._put(text, Edit(start, end, held=Spoken(alt)))
        elif name == "sup" and not closes and _RAISED.match(text, end) and _UNIT_BEFORE.search(text[max(0, start - 3) : start]):
            self._put(text, Edit(start, end, "^"))
        else:
            self._leave_out(text, start, end, _kind_of_tag(name, attributes), ", " if name in CELLS else "" if is_inline(name) else " ")

    def _compares(self, text: str, match: re.Match, name: str) -> bool:
        """Whether "a<b>c" compares: a name of one letter between words, which nothing closes."""
        if len(name) > 1 or self._is_ssml or match["attributes"] or match.group()[1] == "/":
            return False
        beside = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        return all(c.isalnum() for c in beside) and self._closing(text, name, match.end()) is None

    def _whole(self, text: str, match: re.Match, name: str, attributes: dict[str, str]) -> Edit | None:
        """Of an element that is taken with what it holds; None where only its tags are."""
        closing = self._closing(text, name, match.end()) if name in UNSAID or name in _REPLACED else None
        if closing is None:
            return None
        start, end, inner = match.start(), closing[1], text[match.end() : closing[0]]
        if name in UNSAID:
            return Edit(start, end, kind="layout" if not any(map(str.isalnum, inner)) else "markup" if name in ("rt", "rp") else "code")
        if len(inner) > MOST_MARK_CHARACTERS:
            return None
        if name == "phoneme" and self._is_obeyed(text[start:end]):
            return Edit(start, end, held=Kept(text[start:end]))
        if name == "sup":
            is_reference = _REFERENCE.fullmatch(inner) and ("#" in inner or _WORD_BEFORE.search(text[max(0, start - 4) : start]))
            return Edit(start, end, kind="markup") if is_reference else None
        said = _said_instead(name, attributes, inner)
        return Edit(start, end, held=Spoken(said)) if said else None

    def _closing(self, text: str, name: str, at: int) -> tuple[int, int] | None:
        """Where the next tag that closes it stands."""
        if name not in self._closings:
            found = re.finditer(rf"</{re.escape(name)}\s*>", text, re.IGNORECASE)
            self._closings[name] = [match.span() for match in found]
        spans = self._closings[name]
        number = bisect_left(spans, (at,))
        return spans[number] if number < len(spans) else None

    # --- directions

    def _take_direction(self, text: str, match: re.Match, kind: str) -> None:
        start, end, mark = match.start(), match.end(), match.group()
        inner = match[kind]
        if kind == "star":
            if is_vocal_sound(inner.split()[0]) and is_stage_direction(inner, "\n"):
                self._leave_out(text, start, end, "markup", " ")
            return
        seconds = mark_seconds(inner)
        if seconds is not None and (any(map(str.isdigit, inner)) or not self._is_obeyed(mark)):
            self._be_silent(text, start, end, seconds)
        elif kind == "direction" and self._is_obeyed(mark):
            if self._directions:
                self._put(text, Edit(start, end, held=Kept(mark, is_direction=True)))
            else:
                self._put(text, Edit(start, end, inner.strip()), "x")
        elif kind == "direction" and is_stage_direction(inner, self._before(text, start)):
            self._leave_out(text, start, end, "markup", " ")

    def _before(self, text: str, start: int) -> str:
        """The last character that is said before this place, or a line end."""
        self._pass(text, start)
        return "\n" if self._last == "\n" else self._seen

    def _is_obeyed(self, mark: str) -> bool:
        return any(pattern.fullmatch(mark) for pattern in self._obeyed)

    # --- what comes of them

    def _put(self, text: str, edit: Edit, last: str = "x") -> None:
        self._pass(text, edit.start)
        self._close_up(text, edit.start, "x")
        self._edits.append(edit)
        self._at, self._last, self._seen, self._gap = edit.end, last, last.strip() or self._seen, None

    def _be_silent(self, text: str, start: int, end: int, seconds: float, *, is_asked: bool = True) -> None:
        self._pass(text, start)
        self._edits.append(Edit(start, end, held=Silence(seconds, is_asked), kind=None if is_asked else "layout"))
        self._at, self._last, self._gap = end, "\n", None

    def _leave_out(self, text: str, start: int, end: int, kind: Kind, gap: str) -> None:
        self._pass(text, start)
        self._drop(start, end, kind, gap)

    def _drop(self, start: int, end: int, kind: Kind, gap: str) -> None:
        if self._gap is None:
            self._n_before = len(self._edits)
        self._edits.append(Edit(start, end, kind=kind))
        self._gap = max(gap, self._gap or "", key=len)
        self._at = end

    def _pass(self, text: str, until: int) -> None:
        """Keep what is up to there; behind a mark that was left out so that no two blanks and no joined words remain."""
        start = self._at
        if start >= until:
            return
        self._at = until
        if self._gap is not None:
            blanks = len(text[start:until]) - len(text[start:until].lstrip(" \t"))
            is_at_edge = not self._last or self._last.isspace()
            if (is_at_edge or self._gap == ", ") and blanks:
                self._edits[-1] = self._edits[-1]._replace(end=start + blanks)
                start += blanks
            if start >= until:
                return
            self._close_up(text, start, text[start])
            self._gap = None
        self._last = text[until - 1]
        self._seen = (text[start:until].rstrip() or self._seen)[-1:]

    def _close_up(self, text: str, at: int, following: str) -> None:
        """Put what parts two words in the place of the marks that stood between them."""
        if self._gap is None or not self._last:
            return
        if not self._last.isspace():
            if not (following.isspace() or following in _CLOSES):
                self._edits[-1] = self._edits[-1]._replace(said=self._gap)
        elif following in _CLOSES and self._last != "\n":
            first = self._edits[self._n_before]
            least = self._edits[self._n_before - 1].end if self._n_before else 0
            start = max(least, len(text[: first.start].rstrip(" \t")))
            self._edits[self._n_before] = first._replace(start=start)


def _attributes(written: str | None) -> dict[str, str]:
    return {name.casefold(): value.strip("\"'“”") for name, value in _ATTRIBUTE_PARTS.findall(written or "")}


def _said_instead(name: str, attributes: dict[str, str], inner: str) -> str:
    """What an element says in the place of what it holds; "" for that itself."""
    if name == "sub":
        return attributes.get("alias", "").strip()
    if name == "ruby":
        pairs = list(_READING.finditer(inner))
        return "".join(pair[1] for pair in pairs) if "".join(pair[0] for pair in pairs) == inner else ""
    if name == "say-as" and attributes.get("interpret-as", "").casefold() in _SPELLED and "<" not in inner:
        return " ".join(filter(str.isalnum, inner))
    return ""


def _kind_of_tag(name: str, attributes: dict[str, str]) -> Kind:
    if "href" in attributes or "src" in attributes:
        return "address"
    return "layout" if is_plain(name) else "markup"
