"""Languages and their eSpeak voices: all for which the packaged eSpeak NG has a dictionary.

For callers who do not say which, a text's language is guessed: by its script, and for Latin letters by its small words.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from engines.errors import LanguageUnsupported

__all__ = ["CODES", "Language", "guess_language", "language_of"]

# Languages in which pitch tells words apart, and Japanese with its accents: Hz, the median F0 of our eSpeak voice, measured over sentences
# of each. A variety that is not there has its language's.
_TONE_F0_HZ = {
    "zh": 89.1,
    "cmn": 89.1,
    "yue": 87.1,
    "hak": 95.5,
    "vi": 83.2,
    "vi-vn-x-central": 80.4,
    "vi-vn-x-south": 85.9,
    "th": 110.8,
    "my": 113.1,
    "shn": 84.7,
    "ja": 96.6,
}


@dataclass(frozen=True)
class Language:
    """code: as callers name it. voice: eSpeak's."""

    code: str
    voice: str

    @property
    def is_paced(self) -> bool:
        """Whether the prior's lengths of phones are better than eSpeak's: its measure of them is English (studio/measure/DIARY.md)."""
        return self.code.split("-")[0] == "en"

    @property
    def is_tonal(self) -> bool:
        """Whether pitch tells words apart, so that eSpeak's own melody must stay."""
        return self.tone_f0_hz is not None

    @property
    def tone_f0_hz(self) -> float | None:
        """About which eSpeak's own melody lies, of a language with tones."""
        return _TONE_F0_HZ.get(self.code, _TONE_F0_HZ.get(self.code.split("-")[0]))


_LANGUAGES = (
    Language("en", "en-us"),
    Language("de", "de"),
    Language("es", "es"),
    Language("fr", "fr"),
    Language("it", "it"),
    Language("pt", "pt-br"),
    Language("nl", "nl"),
    Language("pl", "pl"),
    Language("sv", "sv"),
    Language("tr", "tr"),
    Language("ru", "ru"),
    Language("uk", "uk"),
    Language("el", "el"),
    Language("ar", "ar"),
    Language("hi", "hi"),
    Language("zh", "cmn"),
    Language("ja", "ja"),
    Language("ko", "ko"),
)
# Codes that are eSpeak's own voice names. Left out: Faroese, Karakalpak and Xextan, whose dictionaries are not in the package.
_AS_ESPEAK_CALLS_THEM = """
    af am an as az ba be bg bn bpy bs ca ca-ba ca-nw ca-va chr cmn-latn-pinyin cs cv cy da en-029 en-gb-scotland en-gb-x-gbclan
    en-gb-x-gbcwmd en-gb-x-rp en-shaw en-us-nyc eo es-419 et eu fa fa-latn fi fr-be fr-ch ga gd gn grc gu hak haw he hr ht hu hy hyw ia
    id io is jbo ka kk kl kn kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt mto my nb nci ne nog om or pa pap piqd py qdb qu quc qya ro
    ru-cl ru-lv sd shn si sjn sk sl smj sq sr sw ta te th ti tk tn tt ug ur uz vi vi-vn-x-central vi-vn-x-south yue yue-latn-jyutping
"""
_VARIANTS = (Language("en-gb", "en"), Language("pt-pt", "pt"))
_OFFERED = (*_LANGUAGES, *_VARIANTS, *(Language(code, code) for code in _AS_ESPEAK_CALLS_THEM.split()))
_BY_CODE = {language.code: language for language in _OFFERED}
CODES = tuple(_BY_CODE)


def language_of(text: str, code: str | None) -> Language:
    """The language with the code ("en", also "en-US" or "zh_CN"), or for None the one that the text seems to be in.

    A variant that is not there is spoken as its plain language. Raises LanguageUnsupported.
    """
    if code is None:
        return _BY_CODE[guess_language(text)]
    wanted = code.lower().replace("_", "-")
    language = _BY_CODE.get(wanted) or _BY_CODE.get(wanted.split("-")[0])
    if language is None:
        raise LanguageUnsupported(
            f"The embedded engine does not speak {code!r}.", f"It speaks {', '.join(CODES)}.", language=code, n=len(CODES)
        )
    return language


# --- a guess


