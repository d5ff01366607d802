"""The languages this engine offers, and their eSpeak voices: all that the packaged eSpeak NG has a dictionary for."""

from dataclasses import dataclass

from engines.errors import LanguageUnsupported
from engines.espeak.language_guess import guess_language

__all__ = ["CODES", "Language", "language_of"]


_TONAL = frozenset(["zh", "cmn", "yue", "hak", "vi", "th", "my", "shn", "ja"])  # and Japanese with its accents


@dataclass(frozen=True)
class Language:
    """code: as callers name it. voice: eSpeak's. source_f0_hz: median F0 of our eSpeak voice in this language (measured for the first)."""

    code: str
    voice: str
    source_f0_hz: float = 101.0

    @property
    def is_paced(self) -> bool:
        """Whether the prior's lengths of phones are better than eSpeak's: its measure of them is English (studio/measure/DIARY.md)."""
        return self.code.split("-")[0] == "en"

    @property
    def is_tonal(self) -> bool:
        """Whether pitch tells words apart, so that eSpeak's own melody must stay."""
        return self.code.split("-")[0] in _TONAL


_LANGUAGES = (
    Language("en", "en-us", 102.0),
    Language("de", "de", 98.7),
    Language("es", "es", 104.4),
    Language("fr", "fr", 102.2),
    Language("it", "it", 99.9),
    Language("pt", "pt-br", 104.7),
    Language("nl", "nl", 103.1),
    Language("pl", "pl", 102.7),
    Language("sv", "sv", 102.2),
    Language("tr", "tr", 100.3),
    Language("ru", "ru", 105.6),
    Language("uk", "uk", 103.4),
    Language("el", "el", 104.3),
    Language("ar", "ar", 101.8),
    Language("hi", "hi", 98.4),
    Language("zh", "cmn", 89.1),
    Language("ja", "ja", 96.6),
    Language("ko", "ko", 102.1),
)
# Codes that are eSpeak's own voice names. Left out: Faroese, Karakalpak and Xextan, whose dictionaries are not in the package.
_AS_ESPEAK_CALLS_THEM = """
    af am an as az ba be bg bn bpy bs ca ca-ba ca-nw ca-va chr cmn-latn-pinyin cs cv cy da en-029 en-gb-scotland en-gb-x-gbclan
    en-gb-x-gbcwmd en-gb-x-rp en-shaw en-us-nyc eo es-419 et eu fa fa-latn fi fr-be fr-ch ga gd gn grc gu hak haw he hr ht hu hy hyw ia
    id io is jbo ka kk kl kn kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt mto my nb nci ne nog om or pa pap piqd py qdb qu quc qya ro
    ru-cl ru-lv sd shn si sjn sk sl smj sq sr sw ta te th ti tk tn tt ug ur uz vi vi-vn-x-central vi-vn-x-south yue yue-latn-jyutping
"""
_VARIANTS = (Language("en-gb", "en", 102.0), Language("pt-pt", "pt", 104.7))
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
