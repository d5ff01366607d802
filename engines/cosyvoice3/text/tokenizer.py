"""CosyVoice3Tokenizer: turns text into the token ids that the language model reads. It also knows the ids of control tokens."""

import unicodedata
from pathlib import Path

from engines.cosyvoice3.config import TEXT_FOLDER, CosyVoice3Config
from engines.cosyvoice3.text.marks import MARKS, SPECIAL_TOKENS
from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.byte_pair_tokenizer import BytePairTokenizer
from engines.plain_json import read_json

__all__ = ["CosyVoice3Tokenizer"]

SETTINGS = "tokenizer_config.json"
AGAIN = "Fetch the weights again."


class CosyVoice3Tokenizer:
    """Ids of texts, without any around them.

    Text is cut by Qwen2's expression, in NFC. Marks are tokens where a text has them. No control token that a text spells out is obeyed:
    it is refused, and what only looks like one is read letter by letter.
    """

    def __init__(self, folder: Path):
        """Of a checkpoint's folder. Raises CheckpointInvalid where its vocabulary is missing, damaged, or another model's."""
        place = folder / TEXT_FOLDER
        self._tokenizer = BytePairTokenizer.from_vocabulary(place, SPECIAL_TOKENS)
        first, last = (self._tokenizer.id_of(token) for token in (SPECIAL_TOKENS[0], SPECIAL_TOKENS[-1]))
        if last - first != len(SPECIAL_TOKENS) - 1:
            fact = f"vocab.json of {TEXT_FOLDER} has some of the {len(SPECIAL_TOKENS)} special tokens, which all follow it."
            raise CheckpointInvalid(fact, AGAIN)
        self._check_settings(place)

    def ids(self, text: str) -> list[int]:
        """Ids of the text as it stands. Raises TextUnspeakable for a control token."""
        text = unicodedata.normalize("NFC", text)  # of marks too, which are told by their characters
        self._tokenizer.refuse_control(text)
        return self._tokenizer.encode(text, MARKS)

    def special(self, name: str) -> int:
        """The id of a control token: "endofprompt" is <|endofprompt|>. Raises CheckpointInvalid where there is none of the name."""
        return self._tokenizer.id_of(f"<|{name}|>")

    def check_fits(self, config: CosyVoice3Config) -> None:
        """Raises CheckpointInvalid where there are ids that the table of text has no row for: two models' files."""
        self._tokenizer.check_rows(config.language.vocab_size, f"{TEXT_FOLDER}/vocab.json")

    def _check_settings(self, place: Path) -> None:
        """The file repeats the ids of the first special tokens: what is missing from the vocabulary shows."""
        where = f"{SETTINGS} of {TEXT_FOLDER}"
        try:
            added = read_json((place / SETTINGS).read_text(encoding="utf-8"))["added_tokens_decoder"]
            said = {token["content"]: int(number) for number, token in added.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointInvalid(f"{where} cannot be read: {error}.", AGAIN) from error
        faults = [f"{token} is {number} there, {self._tokenizer.id_of(token)} by vocab.json" for token, number in said.items()
                  if self._tokenizer.id_of(token) != number]  # fmt: skip
        if faults:
            raise CheckpointInvalid(f"{where} is another model's: {', '.join(faults)}.", AGAIN)
