"""A text as the symbols that Kokoro reads: eSpeak NG's IPA in the letters of misaki 0.9.4, with the text's own punctuation.

The tables are those of misaki's espeak.py, which reads for the official pipeline all languages here but English, and English words that its
lexicon lacks. Departures, all for the better: a point, comma or colon inside a number or an abbreviation makes no pause; a mark or sound
that the model has no symbol for becomes the nearest that it has, where misaki leaves it out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engines.errors import LanguageUnsupported
from engines.kit.phonemes.espeak_library import TIE, ipa
from engines.kit.phonemes.ipa import PHONEME, PHONES, PHONES_BEGIN, PHONES_END, VOWELS, ipa_words, phone_parts, unknown_sign, with_phones
from engines.kokoro.config import VOCAB
from engines.kokoro.front_ends import INSTALLED, phonemes
from engines.text.text_places import TextPlaces
from engines.text.text_splitter import split_text

__all__ = ["ESPEAK_VOICES", "SymbolText", "numbers_of", "phone_places", "read_phones", "symbols_of"]

ESPEAK_VOICES: Mapping[str, str] = MappingProxyType(
    {"en-us": "en-us", "en-gb": "en", "es": "es", "fr": "fr", "hi": "hi", "it": "it", "pt-br": "pt-br"}
)

_SAME_MARK = str.maketrans({
    **dict.fromkeys("«„‟", "“"), "»": "”", **dict.fromkeys("[{", "("), **dict.fromkeys("]}", ")"), **dict.fromkeys("–―‒", "—"),
    **dict.fromkeys("।॥", "."), "’": "'", "−": "-", "¡": "", "¿": "",
})  # fmt: skip
_DASH = re.compile(r"(?<= )-(?= )|--+")
# What makes a pause. Between digits a comma or colon is a part of the number, and a single full stop ends nothing but a sentence.
_MARK = r'[;!?…—"“”()]|\.{2,}|\.(?=[ !?…"”)]*\Z)|(?<!\d)[:,]|[:,](?!\d)'
_MARKS = re.compile(rf"( ?(?:{_MARK})(?: ?(?:{_MARK}))* ?)")
# Of what is longer eSpeak reads the beginning alone: 32 digits in a row, a word of 79 letters of Hindi or 132 of English, 1000 phonemes.
_LONG_WORD = re.compile(r"\d{30}(?=\d)|\S{60}(?=\w)")
_MOST_SOUNDS = 800
_SPELLED = re.compile("[^A-Za-z\u00c0-\u024f\u0900-\u0965 ]")  # neither Latin nor Devanagari: digits, and letters that are said by name
_SOUNDS_OF_LETTER, _SOUNDS_OF_SPELLED = 2, 13  # at most, about

# In their order: longer ones first. A diphthong or affricate is one symbol.
_ENGLISH = (
    ("ʔˌn\u0329", "ʔn"), ("ʔn\u0329", "ʔn"), ("a^ɪ", "I"), ("a^ʊ", "W"), ("d^ʒ", "ʤ"), ("e^ɪ", "A"), ("t^ʃ", "ʧ"), ("ɔ^ɪ", "Y"),
    ("ə^l", "ᵊl"), ("ʲo", "jo"), ("ʲə", "jə"), ("e", "A"), ("ʲ", ""), ("ɚ", "əɹ"), ("r", "ɹ"), ("x", "k"), ("ç", "k"), ("ɐ", "ə"),
    ("ɬ", "l"), ("\u0303", ""),
)  # fmt: skip
_SYLLABIC = re.compile("(\\S)\u0329")
_AMERICAN = (("o^ʊ", "O"), ("ə^ʊ", "Q"), ("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("ː", ""))
_BRITISH = (("e^ə", "ɛː"), ("iə", "ɪə"), ("ə^ʊ", "Q"))
_BOTH = (("o", "ɔ"), ("ɾ", "T"), ("ʔ", "t"), (TIE, ""))
_OTHERS = (
    ("a^ɪ", "I"), ("a^ʊ", "W"), ("d^z", "ʣ"), ("d^ʒ", "ʤ"), ("e^ɪ", "A"), ("o^ʊ", "O"), ("ə^ʊ", "Q"), ("s^s", "S"), ("t^s", "ʦ"),
    ("t^ʃ", "ʧ"), ("ɔ^ɪ", "Y"), ("-", ""), (TIE, ""),
)  # fmt: skip
# Of phones that a text asks for: sounds of two letters that are one symbol, or part of one, and letters that have none.
_ONE_SOUND = re.compile("a[ɪʊ]|[eɔ]ɪ|[oə]ʊ|eə|d[zʒʑ]|t[sʃɕ]")
_VOWEL_SYMBOLS = frozenset(VOWELS + "AIOQWYᵊ")
_STOOD_IN = re.compile("q?ˈiqˈiq")
# What else eSpeak says in these languages, found with 20,000 made-up words of each and words in other scripts: the retroflex l of a letter
# of Marathi's, the syllabic sign of a letter of Hindi's, a sign of the teeth in Italian, a Russian vowel's name in Italian, and the number
# of a sound of eSpeak's own.
_LIKE = {
    "ʉ": "u", "ʏ": "y", "ᵿ": "ʊ", "ɘ": "ə", "ɵ": "o", "ɝ": "ɜɹ", "ɞ": "ɜ", "ɶ": "œ", "ɢ": "ɡ", "ʡ": "ʔ", "ʢ": "ʔ", "ɓ": "b", "ɗ": "d",
    "ʄ": "ɟ", "ɠ": "ɡ", "ʛ": "ɡ", "ɱ": "m", "ʀ": "ʁ", "ʙ": "b", "ɺ": "ɾ", "ʐ": "ʒ", "ʑ": "ʒ", "ɧ": "ʃ", "ħ": "h", "ʕ": "ʁ", "ɦ": "h",
    "ʜ": "h", "ɬ": "l", "ɮ": "l", "ɫ": "l", "ɭ": "l", "ʟ": "l", "ʍ": "w", "ⱱ": "v", "ʱ": "ʰ", "˞": "ɹ", **dict.fromkeys("ʷˠˤⁿˡʼ", ""),
}  # fmt: skip
_NEAREST = {"ɭ": "l", "̩": "ɪ", "̪": "", "ɵ": "o", "1": ""}


@dataclass(frozen=True)
class SymbolText:
    """symbols: of VOCAB alone. lost: letters of eSpeak's for which there is none, nor a near one, in the order in which they come."""

    symbols: str
    lost: str


