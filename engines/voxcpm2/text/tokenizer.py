"""VoxCpm2Tokenizer: turns text into the token ids that the language models read, from tokenizer.json alone."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tokenizers import Tokenizer

from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.byte_pair_tokenizer import check_ids, check_letters
from engines.plain_json import read_json
from engines.voxcpm2.config import AUDIO_START_ID, REFERENCE_END_ID, VoxCpm2Config

__all__ = ["VoxCpm2Tokenizer"]

FILE, SPACE, AGAIN = "tokenizer.json", "▁", "Fetch the weights again."
WORD = re.compile("[\u4e00-\u9fff]{2,}")  # of Chinese characters; the range is that of voxcpm 2.0.3, mask_multichar_chinese_tokens
MARK = re.compile("<(?!0x[0-9A-F]{2}>).+>")  # <ref>, <|im_start|>; not a byte, <0xE4>
AUDIO_IDS = set(range(AUDIO_START_ID, REFERENCE_END_ID + 1))


class VoxCpm2Tokenizer:
    """Ids of texts, without any around them.

    The file says itself how text is cut. (Transformers 5 replaces that by a rule of its own, with other ids where a text begins with a
    space.) Words of Chinese characters are read character by character, as the model was trained. So are control tokens that a text
    spells out: in no text they are obeyed.
    """

    def __init__(self, folder: Path):
        """Raises CheckpointInvalid where the folder has no tokenizer.json, or one that cannot be used."""
        try:
            content = read_json((folder / FILE).read_text(encoding="utf-8"))
            control = [token for token in content["added_tokens"] if _is_control(token)]
            for token in control:
                token["special"] = True
            self._tokenizer = Tokenizer.from_str(json.dumps(content))
            unknown = self._tokenizer.token_to_id(self._tokenizer.model.unk_token or "")
        except Exception as error:  # the library raises bare Exception for what it cannot read
            raise CheckpointInvalid(f"{FILE} of the checkpoint cannot be read: {error}.", AGAIN) from error
        if unknown is None:
            raise CheckpointInvalid(f"{FILE} of the checkpoint names no token for what is unknown.", AGAIN)
        self._unknown = unknown
        self._tokenizer.encode_special_tokens = True  # as text, that is
        self._spelled = self._spellings({token["id"] for token in control} - {self._unknown} | AUDIO_IDS)

        check_letters(self.ids, FILE)

    def check_fits(self, config: VoxCpm2Config) -> None:
        """Raises CheckpointInvalid where the file has words that the table of text has no row for: two models' files."""
        words = self._tokenizer.get_vocab(with_added_tokens=False)
        check_ids(max(words.values()) + 1, config.lm_config.vocab_size, FILE)

    def ids(self, text: str) -> list[int]:
        """Ids of the text as it stands; whitespace is the caller's affair. None of them is a control token's."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [part for token_id in ids for part in self._spelled.get(token_id, (token_id,))]

    def _spellings(self, control: set[int]) -> dict[int, tuple[int, ...]]:
        """Id of a token that is read character by character -> ids of its characters; a character without one is unknown.

        A space before a Chinese word goes, and a word counts only where the vocabulary has it without the space too (both as voxcpm 2.0.3).
        """
        vocabulary = self._tokenizer.get_vocab()
        words = {token: token for token in vocabulary if WORD.fullmatch(token)}
        words |= {token: bare for token in vocabulary if SPACE in token and (bare := token.replace(SPACE, "")) in words}
        words |= {token: token for token, token_id in vocabulary.items() if token_id in control}
        return {vocabulary[token]: tuple(vocabulary.get(character, self._unknown) for character in word) for token, word in words.items()}


def _is_control(token: Mapping) -> bool:
    """token: an entry of added_tokens, where transformers puts tags of a vocabulary (<ref>) without calling them special (SpmConverter)."""
    return token["special"] or token["id"] in AUDIO_IDS or bool(MARK.fullmatch(token["content"]))
