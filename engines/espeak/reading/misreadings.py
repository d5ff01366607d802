"""What this engine reads wrongly in each language. Found by listening to eSpeak NG 1.52 over ordinary texts in every one of them.

A mere accent is not listed. Where another spelling helps, that spelling was listened to as well.
"""

from engines.contract.language_limit import LanguageLimit

__all__ = ["LIMITS"]

_ANOTHER = "Take an engine that was trained on the language."
_CHINESE = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_ARABIC = "[\u0620-\u06ff]"

_ROMAN, _SPELLED = r"(?<![^\W_])(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})(?![^\W_])", "Write them as digits or words."

# What the studio writes as words in the languages that it knows, before this engine is given it, is met in others alone.
LIMITS = (
    LanguageLimit("", "Roman numbers", "Roman numbers are spelled, or follow the English word “roman”.", _SPELLED, _ROMAN),
    LanguageLimit("", "powers", "the sign ^ of a power is not said, or by its name.", "Write powers as words.", r"\d\^[-\d]"),
    LanguageLimit(
        "ja",
        "kanji",
        "kanji are read as the words “Chinese letter”.",
        "Write them in kana: きょう instead of 今日.",
        concerns=_CHINESE,
        unasked="[\u3041-\u30ff]",  # what languages.py takes for Japanese
    ),
    LanguageLimit(
        "ko", "hanja", "Chinese characters are read as the words “Chinese letter”.", "Write them in Hangul.", _CHINESE, "[\uac00-\ud7a3]"
    ),
    LanguageLimit("hak", "characters", "characters are read as the words “Chinese letter”.", "Write it in Latin letters.", _CHINESE),
    LanguageLimit("chr", "syllables", "most letters are read as the word “letter”.", _ANOTHER, "[\u13a0-\u13f5]", "[\u13a0-\u13f5]"),
    LanguageLimit(
        "th", "vowels", "many vowels and all tones are wrong; it is not understood.", _ANOTHER, "[\u0e01-\u0e4e]", "[\u0e01-\u0e4e]"
    ),
    LanguageLimit(
        "my", "vowels", "many vowels and all tones are wrong; it is hardly understood.", _ANOTHER, "[\u1000-\u109f]", "[\u1000-\u109f]"
    ),
    LanguageLimit(
        "he",
        "vowels",
        "most vowels are left out, and vowel points are read by their names.",
        _ANOTHER,
        "[\u05d0-\u05ea]",
        "[\u05d0-\u05ea]",
    ),
    LanguageLimit(
        "kok", "vowel signs", "vowel signs are read by their names.", "Choose Marathi, which reads the letters.", "[\u093e-\u094c]"
    ),
    LanguageLimit("mt", "consonants", "many consonants are read as the names of letters.", _ANOTHER, r"[^\W\d_]"),
    LanguageLimit("hyw", "the word է", "the word է is read as “Armenian e”.", "Choose Armenian, which reads it.", r"\bէ\b"),
    LanguageLimit("ku", "Arabic letters", "Arabic letters are read by their names.", "Write it in Latin letters.", _ARABIC),
    LanguageLimit("pa", "Arabic letters", "Arabic letters are read by their names.", "Write it in Gurmukhi.", _ARABIC),
)
