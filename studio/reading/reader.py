"""Reader: from what is written to what is said, by one way for whole texts and for texts that come in pieces.

The stages, each a function of the text as the one before left it: characters, marks, subtitles, Markdown, lines, dictionary, capitals,
numbers, directions.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from engines.contract.contract import EngineInfo
from engines.text.language_guess import likeliest_language
from engines.text.text_splitter import Granularity, settled_ends
from studio.reading.capitals import capital_replacements
from studio.reading.characters import character_edits
from studio.reading.draft import HELD, Draft, Edit, Kept, Silence, Spoken, joined_pauses
from studio.reading.lexicon.lexicon import NO_LEXICON, Lexicon
from studio.reading.lines import line_edits, subtitle_edits
from studio.reading.markup.markdown import markdown_edits
from studio.reading.markup.marks import MOST_MARK_CHARACTERS, MarkReader
from studio.reading.numbers.abbreviations import has_abbreviation
from studio.reading.numbers.numbers import LANGUAGES, number_replacements
from studio.reading.open_marks import MOST_CLOSING, closing_mark, settled_end
from studio.reading.parts import NOTHING, Part, Pause, Reading, Words
from studio.reading.plain_words import plain_end
from studio.reading.traced_text import Replacement

__all__ = ["AS_WRITTEN", "Manner", "Reader", "prepare", "read"]

# Letters of the ASCII and marks of sentences, in one line: most of what is said. Nothing of it is read otherwise than it is written.
_PROSE = re.compile(r"(?:[A-Za-z]+(?:['’][A-Za-z]+)?(?:[,;:.!?]?[ ]|[.!?]?\Z))+")
_CAPITALS = re.compile(r"[A-Z]{2}|\b[IVXLCDM]\b")
_GUESSED_CHARACTERS = 500  # as many as are looked at
_SPACES = re.compile(r"[^\S \n]+")


@dataclass(frozen=True)
class Manner:
    """How a text is to be read.

    language: its code, None where nobody says. directions: False where what the engine would follow is to be said. is_literal: nothing is
    read, the engine is given what was written.
    """

    language: str | None = None
    directions: bool = True
    is_literal: bool = False
    lexicon: Lexicon = NO_LEXICON


AS_WRITTEN = Manner(is_literal=True)


def read(written: str, info: EngineInfo, manner: Manner = Manner()) -> Reading:
    """What that engine says of a text. For 20,000 characters it takes some 30 ms."""
    return Reader(info, manner).rest(written)


def prepare(info: EngineInfo) -> None:
    """Make what reading needs in that engine's languages, so that no first text waits for it: patterns of numbers, rules of Markdown."""
    for language in LANGUAGES.keys() & set(info.languages):
        _prepare(language)


@lru_cache(len(LANGUAGES))
def _prepare(language: str) -> None:
    markdown_edits("- **1**")
    number_replacements("$5 1/2 3.4.2025, 1990. 2nd", language)


