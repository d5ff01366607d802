"""voice_description: describes a voice to OmniVoice, in words of a closed vocabulary. Any other word would be noise to it.

The vocabulary and its rules are omnivoice 0.2.1's (utils/voice_design.py, _resolve_instruct).
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engines.contract.options import nearest
from engines.errors import OptionInvalid

__all__ = ["ATTRIBUTES", "voice_description"]

INSTRUCTIONS = "instructions"
MOST_SHOWN_CHARACTERS = 40  # of what is no attribute

# Of each kind at most one. English and Chinese, but for what is said of one language alone: there is no word for it in the other.
ATTRIBUTES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "gender": {"male": "男", "female": "女"},
        "age": {"child": "儿童", "teenager": "少年", "young adult": "青年", "middle-aged": "中年", "elderly": "老年"},
        "pitch": {
            "very low pitch": "极低音调",
            "low pitch": "低音调",
            "moderate pitch": "中音调",
            "high pitch": "高音调",
            "very high pitch": "极高音调",
        },
        "style": {"whisper": "耳语"},
        "accent": {
            f"{name} accent": ""
            for name in (
                *("american", "british", "australian", "chinese", "canadian"),
                *("indian", "korean", "portuguese", "russian", "japanese"),
            )
        },
        "dialect": {
            f"{name}话": "" for name in ("河南", "陕西", "四川", "贵州", "云南", "桂林", "济南", "石家庄", "甘肃", "宁夏", "青岛", "东北")
        },
    }
)

_CHINESE_OF = {english: chinese for words in ATTRIBUTES.values() for english, chinese in words.items() if chinese}
_ENGLISH_OF = {chinese: english for english, chinese in _CHINESE_OF.items()}
_KIND_OF = {word: kind for kind, words in ATTRIBUTES.items() for pair in words.items() for word in pair if word}
_COMMA = re.compile(r"[,，]")
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")


def voice_description(said: str, text: str) -> str | None:
    """What stands between the marks of the description; None where nothing was said.

    said: attributes, in any case, with commas of either script between them. text: all that is spoken, which says in which language they
    are handed on: in Chinese where it holds an ideograph, unless an accent is wanted, and always with a dialect.
    Raises OptionInvalid for what is no attribute, for two of one kind, and for an accent beside a dialect.
    """
    words = [item.strip().lower() for item in _COMMA.split(said) if item.strip()]
    for word in words:
        if word not in _KIND_OF:
            raise _unknown(word)
    kinds = [_KIND_OF[word] for word in words]
    if "accent" in kinds and "dialect" in kinds:
        accent, dialect = words[kinds.index("accent")], words[kinds.index("dialect")]
        raise OptionInvalid(INSTRUCTIONS, sentence="accent_and_dialect", accent=accent, dialect=dialect)
    for index, kind in enumerate(kinds):
        if (first := kinds.index(kind)) < index:
            one, other = words[first], words[index]
            raise OptionInvalid(INSTRUCTIONS, sentence="attributes_of_one_kind", one=one, other=other)
    if "dialect" in kinds or ("accent" not in kinds and _IDEOGRAPH.search(text)):
        return "，".join(_CHINESE_OF.get(word, word) for word in words) or None
    return ", ".join(_ENGLISH_OF.get(word, word) for word in words) or None


def _unknown(word: str) -> OptionInvalid:
    """Names what it may have been meant as, else all that there is in its script."""
    shown, near = word[:MOST_SHOWN_CHARACTERS], nearest(word, _KIND_OF)
    if near:
        return OptionInvalid(INSTRUCTIONS, sentence="attribute_unknown_but_near", value=shown, nearest=near)
    is_chinese = _IDEOGRAPH.search(word) is not None
    known: Sequence[str] = [known for known in _KIND_OF if (_IDEOGRAPH.search(known) is not None) == is_chinese]
    return OptionInvalid(INSTRUCTIONS, sentence="attribute_unknown", value=shown, choices=known)