def symbols_of(text: str, language: str) -> SymbolText:
    """language: a key of ESPEAK_VOICES, or one that a front end reads. Raises LanguageUnsupported for any other."""
    if language in INSTALLED:
        parts = PHONES.split(text)  # every second is phones
        return _kept("".join(part if index % 2 else phonemes(part, language) for index, part in enumerate(parts)))
    if language not in ESPEAK_VOICES:
        raise LanguageUnsupported(hint=f"It reads {', '.join(ESPEAK_VOICES)}.", language=language, n=len(ESPEAK_VOICES))
    said = " ".join(_sentence(sentence, language) for sentence in split_text(text, "sentence"))
    return _kept(said)


def _kept(said: str) -> SymbolText:
    near = "".join(symbol if symbol in VOCAB else _NEAREST.get(symbol, symbol) for symbol in said)
    return SymbolText("".join(s for s in near if s in VOCAB), "".join(s for s in near if s not in VOCAB))


def read_phones(text: str, language: str) -> str:
    """The text with the phones that it asks for as `symbols_of` takes them. Raises TextUnspeakable for one without a symbol."""
    return with_phones(text, lambda word: _symbols(word, language)) if PHONEME in text else text


def phone_places(text: str, language: str) -> TextPlaces:
    """Of what `read_phones` gives in the text."""
    return TextPlaces.of_parts(phone_parts(text, lambda word: _symbols(word, language)))


def _symbols(word: str, language: str) -> str:
    said = "".join(ipa_words(word, language))
    said = said.replace("ɛə", "ɛː") if language == "en-gb" else said
    said = _in_letters(_ONE_SOUND.sub(lambda sound: TIE.join(sound[0]), said), language)
    near = "".join(symbol if symbol in VOCAB else _LIKE.get(symbol, symbol) for symbol in said)
    lost = next((symbol for symbol in near if symbol not in VOCAB and symbol.isalpha()), None)
    if lost is not None:
        raise unknown_sign(lost, word)
    return "".join(symbol for symbol in near if symbol in VOCAB)


def numbers_of(symbols: str, vocab: Mapping[str, int] = VOCAB) -> list[int]:
    """With 0 before and behind them. The row of a voice is that of len(symbols)."""
    return [0, *(vocab[symbol] for symbol in symbols), 0]


def _sentence(text: str, language: str) -> str:
    text = _DASH.sub("—", " ".join(text.translate(_SAME_MARK).split()))
    parts = _MARKS.split(text)
    return "".join(part if index % 2 else _words(part, language) for index, part in enumerate(parts)).strip()


def _words(text: str, language: str) -> str:
    asked = iter(PHONES.findall(text))
    text = PHONES.sub(_stand_in, text)
    said = " ".join(ipa(part, ESPEAK_VOICES[language]) for part in _readable(text)).strip()
    return _STOOD_IN.sub(lambda _: next(asked), _in_letters(said, language))


def _stand_in(phones: re.Match) -> str:
    """A word for eSpeak in place of phones, which no language has, and which begins as they do: what stands before it depends on that."""
    begins = "" if phones[1].lstrip("ˈˌ")[:1] in _VOWEL_SYMBOLS else "q|"
    return f"{PHONES_BEGIN}{begins}'i|q|'i|q{PHONES_END}"


def _in_letters(said: str, language: str) -> str:
    """IPA in the letters of the symbols."""
    if not language.startswith("en"):
        return _replaced(said, _OTHERS)
    said = _SYLLABIC.sub("ᵊ\\1", _replaced(said, _ENGLISH)).replace("\u0329", "")
    return _replaced(said, (*(_AMERICAN if language == "en-us" else _BRITISH), *_BOTH))


def _readable(text: str) -> Iterator[str]:
    """The text in parts that eSpeak reads to their end; most texts are one."""
    part, n_sounds = [], 0
    for word in _LONG_WORD.sub("\\g<0> ", text).split():
        n_spelled = len(_SPELLED.findall(word))
        n = _SOUNDS_OF_LETTER * (len(word) - n_spelled) + _SOUNDS_OF_SPELLED * n_spelled
        if part and n_sounds + n > _MOST_SOUNDS:
            yield " ".join(part)
            part, n_sounds = [], 0
        part.append(word)
        n_sounds += n
    if part:
        yield " ".join(part)


def _replaced(text: str, pairs: Iterable[tuple[str, str]]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text
