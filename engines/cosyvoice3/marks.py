"""Marks of CosyVoice3: the special tokens that people may write into a text, and how they are told. No torch here.

special_tokens.json says where the rows are from. Those in <|...|> control the model, and only the engine writes them. All others are marks:
sounds ([laughter], [breath]), what is said with stress or laughing (<strong>, <laughter>), and how a word is pronounced, sound by sound, in
the phonemes of the CMU Pronouncing Dictionary ([M][AY0][N]) or in initials and finals of pinyin, the latter with their tone ([j][ǐ]).
"""

import json
import re
from pathlib import Path

__all__ = ["END_OF_PROMPT", "MARKS", "MARKUP", "SPECIAL_TOKENS"]

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
