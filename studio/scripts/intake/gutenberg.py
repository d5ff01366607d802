"""What Project Gutenberg puts around a book: its header and its license, which are not part of it."""

import re
from dataclasses import dataclass

__all__ = ["UnwrappedBook", "is_gutenberg_end", "is_gutenberg_start", "without_gutenberg"]

_START = re.compile(r"^[* ]{0,4}\*{3}\s?START OF (?:THE|THIS) PROJECT GUTENBERG EBOOK.*\n?(?:.*\*{3}[ ]*\n)?", re.MULTILINE | re.IGNORECASE)
_OLD_START = re.compile(r"^\*END\*?.{0,10}THE SMALL PRINT!.*\n(?:.*\n)?", re.MULTILINE | re.IGNORECASE)
_END = re.compile(
    r"^[* ]{0,4}\*{3}\s?END OF (?:THE|THIS) PROJECT GUTENBERG EBOOK.*|^(?:The )?End of (?:the |this )?Project Gutenberg(?:'s|’s)?\b.*",
    re.MULTILINE | re.IGNORECASE,
)
_FIELD = re.compile(r"^(Title|Author|Language|Release Date|Translator|Editor|Illustrator):[ \t]*(.+(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_LOOKED_AT = 30_000  # characters of the header
_CREDITS = re.compile(
    r"\s*(?:(?:E-?text |This etext was |This eBook was )?(?:produced|prepared|transcribed|scanned)(?: and proofread)? by\b.*\n(?:.+\n)*)",
    re.IGNORECASE,
)
_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt", "dutch": "nl",
    "chinese": "zh", "japanese": "ja", "russian": "ru", "finnish": "fi", "swedish": "sv", "polish": "pl", "greek": "el", "latin": "la",
    "danish": "da", "norwegian": "no", "hungarian": "hu", "esperanto": "eo", "czech": "cs", "catalan": "ca", "tagalog": "tl",
}  # fmt: skip


@dataclass(frozen=True)
class UnwrappedBook:
    """text: of the book alone. n_left_out: characters of header and license, 0 where there are none."""

    text: str
    title: str = ""
    author: str = ""
    language: str | None = None
    n_left_out: int = 0


def without_gutenberg(text: str) -> UnwrappedBook:
    """The text as it is where none of the marks stands in it."""
    start = _START.search(text, 0, _LOOKED_AT) or _OLD_START.search(text, 0, _LOOKED_AT)
    end = _END.search(text, start.end() if start else 0)
    if start is None and end is None:
        return UnwrappedBook(text)
    first = start.end() if start else 0
    credits_ = _CREDITS.match(text, first) if start else None
    first = credits_.end() if credits_ else first
    book = text[first : end.start() if end else len(text)]
    fields = {found[1]: " ".join(found[2].split()) for found in _FIELD.finditer(text, 0, first)}
    language = _LANGUAGES.get(fields.get("Language", "").split(",")[0].strip().lower())
    return UnwrappedBook(book, fields.get("Title", ""), fields.get("Author", ""), language, len(text) - len(book))


def is_gutenberg_start(passage: str) -> bool:
    """Whether the book begins behind this paragraph."""
    return _START.match(passage) is not None


def is_gutenberg_end(passage: str) -> bool:
    """Whether the book ends before this paragraph."""
    return _END.match(passage) is not None