_GUESSED_CHARACTERS = 500  # a long text starts as fast as a short one
_UKRAINIAN = set("іїєґІЇЄҐ")
# first word of a letter's Unicode name -> language
_BY_SCRIPT = {
    "ARABIC": "ar",
    "ARMENIAN": "hy",
    "BENGALI": "bn",
    "CHEROKEE": "chr",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "DEVANAGARI": "hi",
    "ETHIOPIC": "am",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HANGUL": "ko",
    "HEBREW": "he",
    "HIRAGANA": "ja",
    "KANNADA": "kn",
    "KATAKANA": "ja",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "ORIYA": "or",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
}
# The commonest function words of languages in Latin letters. A word of several languages counts for each by its share.
_SMALL_WORDS = {
    "en": "the and of to in is that it for was on are with as his they be at one have this from or had by but what some we can you my he",
    "de": "der die das und ist nicht ein eine einen ich zu den dem mit auf für von sich wie war sie wir es im auch noch wird bei nach hat",
    "es": "el la los las que y en es una un por con para del se lo no su como pero más ha está muy sus donde cuando hay fue son",
    "fr": "le la les des et est une un que dans pour pas il elle je vous nous du au ce qui sur avec son sa ne se mais être cette sont",
    "it": "il lo la gli che di e un una per non sono con del della è si nel anche come ma più alla questo dal sul suo fu era",
    "pt": "o a os as que e um uma não com para do da em por se mais como mas ao foi são está muito seu sua pelo nos você ele",
    "nl": "de het een en van ik niet dat is op te zijn voor met die aan er maar om hij ook naar bij wij deze wordt werd heeft",
    "sv": "och att det är en ett som på för med av jag inte den till var han hon vi från men så om hade ska efter också",
    "pl": "i w nie na się z do to że jest jak co za ale po od przez przy tak był była są czy dla już tylko",
    "tr": "bir ve bu da de için ile çok ne var gibi daha o ben sen biz ama olarak sonra kadar değil mi her en",
    "vi": "và là của có không được một những các cho người này với trong để tôi đã khi ở về như đó thì cũng anh chị em ông bà rất",
}
# Two marks on one letter, a hook, a horn: of Vietnamese alone, but for a dot below and a tilde, as in Yoruba, Igbo and Guarani.
_VIETNAMESE = frozenset("ơư" + "".join(map(chr, range(0x1EA0, 0x1EFA)))) - set("ẹọịụẽỹ")
_VIETNAMESE_WORD = 3 / 4  # of a small word: a dish on an English menu is none
_LEAST_LEAD = 1.5  # words by which another language must lead English before it is believed


def _weights() -> dict[str, dict[str, float]]:
    listed = {language: words.split() for language, words in _SMALL_WORDS.items()}
    shared = Counter(word for words in listed.values() for word in words)
    weights: dict[str, dict[str, float]] = {}
    for language, words in listed.items():
        for word in words:
            weights.setdefault(word, {})[language] = 1 / shared[word]
    return weights


_WEIGHTS = _weights()


def guess_language(text: str) -> str:
    """A code; English where nothing tells otherwise."""
    text = unicodedata.normalize("NFC", text[:_GUESSED_CHARACTERS])
    scripts = Counter(unicodedata.name(letter, "").split(" ")[0].split("-")[0] for letter in text if letter.isalpha())
    languages = Counter()
    for script, count in scripts.items():
        languages[_BY_SCRIPT.get(script, "latin")] += count
    if languages["ja"]:  # kana stand in every Japanese sentence and in no Chinese one
        return "ja"
    code = languages.most_common(1)[0][0] if languages else "latin"
    if code == "latin":
        return _guess_latin(text)
    return "uk" if code == "ru" and _UKRAINIAN & set(text) else code


def _guess_latin(text: str) -> str:
    scores: Counter = Counter()
    for word in re.findall(r"[^\W\d_]+", text.lower()):
        scores.update(_WEIGHTS.get(word, {}))
        if _VIETNAMESE & set(word):
            scores["vi"] += _VIETNAMESE_WORD
    if not scores:
        return "en"
    best, score = scores.most_common(1)[0]
    return best if score >= scores["en"] + _LEAST_LEAD else "en"
