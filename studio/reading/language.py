"""Languages as people write them: a code ("de"), an English name ("German"), or "Auto" as in Qwen's API. Inside the studio: codes.

What a code is called for a reader CLDR knows of some hundred languages, and browsers of a part of those.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from engines.contract.contract import EngineInfo
from engines.contract.options import MOST_LISTED, nearest
from engines.errors import LanguageUnsupported

__all__ = ["AUTO", "asked_code", "language_code", "language_name", "languages_of", "names_for_reader"]

AUTO = "Auto"  # the engine decides
OPTION = "language"
# Two codes of what is one language to an engine, which knows one of the two: a macrolanguage of ISO 639 and its usual member.
TWINS = (
    ("ar", "arb"), ("zh", "cmn"), ("kok", "knn"), ("ku", "kmr"), ("mg", "plt"), ("ms", "zsm"), ("ne", "npi"), ("no", "nb"), ("or", "ory"),
    ("tl", "fil"),
)  # fmt: skip
# Whose languages are also written behind it, in three letters (RFC 5646, 2.2.2): zh-yue is yue, and no accent of another.
CHINESE, LANGUAGE_LETTERS = "zh", 3
_TWIN = {one: other for pair in TWINS for one, other in (pair, pair[::-1])}
NOTHING: Mapping[str, str] = MappingProxyType({})

# ISO 639 codes and English names: the languages that speech models and eSpeak NG speak.
NAMES = {
    "af": "Afrikaans", "am": "Amharic", "an": "Aragonese", "ar": "Arabic", "as": "Assamese", "az": "Azerbaijani", "ba": "Bashkir",
    "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bo": "Tibetan", "bpy": "Bishnupriya Manipuri", "br": "Breton",
    "bs": "Bosnian", "ca": "Catalan", "chr": "Cherokee", "cmn": "Mandarin", "cs": "Czech", "cv": "Chuvash", "cy": "Welsh",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fo": "Faroese", "fr": "French", "ga": "Irish", "gd": "Scottish Gaelic",
    "gl": "Galician", "gn": "Guarani", "grc": "Ancient Greek", "gu": "Gujarati", "hak": "Hakka", "haw": "Hawaiian", "ha": "Hausa",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "ht": "Haitian Creole", "hu": "Hungarian", "hy": "Armenian", "hyw": "Western Armenian",
    "ia": "Interlingua",
    "id": "Indonesian", "io": "Ido", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "jbo": "Lojban", "jv": "Javanese",
    "ka": "Georgian", "kk": "Kazakh", "kl": "Greenlandic", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "kok": "Konkani",
    "ku": "Kurdish", "ky": "Kyrgyz", "la": "Latin", "lb": "Luxembourgish", "lfn": "Lingua Franca Nova", "ln": "Lingala", "lo": "Lao",
    "lt": "Lithuanian", "ltg": "Latgalian", "lv": "Latvian", "mg": "Malagasy", "mi": "Maori", "mk": "Macedonian", "ml": "Malayalam",
    "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese", "mto": "Totontepec Mixe", "my": "Burmese",
    "nb": "Norwegian Bokmal", "nci": "Classical Nahuatl", "ne": "Nepali", "nl": "Dutch", "nn": "Norwegian Nynorsk", "no": "Norwegian",
    "nog": "Nogai", "oc": "Occitan", "om": "Oromo", "or": "Oriya", "pa": "Punjabi", "pap": "Papiamento", "piqd": "Klingon",
    "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "py": "Pyash", "qdb": "Lang Belta", "qu": "Quechua", "quc": "K'iche'",
    "qya": "Quenya", "ro": "Romanian", "ru": "Russian", "sa": "Sanskrit", "sd": "Sindhi", "shn": "Shan", "si": "Sinhala",
    "sjn": "Sindarin", "sk": "Slovak", "sl": "Slovenian", "smj": "Lule Sami", "sn": "Shona", "so": "Somali", "sq": "Albanian",
    "sr": "Serbian", "su": "Sundanese", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "tg": "Tajik", "th": "Thai",
    "ti": "Tigrinya", "tk": "Turkmen", "tl": "Tagalog", "tn": "Setswana", "tr": "Turkish", "tt": "Tatar", "ug": "Uyghur",
    "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "yi": "Yiddish", "yo": "Yoruba", "yue": "Cantonese",
    "zh": "Chinese",
}  # fmt: skip


def language_name(code: str) -> str:
    """English name of a code, with the variant in brackets: "German", "English (gb)"; the code itself where we know no name."""
    base, _, variant = code.partition("-")
    name = NAMES.get(base.casefold())
    if name is None:
        return code
    return f"{name} ({variant})" if variant else name


def languages_of(infos: Iterable[EngineInfo]) -> dict[str, str]:
    """Code -> English name as the engine's option has it, "" where it has none; of all languages of these engines."""
    found: dict[str, str] = {}
    for info in infos:
        option = next((option for option in info.options if option.name == OPTION), None)
        found |= {code: found.get(code, "") for code in info.languages}
        found |= dict(zip(option.choices, option.labels, strict=True)) if option is not None and option.labels else {}
    return found


