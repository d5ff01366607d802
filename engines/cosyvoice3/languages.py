"""Languages of Fun-CosyVoice3, and what it reads wrongly in them. The language model gets no language: it takes a text as it stands."""

from engines.contract.language_limit import LanguageLimit

__all__ = ["LANGUAGES", "LIMITS"]

# The nine of the makers' list (README of CosyVoice @ ace7c47), in its order. Dialects of Chinese are asked for by instructions.
LANGUAGES = ("zh", "en", "ja", "ko", "de", "es", "fr", "it", "ru")

LIMITS = (
    LanguageLimit(
        "ja",
        "kanji and hiragana",
        "kanji and hiragana are misread, often as Chinese; the model learnt Japanese in katakana.",  # a note in upstream's example.py
        "Write it in katakana, with blanks between the words, and as it is said: キョウ ワ イイ テンキ デス。",
        concerns="[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff]",
        unasked="[\u3041-\u3096\u30a1-\u30fa]",
    ),
)
