"""Languages and their eSpeak voices: all for which the packaged eSpeak NG has a dictionary."""

from dataclasses import dataclass

from engines.errors import LanguageUnsupported
from engines.text.language_guess import guess_language

__all__ = ["CODES", "Language", "language_of"]

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
        raise LanguageUnsupported(hint=f"It speaks {', '.join(CODES)}.", language=code, n=len(CODES))
    return language
