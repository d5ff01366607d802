"""Lexicon: finds the written forms of a pronunciation dictionary in a text, and says what stands instead.

Of forms that begin at one place the longest counts; of entries for one form that of the nearest language, then one that minds its capitals.
What stands instead is never searched again: callers get replacements of the text as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from studio.errors import LexiconFull
from studio.reading.lexicon.entry import LexiconEntry, entry_key, language_code
from studio.reading.lexicon.folding import FoldedText, folded, plain
from studio.reading.lexicon.word_edges import RUNS, begins_word, ends_word, is_without_blanks
from studio.reading.traced_text import Replacement

__all__ = ["MOST_ENTRIES", "NO_LEXICON", "Lexicon", "LexiconMatch"]

MOST_ENTRIES = 5_000
_PREFIX = 2  # characters by which forms are looked up that may begin anywhere


class LexiconMatch(NamedTuple):
    """text[start:end] is the written form of entries, the preferred first; there is at least one."""

    start: int
    end: int
    entries: tuple[LexiconEntry, ...]


class Lexicon:
    """Immutable; any thread may ask. entries: in the order in which they were made, one for a key each.

    Keeps one table per set of entries that a language has, so at most one more than its entries have languages.
    """

    def __init__(self, entries: Iterable[LexiconEntry] = (), first: Iterable[LexiconEntry] = ()):
        """entries: as `checked` gives them; of two with one key the last counts. first: of a dictionary that goes before this one: of its
        forms its entries count, whatever language the others are of. Raises LexiconFull, for more entries than MOST_ENTRIES of either.
        """
        before, behind = ({entry.key: entry for entry in some} for some in (first, entries))
        for kept in (before, behind):
            if len(kept) > MOST_ENTRIES:
                raise LexiconFull(len(kept), MOST_ENTRIES)
        self._entries, self._first = behind | before, frozenset(before)
        self._languages = frozenset(language for language, _ in self._entries)
        self._tables: dict[tuple[str, ...], _Table] = {}

    @property
    def entries(self) -> tuple[LexiconEntry, ...]:
        return tuple(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, written: str, language: str = "") -> LexiconEntry | None:
        """Of that language itself, not of one that stands for it."""
        return self._entries.get(entry_key(written, language))

    def matches(self, text: str, language: str) -> list[LexiconMatch]:
        """In order, not overlapping. language: of the text; "" where nobody knows it: then only entries for all languages count."""
        language = language_code(language)
        chain = tuple(code for code in _chain(language) if code in self._languages)
        if not chain or not text:
            return []
        if chain not in self._tables:
            meant = [entry for entry in self._entries.values() if entry.language in chain]
            self._tables[chain] = _Table(sorted(meant, key=lambda entry: self._rank(entry, chain)))
        return list(self._tables[chain].matches(text, language))

    def replacements(self, text: str, language: str, *, takes_phones: bool) -> list[Replacement]:
        """What stands instead of which words. takes_phones: whether the engine obeys <phoneme alphabet="ipa">."""
        found = ((match, _usable(match.entries, takes_phones)) for match in self.matches(text, language))
        return [
            Replacement(match.start, match.end, _instead(entry, text[match.start : match.end], takes_phones))
            for match, entry in found
            if entry is not None
        ]

    def unusable(self, text: str, language: str, *, takes_phones: bool) -> list[LexiconMatch]:
        """The words that stay as they are written, since nothing but their sounds is known and the engine takes none."""
        return [match for match in self.matches(text, language) if _usable(match.entries, takes_phones) is None]

    def _rank(self, entry: LexiconEntry, chain: Sequence[str]) -> tuple[bool, int, bool]:
        """Smaller is preferred. chain: codes that stand for the language, the nearest first."""
        return entry.key not in self._first, chain.index(entry.language), not entry.case


class _Table:
    """The entries for one language, to be found fast: forms that begin with a whole word by that word, others by how they begin."""

    def __init__(self, entries: Sequence[LexiconEntry]):
        """entries: in the order in which they are preferred."""
        self._by_form: dict[str, list[LexiconEntry]] = {}
        for entry in entries:
            self._by_form.setdefault(folded(entry.written), []).append(entry)
        by_word: dict[str, set[int]] = {}
        anywhere: dict[str, set[int]] = {}
        for form, meant in self._by_form.items():
            word = RUNS.match(form)
            if word is not None and all(entry.whole_word for entry in meant):
                by_word.setdefault(word.group(), set()).add(len(form))
            else:
                anywhere.setdefault(form[:_PREFIX], set()).add(len(form))
        self._by_word = {word: sorted(lengths, reverse=True) for word, lengths in by_word.items()}
        self._anywhere = {prefix: sorted(lengths, reverse=True) for prefix, lengths in anywhere.items()}

    def matches(self, text: str, language: str) -> Iterator[LexiconMatch]:
        searched = FoldedText(text)
        end = 0
        for at, lengths in self._places(searched.text):
            if at < end:
                continue
            for length in lengths:
                match = self._match(text, searched, at, at + length, language)
                if match is not None:
                    yield match
                    end = at + length
                    break

    def _places(self, text: str) -> list[tuple[int, list[int]]]:
        """(where forms may begin, how long they are, longest first), in order."""
        by_word, anywhere = self._by_word, self._anywhere
        places = [(m.start(), by_word[m.group()]) for m in RUNS.finditer(text) if m.group() in by_word] if by_word else []
        if anywhere:
            places += [(at, anywhere[text[at : at + _PREFIX]]) for at in range(len(text)) if text[at : at + _PREFIX] in anywhere]
            places += [(at, anywhere[c]) for at, c in enumerate(text) if c in anywhere]
            merged: dict[int, set[int]] = {}
            for at, lengths in places:
                merged.setdefault(at, set()).update(lengths)
            places = [(at, sorted(merged[at], reverse=True)) for at in sorted(merged)]
        return places

    def _match(self, text: str, searched: FoldedText, at: int, end: int, language: str) -> LexiconMatch | None:
        meant = self._by_form.get(searched.text[at:end], ())
        place = searched.written(at, end) if meant else None
        if place is None:
            return None
        is_word = begins_word(searched.text, at, language) and ends_word(searched.text, end, language)
        entries = [entry for entry in meant if _is_meant(entry, text[slice(*place)], is_word=is_word)]
        return LexiconMatch(*place, tuple(entries)) if entries else None


NO_LEXICON = Lexicon()


def _chain(language: str) -> Iterator[str]:
    """The codes that stand for it, the nearest first: "en-us", "en", ""."""
    while language:
        yield language
        language = language.rpartition("-")[0]
    yield ""


def _is_meant(entry: LexiconEntry, written: str, *, is_word: bool) -> bool:
    if entry.whole_word and not is_word and not is_without_blanks(entry.written):
        return False
    return not entry.case or plain(written) == plain(entry.written)


def _usable(entries: Sequence[LexiconEntry], takes_phones: bool) -> LexiconEntry | None:
    return next((entry for entry in entries if entry.said or takes_phones), None)


def _instead(entry: LexiconEntry, written: str, takes_phones: bool) -> str:
    if entry.ipa and takes_phones:
        return f'<phoneme alphabet="ipa" ph="{escape(entry.ipa)}">{escape(written, quote=False)}</phoneme>'
    return entry.said
