"""PLS 1.0, the W3C's pronunciation lexicon (https://www.w3.org/TR/pronunciation-lexicon/), read and written.

A lexeme becomes an entry per grapheme, with its first or preferred alias as `said` and its first or preferred phoneme as `ipa`. What PLS
cannot hold stands in attributes of a namespace of ours, NAMESPACE, on <lexeme>: `language` where it differs from the document's,
`case="true"`, `whole-word="false"`. A document of one language names it; of several, or of entries for all, it is "und". A program that
knows nothing of the namespace still reads all forms.

Documents are trusted with nothing: a doctype is refused, so there are neither entities nor anything to fetch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from studio.errors import LexiconFileInvalid
from studio.reading.lexicon.entry import LexiconEntry, language_code
from studio.reading.lexicon.lexicon_file import LexiconFile, check_size, gathered

__all__ = ["NAMESPACE", "PLS", "read_pls", "written_pls"]

PLS = "http://www.w3.org/2005/01/pronunciation-lexicon"
NAMESPACE = "urn:voice-cloning-studio:lexicon"
_XML_LANGUAGE = "http://www.w3.org/XML/1998/namespace lang"
_ALL_LANGUAGES = ("", "und", "mul")
_FORMS = ("grapheme", "alias", "phoneme")
_SPOKEN = {"true": True, "1": True, "false": False, "0": False}


def read_pls(data: bytes) -> LexiconFile:
    """Raises LexiconFileInvalid, LexiconFull."""
    check_size(data)
    document = _Document()
    document.parse(data)
    return gathered(document.entries(), document.passed_over)


def written_pls(entries: Sequence[LexiconEntry]) -> bytes:
    """UTF-8; read_pls gives the same entries."""
    languages = {entry.language for entry in entries}
    own = next(iter(languages)) if len(languages) == 1 else ""
    head = f'xmlns="{PLS}" xmlns:studio="{NAMESPACE}" alphabet="ipa" xml:lang="{own or "und"}"'
    lexemes = "".join(_written(entry, own) for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<lexicon version="1.0" {head}>\n{lexemes}</lexicon>\n'.encode()


def _written(entry: LexiconEntry, own: str) -> str:
    language = "" if entry.language == own else f" studio:language={quoteattr(entry.language)}"
    case = ' studio:case="true"' if entry.case else ""
    inside = "" if entry.whole_word else ' studio:whole-word="false"'
    forms = [("grapheme", entry.written), ("phoneme", entry.ipa), ("alias", entry.said)]
    held = "".join(f"    <{name}>{escape(form)}</{name}>\n" for name, form in forms if form)
    return f"  <lexeme{language}{case}{inside}>\n{held}  </lexeme>\n"


@dataclass
class _Form:
    """line: where it begins. alphabet: of a phoneme."""

    line: int
    name: str
    is_preferred: bool
    alphabet: str
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()


@dataclass
class _Lexeme:
    line: int
    language: str
    case: bool
    whole_word: bool
    forms: list[_Form] = field(default_factory=list)


class _Document:
    """passed_over: of what was read, the forms that became no entry."""

    def __init__(self):
        self.passed_over: list[str] = []
        self._lexemes: list[_Lexeme] = []
        self._language = self._alphabet = ""
        self._open: list[str] = []  # names of the elements that are open, "" for those of other namespaces
        self._form: _Form | None = None
        self._parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def parse(self, data: bytes) -> None:
        """Raises LexiconFileInvalid."""
        try:
            self._parser.Parse(data, True)
        except (expat.ExpatError, LookupError, ValueError) as error:  # the latter of encodings that Python does not know, or cannot use
            line = getattr(error, "lineno", self._parser.CurrentLineNumber)
            reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else "unknown encoding"
            raise LexiconFileInvalid(line, f"it is no well-formed XML ({reason})") from error

    def entries(self) -> Iterator[tuple[int, LexiconEntry]]:
        """(line, entry) as they stand there. Raises LexiconFileInvalid."""
        for lexeme in self._lexemes:
            graphemes = [form for form in lexeme.forms if form.name == "grapheme"]
            if not graphemes:
                raise LexiconFileInvalid(lexeme.line, "a <lexeme> needs a <grapheme>")
            said, ipa = self._chosen(lexeme, "alias"), self._chosen(lexeme, "phoneme")
            for grapheme in graphemes:
                yield grapheme.line, LexiconEntry(grapheme.text, said, ipa, lexeme.language, lexeme.case, lexeme.whole_word)

    def _chosen(self, lexeme: _Lexeme, name: str) -> str:
        forms = [form for form in lexeme.forms if form.name == name]
        forms.sort(key=lambda form: not form.is_preferred)
        self.passed_over += [f"line {form.line}: another <{name}>, {form.text!r}" for form in forms[1:]]
        if forms and forms[0].alphabet != "ipa":
            fact = f"the alphabet {forms[0].alphabet!r} of a <phoneme> is not known here; write it in ipa"
            raise LexiconFileInvalid(forms[0].line, fact)
        return forms[0].text if forms else ""

    # --- what the parser tells

    def _doctype(self, *_: object) -> None:
        self._refuse("a dictionary has no doctype")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = self._plain(name)
        if not self._open:
            self._begin(name, attributes)
        elif self._form is not None:
            self._refuse(f"a <{self._form.name}> holds text alone")
        elif name == "lexeme":
            if self._open != ["lexicon"]:
                self._refuse("a <lexeme> stands in <lexicon>")
            self._lexemes.append(self._lexeme(attributes))
        elif name in _FORMS and self._open[-1] == "lexeme":
            alphabet = attributes.get("alphabet", self._alphabet).lower() if name == "phoneme" else "ipa"
            self._form = _Form(self._line, name, self._flag(attributes, "prefer", False), alphabet)
            self._lexemes[-1].forms.append(self._form)
        self._open.append(name)

    def _end(self, name: str) -> None:
        self._open.pop()
        self._form = None

    def _text(self, text: str) -> None:
        if self._form is not None:
            self._form.pieces.append(text)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name != "lexicon":
            self._refuse(f"the document is no <lexicon> of {PLS}")
        self._alphabet = attributes.get("alphabet", "ipa").lower()
        self._language = attributes.get(_XML_LANGUAGE, "")

    def _lexeme(self, attributes: dict[str, str]) -> _Lexeme:
        language = language_code(attributes.get(f"{NAMESPACE} language", attributes.get(_XML_LANGUAGE, self._language)))
        language = "" if language in _ALL_LANGUAGES else language
        case = self._flag(attributes, f"{NAMESPACE} case", False)
        return _Lexeme(self._line, language, case, self._flag(attributes, f"{NAMESPACE} whole-word", True))

    def _flag(self, attributes: dict[str, str], name: str, default: bool) -> bool:
        written = attributes.get(name)
        if written is not None and written.strip() not in _SPOKEN:
            self._refuse(f"the attribute {name.rpartition(' ')[2]} is true or false, not {written[:40]!r}")
        return default if written is None else _SPOKEN[written.strip()]

    def _plain(self, name: str) -> str:
        """Of PLS, or of no namespace, the element's name; of another namespace ""."""
        space, _, local = name.rpartition(" ")
        return local if space in (PLS, "") else ""

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _refuse(self, rule: str) -> None:
        raise LexiconFileInvalid(self._line, rule)
