"""Phones that a text asks for, as IPA in an element of SSML: <phoneme alphabet="ipa" ph="təˈmeɪtoʊ">tomato</phoneme>.

An engine that obeys it declares PHONEME_MARKUP. It gets the element within its text and puts there, by `with_phones`, how its model spells
those phones. The signs are those of the chart of the International Phonetic Association; any other is refused by its name.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from html import unescape

from engines.errors import TextUnspeakable

__all__ = [
    "LETTERS",
    "PHONEME",
    "PHONEME_MARKUP",
    "PHONES",
    "PHONES_BEGIN",
    "PHONES_END",
    "VOWELS",
    "ipa_words",
    "phone_parts",
    "unknown_sign",
    "with_phones",
    "without_phones",
]

_ATTRIBUTE = r"""(?:"[^"<>]*"|'[^'<>]*')"""
_OPENS = rf"<phoneme(?=\s)(?=[^<>]*\sph\s*=\s*{_ATTRIBUTE})(?![^<>]*\salphabet\s*=\s*(?![\"']ipa[\"']))[^<>]*>"
PHONEME = "phoneme"  # where it does not stand in a text, no phones are asked for
_CLOSES = r"</phoneme\s*>"
PHONEME_MARKUP: tuple[str, ...] = (rf"{_OPENS}[^<>]*{_CLOSES}",)  # of EngineInfo.markup: an element as a whole
_ELEMENT = re.compile(
    rf"(?P<elided>(?<!\w)(?:[cdjlmnst]|qu)['’])?(?P<opens>{_OPENS})(?:(?<!/>)(?P<written>[^<>]*){_CLOSES})?(?P<genitive>['’]s(?!\w))?|{_CLOSES}",
    re.IGNORECASE,
)
_PH = re.compile(rf"\sph\s*=\s*(?P<ph>{_ATTRIBUTE})")
# Around an engine's own letters within a text; of the Private Use Area, so that no text that is typed has them (spoken_pieces.speakable).
PHONES_BEGIN, PHONES_END = "\ue000", "\ue001"
PHONES = re.compile(f"{PHONES_BEGIN}([^{PHONES_END}]*){PHONES_END}")

VOWELS = "iyɨʉɯuɪʏᵻᵿʊeøɘɵɤoəɚɛœɜɝɞʌɔæɐaɶɑɒ"
_CONSONANTS = "pbtdʈɖcɟkɡqɢʔʡʢɓɗʄɠʛmɱnɳɲŋɴrɾɽʀʙɺɸβfvθðszʃʒʂʐɕʑçʝxɣɧχʁħʕhɦʜɬɮlɫɭʎʟwʋʍɥɹɻjɰⱱǀǁǂǃʘ"
LETTERS = VOWELS + _CONSONANTS
_MODIFIERS = "ːˑʰʱʲʷˠˤⁿˡ˞ʼ̴̩̯̥̬̪̺̻̃̈̽̆̊̍̚" + "".join(map(chr, (*range(0x318, 0x321), 0x324, 0x330, 0x339, 0x33C)))
_STRESSES = "ˈˌ"
_LEFT_OUT = "͜͡.‿|‖ˑ"  # ties, and ends of syllables and feet
_SPELLED = {
    "g": "ɡ", "'": "ˈ", "’": "ˈ", ":": "ː", "ʧ": "tʃ", "ʤ": "dʒ", "ʦ": "ts", "ʣ": "dz", "ʨ": "tɕ", "ʥ": "dʑ", "c̡": "ç", "ɩ": "ɪ", "ɷ": "ʊ",
}  # fmt: skip
_KNOWN = frozenset(LETTERS + _MODIFIERS + _STRESSES)
_ONSET = re.compile(f"([{_STRESSES}])([^{VOWELS}{_STRESSES}]+)(?=[{VOWELS}])")
_SCHWAS = "əɚᵻ"
_ELIDED = {"c": "s", "j": "ʒ", "qu": "k"}  # of l'eau, j'ai, qu'on: the sound, where it is not the letter
_HISSES, _VOICELESS = "szʃʒ", "ptkfθ"
_STRESSED_LAST = ("fr",)


def with_phones(text: str, spell: Callable[[str], str]) -> str:
    """The text with PHONES_BEGIN, what `spell` makes of it, PHONES_END in place of each word of an element's IPA.

    An element without phones is what stands in it. Raises TextUnspeakable for a sign that is not of the IPA, and what `spell` raises.
    """
    return "".join(part for _, _, part in phone_parts(text, spell))


def phone_parts(text: str, spell: Callable[[str], str]) -> Iterator[tuple[int, int, str]]:
    """The same in parts: (start, end, what stands in place of text[start:end])."""
    at = 0
    for element in _ELEMENT.finditer(text):
        yield at, element.start(), text[at : element.start()]
        yield *element.span(), _spelled(element, spell)
        at = element.end()
    yield at, len(text), text[at:]


def without_phones(text: str) -> str:
    """The text as it is written: elements of phones are what stands in them."""
    return _ELEMENT.sub(_written, text)


def ipa_words(ipa: str, language: str = "") -> list[str]:
    """Words of IPA in one spelling: letters and marks apart (NFD), no ties, no ends of syllables, stress before its vowel, on one at least.

    language: of the text, for what dictionaries of a language write broadly: /r/ and /e/ of English, and where French puts a stress that
    nobody writes. Raises TextUnspeakable.
    """
    return [_one_spelling(word, language) for word in ipa.split()]


def _spelled(element: re.Match, spell: Callable[[str], str]) -> str:
    phones = _PH.search(element["opens"] or "")
    words = unescape(phones["ph"][1:-1]).split() if phones else []
    if not words:
        return _written(element)
    if element["elided"]:
        letters = element["elided"][:-1].lower()
        words[0] = (_ELIDED.get(letters) or letters) + words[0]
    if element["genitive"]:
        words[-1] += "ɪz" if words[-1][-1] in _HISSES else "s" if words[-1][-1] in _VOICELESS else "z"
    return " ".join(f"{PHONES_BEGIN}{spell(word)}{PHONES_END}" for word in words)


def _written(element: re.Match) -> str:
    return "".join((element["elided"] or "", unescape(element["written"] or ""), element["genitive"] or ""))


def _one_spelling(word: str, language: str) -> str:
    signs = unicodedata.normalize("NFD", word).replace("c\u0327", "ç")
    signs = "".join(_SPELLED.get(sign, sign) for sign in signs if sign not in _LEFT_OUT)
    unknown = next((sign for sign in signs if sign not in _KNOWN), None)
    if unknown is not None:
        raise unknown_sign(unknown, word)
    if language.partition("-")[0] == "en":
        signs = re.sub("e(?!ɪ)", "ɛ", signs.replace("r", "ɹ"))
    return _stressed(_ONSET.sub(r"\2\1", signs), language)


def unknown_sign(sign: str, word: str) -> TextUnspeakable:
    """What is raised of a sign that nobody can say."""
    return TextUnspeakable(sentence="phones_unknown", sign=sign, name=word[:80])


def _stressed(word: str, language: str) -> str:
    """A word without any stress gets one, or it would be said as if it did not matter."""
    vowels = [at for at, sign in enumerate(word) if sign in VOWELS]
    full = [at for at in vowels if word[at] not in _SCHWAS]
    if any(stress in word for stress in _STRESSES) or not full:
        return word
    at = full[-1] if language.partition("-")[0] in _STRESSED_LAST else full[0]
    while at and word[at - 1] in VOWELS:  # the second half of a diphthong
        at -= 1
    return f"{word[:at]}ˈ{word[at:]}"