def names_for_reader(reader: str, own: Mapping[str, str]) -> dict[str, str]:
    """Code -> its name in the reader's language as CLDR has it, else in English; without those of which nobody knows a name.

    own: of languages_of. Codes of its languages without an accent, and of all that we know, are among them: a voice may have any.
    """
    from babel import Locale  # its data would be read at each start

    english = {code: name.capitalize() if name.islower() else name for code, name in own.items() if name}
    known = NAMES | english | dict(Locale("en").languages) | dict(Locale.parse(reader).languages)
    bases = (code.partition("-")[0] for code in own)
    return {code: known[code] for code in sorted({*own, *bases, *NAMES}) if code in known}


def language_code(asked: str | None, codes: Sequence[str], names: Mapping[str, str] = NOTHING) -> str | None:
    """The code among `codes` that is meant, or None for "Auto" and for nothing. Raises LanguageUnsupported with the supported names,
    or of many with the nearest.

    names: code -> English name, where an engine has names of its own.
    """
    wanted = (asked or "").strip().casefold().replace("_", "-")
    if wanted in ("", AUTO.casefold()):
        return None
    by_code = {code.casefold(): code for code in codes}
    if wanted in by_code:
        return by_code[wanted]
    by_name = {names.get(code, "").casefold(): code for code in reversed(codes)}
    by_name |= {language_name(code).casefold(): code for code in reversed(codes)}
    code_of_name = next((code for code, name in NAMES.items() if name.casefold() == wanted), None)
    for spelling in (wanted, code_of_name):
        if spelling is not None:
            found = by_name.get(spelling) or _relative(spelling, by_code)
            if found is not None:
                return found
    raise _unsupported(str(asked), [names.get(code) or language_name(code) for code in codes])


def asked_code(asked: str | None, info: EngineInfo) -> str | None:
    """language_code among those that an engine may be asked for."""
    option = next((option for option in info.options if option.name == OPTION), None)
    codes = [code for code in option.choices if code.casefold() != AUTO.casefold()] if option is not None else info.languages
    try:
        return language_code(asked, codes, languages_of([info]))
    except LanguageUnsupported as error:
        error.of_engine(info.title)
        raise


def _unsupported(asked: str, names: Sequence[str]) -> LanguageUnsupported:
    listed, n = dict.fromkeys([AUTO, *names]), len(names)
    if n <= MOST_LISTED:
        return LanguageUnsupported(f"Invalid language {asked!r}. Supported: {', '.join(listed)}", language=asked, n=n)
    fact, near = f"Invalid language {asked!r}. Supported: {AUTO} and {n} languages", nearest(asked, listed)
    if not near:
        return LanguageUnsupported(fact, "GET /v1/models/{model} lists them, with their names.", language=asked, n=n)
    fact, hint = f"{fact}, such as {', '.join(near)}", f"Did you mean {', '.join(near)}?"
    return LanguageUnsupported(fact, hint, language=asked, n=n, nearest=near, sentence="language_unsupported_but_near")


def _relative(spelling: str, by_code: Mapping[str, str]) -> str | None:
    """The code itself, its twin's, or the plain language for a variant that is not there (en-us: en); or the first variant where only
    variants are (en: en-gb).
    """
    base, _, rest = spelling.partition("-")
    behind = rest.partition("-")[0]
    own = behind if base == CHINESE and len(behind) == LANGUAGE_LETTERS else ""
    for code in (spelling, own, base):
        found = by_code.get(code) or by_code.get(_TWIN.get(code, ""))
        if found is not None:
            return found
    return next((code for key, code in by_code.items() if base == spelling and key.startswith(base + "-")), None)
