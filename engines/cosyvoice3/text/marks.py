"""Marks of CosyVoice3: the special tokens that people may write, how they are recognized, and what in a text is never cut.

special_tokens.json says where the rows are from. Those in <|...|> control the model, and only the engine writes them. All others are marks:
sounds ([laughter], [breath]), what is said with stress or laughing (<strong>, <laughter>), and how a word is pronounced, sound by sound, in
the phonemes of the CMU Pronouncing Dictionary ([M][AY0][N]) or in initials and finals of pinyin, the latter with their tone ([j][ǐ]).
No torch here.
"""

import json
import re
from pathlib import Path

__all__ = ["END_OF_PROMPT", "IDEOGRAPH", "LAST_MARK", "MARK", "MARKS", "MARKUP", "SPECIAL_TOKENS", "UNCUT"]

SPECIAL_TOKENS: tuple[str, ...] = tuple(
    json.loads(Path(__file__).with_name("special_tokens.json").read_text(encoding="utf-8"))["tokens"]
)  # in the order of their ids, which follow those of the vocabulary
END_OF_PROMPT = "<|endofprompt|>"  # between how to speak and what is spoken
MARKS: frozenset[str] = frozenset(token for token in SPECIAL_TOKENS if not token.startswith("<|"))

_PRONUNCIATION = SPECIAL_TOKENS[SPECIAL_TOKENS.index("<|endofsystem|>") + 1 :]


def _pattern(tokens: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, tokens))


# EngineInfo.markup: sounds and stress, then pronunciation.
MARKUP: tuple[str, ...] = (
    _pattern(tuple(token for token in SPECIAL_TOKENS if token in MARKS and token not in _PRONUNCIATION)),
    _pattern(_PRONUNCIATION),
)

IDEOGRAPH = "[\u4e00-\u9fff]"  # as upstream has it (contains_chinese of cosyvoice/utils/frontend_utils.py @ ace7c47)

_BRACKETED = r"\[[^\[\]\s]{1,16}\]"  # the longest is [vocalized-noise]
_TAGS = "strong|laughter"  # around words that are stressed or laughed
_TAG = rf"</?(?:{_TAGS})>"
_MOST_TAGGED = 200  # between a tag and its end; what is open for longer was never meant as one
_TAGGED = rf"<(?P<tag>{_TAGS})>(?:(?!{_TAG}).){{1,{_MOST_TAGGED}}}</(?P=tag)>"
_LATIN = r"[A-Za-z\u00c0-\u024f\d]{1,20}(?:[.,:]\d{1,10}){0,4}"  # words and numbers among ideographs
MARK = re.compile(rf"{_TAG}|{_BRACKETED}")
UNCUT = re.compile(rf"{_TAGGED}|{_TAG}|(?:{_BRACKETED}){{1,40}}|{_LATIN}", re.DOTALL)
LAST_MARK = re.compile(rf"(?:{_TAG}|{_BRACKETED})\Z")
