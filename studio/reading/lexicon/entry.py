"""LexiconEntry: one written form, and how it is said."""

import re
import unicodedata
from dataclasses import dataclass

from studio.errors import LexiconEntryInvalid

__all__ = ["MOST_FORM_CHARACTERS", "LexiconEntry", "entry_key", "language_code"]

MOST_FORM_CHARACTERS = 200
_LANGUAGE = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8})*")
_UNSAYABLE = frozenset(("Cc", "Cs", "Cn"))  # categories of what no file of XML can hold


@dataclass(frozen=True)
class LexiconEntry:
    """Forms in NFC, with single blanks.

    written: a word or several. said: other letters that are read as it should be, "" where there are none. ipa: its sounds, without
    slashes, "" where they are not known. language: a code that stands for its dialects too, "" for all.
    case: whether it is meant in these capitals alone. whole_word: whether it is not meant inside of longer words; a script without blanks
    knows none.
    """

    written: str
    said: str = ""
    ipa: str = ""
    language: str = ""
    case: bool = False
    whole_word: bool = True

    @property
    def key(self) -> tuple[str, str]:
        """What there is one entry of."""
        return entry_key(self.written, self.language)

    def checked(self) -> "LexiconEntry":
        """As it is kept. Raises LexiconEntryInvalid."""
        written, said = _form("written", self.written), _form("said", self.said)
        ipa = _form("ipa", _without_slashes(self.ipa))
        if not written:
            raise LexiconEntryInvalid("written", sentence="lexicon_written_missing")
        if not (said or ipa):
            hint = "Add other letters for it (said), or its sounds (ipa)."
            raise LexiconEntryInvalid("said", hint=hint, sentence="lexicon_said_missing", name=written)
        language = language_code(self.language)
        if language and not _LANGUAGE.fullmatch(language):
            hint = 'Write it as "en" or "pt-br", or leave it out for all.'
            raise LexiconEntryInvalid("language", hint=hint, sentence="lexicon_language_invalid", name=self.language[:40])
        return LexiconEntry(written, said, ipa, language, self.case, self.whole_word)


def entry_key(written: str, language: str) -> tuple[str, str]:
    """(language, written form), each in one spelling."""
    return language_code(language), _one_spelling(written)


def language_code(written: str) -> str:
    """One spelling of a code: "en_US" is "en-us"."""
    return written.strip().lower().replace("_", "-")


def _form(member: str, text: str) -> str:
    text = _one_spelling(text)
    if len(text) > MOST_FORM_CHARACTERS:
        n, most = len(text), MOST_FORM_CHARACTERS
        raise LexiconEntryInvalid(member, sentence="lexicon_form_too_long", n=n, most=most)
    if any(unicodedata.category(c) in _UNSAYABLE for c in text):
        raise LexiconEntryInvalid(member, sentence="lexicon_form_unwritable")
    return text


def _one_spelling(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _without_slashes(ipa: str) -> str:
    """Of /tə/ and [tə] the sounds."""
    ipa = ipa.strip()
    return ipa[1:-1] if len(ipa) > 1 and ipa[0] + ipa[-1] in ("//", "[]") else ipa