class Reader:
    """`feed` gives what nothing that follows can change: it ends with a sentence, an item or a paragraph. `rest` gives all else."""

    def __init__(self, info: EngineInfo, manner: Manner = Manner(), granularity: Granularity = "sentence", *, by_word: bool = False):
        """granularity: of TextSplitter; with "none" all waits for `rest`. by_word: words that are said as they are written come before."""
        self._info, self._manner = info, manner
        self._granularity: Granularity = granularity
        self._by_word = by_word and not manner.is_literal and manner.lexicon is NO_LEXICON
        self._marks: MarkReader | None = None
        self._waiting = ""
        self._closing: re.Pattern | None = None  # what ends the long mark within which all that waits goes on
        self._offset = 0
        self._known = ""  # of the text, for a guess at its language
        self._has_words = False  # were given
        self._line = ""  # the line that goes on, as far as it was read
        self._silence: tuple[Pause, ...] = ()  # behind what was given: of the layout it waits, what was asked for is given

    @property
    def waiting_characters(self) -> int:
        """Of the text that is held back."""
        return len(self._waiting)

    @property
    def is_literal(self) -> bool:
        """Whether nothing is read: the engine is given what was written."""
        return self._manner.is_literal

    @property
    def has_waiting_words(self) -> bool:
        """Whether anything but blanks is held back."""
        return bool(self._waiting.strip())

    @property
    def ends_with_blank(self) -> bool:
        """Whether white space stands behind the text so far."""
        return self._waiting[-1:].isspace()

    def feed(self, written: str, *, is_over: bool = False) -> Reading:
        """What can be read now of this piece and of what was held. is_over: nothing more seems to come, so that a whole sentence is one."""
        self._waiting += written
        if self._granularity == "none" or self._is_within(written):
            return NOTHING
        if self._manner.is_literal:
            end = max(settled_ends(self._waiting, self._granularity, is_over=is_over), default=0)
        else:
            end = settled_end(self._waiting, self._granularity, starts_line=not self._line, is_over=is_over)
            end = max(end, plain_end(self._waiting, is_start=not self._has_words)) if self._by_word else end
        ready, self._waiting = self._waiting[:end], self._waiting[end:]
        long = len(self._waiting) > MOST_MARK_CHARACTERS and not self._manner.is_literal
        self._closing = closing_mark(self._waiting) if long else None
        reading = self._read(ready)
        if reading.parts and isinstance(last := reading.parts[-1], Pause):
            self._silence = (last,)
            reading = reading if last.is_asked else replace(reading, parts=reading.parts[:-1])
        return reading

    def _is_within(self, written: str) -> bool:
        """Whether all that waits goes on within a long mark, which this piece does not close."""
        at = max(0, len(self._waiting) - len(written) - MOST_CLOSING)
        return self._closing is not None and not self._closing.search(self._waiting, at)

    def rest(self, written: str = "") -> Reading:
        """The rest, at the end of the text."""
        ready, self._waiting = self._waiting + written, ""
        reading = self._read(ready)
        if reading.parts and isinstance(last := reading.parts[-1], Pause) and not last.is_asked:
            return replace(reading, parts=reading.parts[:-1])
        return reading

    def _read(self, written: str) -> Reading:
        if not written:
            return NOTHING
        start, self._offset = self._offset, self._offset + len(written)
        if self._manner.is_literal:
            return Reading((Words(written, start, self._offset),))
        self._known = (self._known + written)[:_GUESSED_CHARACTERS]
        line, self._line = self._line, "" if written.endswith("\n") else (self._line + written).rpartition("\n")[2]
        if not (line or self._silence) and self._manner.lexicon is NO_LEXICON and _is_plain(written):
            self._has_words = True
            return Reading((Words(written, start, self._offset),))
        language = self._manner.language or likeliest_language(self._known)
        draft = Draft(written, start, is_start=not self._has_words)
        draft.edit(character_edits(draft.text))
        self._marks = self._marks or MarkReader(self._info.markup, directions=self._manner.directions)
        draft.edit(self._marks.edits(draft.text, is_start=not self._has_words, starts_line=not line.strip()))
        draft.edit(subtitle_edits(draft.text))
        draft.edit(markdown_edits(draft.text, starts_line=not line))
        draft.edit(line_edits(draft.text, before=line))
        untaken = self._say_as_asked(draft, language)
        draft.edit(_of_words(draft, capital_replacements(draft.plain, language.partition("-")[0])))
        if "numbers" not in self._info.reads:
            draft.edit(_of_words(draft, number_replacements(draft.plain, language)))
        draft.edit(_spaces(draft.text))
        if self._info.leading_direction:
            draft.edit(_leading_directions(draft, self._info.leading_direction, self._manner.directions))
        reading = replace(draft.reading(), untaken=untaken)
        if self._silence and reading.parts:
            reading = replace(reading, parts=tuple(self._behind_silence(reading.parts)))
            self._silence = ()
        self._has_words = self._has_words or any(isinstance(part, Words) for part in reading.parts)
        return reading

    def _behind_silence(self, parts: tuple[Part, ...]) -> Iterator[Part]:
        """The parts of a piece, with the silence that waits for them; what was asked for before stands for that of the layout."""
        before = self._silence[0]
        if not before.is_asked:
            yield from joined_pauses((before, *parts), has_words=True)
        elif isinstance(parts[0], Pause) and not parts[0].is_asked:
            yield from parts[1:]
        else:
            yield from parts

    def _say_as_asked(self, draft: Draft, language: str) -> tuple[str, ...]:
        """By the dictionary. Returns the words whose sounds it knows and the engine does not take."""
        lexicon = self._manner.lexicon
        if lexicon is NO_LEXICON:
            return ()
        takes_phones = self._info.takes_phones(language)
        text = draft.plain
        untaken = tuple(text[one.start : one.end] for one in lexicon.unusable(text, language, takes_phones=takes_phones))
        found = lexicon.replacements(text, language, takes_phones=takes_phones)
        draft.edit(Edit(start, end, held=Spoken(said)) for start, end, said in found)
        return untaken


def _is_plain(written: str) -> bool:
    """Whether no stage would find anything in it."""
    return _PROSE.fullmatch(written) is not None and _CAPITALS.search(written) is None and not has_abbreviation(written)


def _of_words(draft: Draft, replacements: Iterable[Replacement]) -> Iterator[Edit]:
    """Those that reach over no silence, and no mark that is obeyed."""
    text = draft.text
    return (Edit(*one) for one in replacements if not re.search(HELD, text[one.start : one.end]))


def _spaces(text: str) -> Iterator[Edit]:
    """Blanks of any kind are blanks."""
    if text.isascii() and "\t" not in text:
        return
    for match in _SPACES.finditer(text):
        yield Edit(*match.span(), " ")


def _leading_directions(draft: Draft, pattern: str, obeyed: bool) -> Iterator[Edit]:
    """What the engine takes for one at the beginning of what it is given."""
    text, starts = draft.text, [0]
    starts += [match.end() for match in re.finditer(HELD, text) if isinstance(draft.held(match.group()), Silence)]
    leading = re.compile(rf"\s*({pattern})")
    for start in starts:
        if match := leading.match(text, start):
            inner = match[1][1:-1].strip()
            if obeyed:
                yield Edit(*match.span(1), held=Kept(match[1], is_direction=True))
            else:
                yield Edit(*match.span(1), f"{inner}," if inner[-1:].isalnum() else inner)
