"""Languages as people write them: a code ("de"), an English name ("German") or "Auto", as Qwen's API has it; inside: codes."""

from collections.abc import Sequence

from engines.errors import LanguageUnsupported

__all__ = ["AUTO", "language_code", "language_name"]

AUTO = "Auto"  # the engine decides

# ISO 639 codes and English names: the languages that speech models and eSpeak NG speak.
NAMES = {
    "af": "Afrikaans", "am": "Amharic", "an": "Aragonese", "ar": "Arabic", "as": "Assamese", "az": "Azerbaijani", "ba": "Bashkir",
    "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bo": "Tibetan", "bpy": "Bishnupriya Manipuri", "br": "Breton",
    "bs": "Bosnian", "ca": "Catalan", "chr": "Cherokee", "cmn": "Mandarin", "cs": "Czech", "cv": "Chuvash", "cy": "Welsh",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fo": "Faroese", "fr": "French", "ga": "Irish", "gd": "Scottish Gaelic",
    "gl": "Galician", "gn": "Guarani", "grc": "Ancient Greek", "gu": "Gujarati", "hak": "Hakka", "haw": "Hawaiian", "ha": "Hausa",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "ht": "Haitian Creole", "hu": "Hungarian", "hy": "Armenian", "ia": "Interlingua",
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


def language_code(asked: str | None, codes: Sequence[str]) -> str | None:
    """The code among `codes` that is meant, or None for "Auto" and for nothing. Raises LanguageUnsupported with the supported names."""
    wanted = (asked or "").strip().casefold().replace("_", "-")
    if wanted in ("", AUTO.casefold()):
        return None
    by_code = {code.casefold(): code for code in codes}
    by_name = {language_name(code).casefold(): code for code in reversed(codes)}
    code_of_name = next((code for code, name in NAMES.items() if name.casefold() == wanted), None)
    for spelling in (wanted, code_of_name):
        if spelling is not None:
            found = by_code.get(spelling) or by_name.get(spelling) or _relative(spelling, by_code)
            if found is not None:
                return found
    names = ", ".join([AUTO, *dict.fromkeys(map(language_name, codes))])
    raise LanguageUnsupported(f"Invalid language {asked!r}. Supported: {names}", language=str(asked), n=len(codes))


def _relative(spelling: str, by_code: dict[str, str]) -> str | None:
    """The plain language for a variant that is not there (en-us: en), or the first variant where only variants are (en: en-gb)."""
    base = spelling.partition("-")[0]
    if base != spelling:
        return by_code.get(base)
    return next((code for key, code in by_code.items() if key.startswith(base + "-")), None)
