"""TextTokenizer: turns text into the token ids of a turn, from vocab.json and merges.txt alone.

The official package splits words otherwise when it loads from a local folder (a regex meant for Mistral is patched in), which cuts
"iPhone" and Devanagari words differently from what the model was trained on.
"""

from pathlib import Path
from typing import Protocol

from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.byte_pair_tokenizer import BytePairTokenizer
from engines.qwen3_tts.config import Qwen3Config

__all__ = ["TextTokenizer", "TurnVocabulary"]


class TurnVocabulary(Protocol):
    """What the engine asks of a tokenizer, `TextTokenizer` or a drawn one."""

    def body(self, text: str) -> list[int]: ...
    def piece(self, text: str) -> list[int]: ...
    def header(self, im_start: int) -> list[int]: ...
    def instruction(self, text: str, im_start: int, im_end: int) -> list[int]: ...


class TextTokenizer:
    """Ids of texts and of the header of their turn."""

    def __init__(self, folder: Path):
        """Raises CheckpointInvalid."""
        self._tokenizer = BytePairTokenizer.from_vocabulary(folder)
        self._role = self._tokenizer.encode("assistant\n")
        self._end_of_line = self._tokenizer.encode("\n")
        if len(self._role) != 2:
            raise CheckpointInvalid(f"'assistant' and a line break are {len(self._role)} tokens; 2 expected.", "Fetch the weights again.")

    def check_fits(self, config: Qwen3Config) -> None:
        """Raises CheckpointInvalid where there are ids that the table of text has no row for: two models' files."""
        self._tokenizer.check_rows(config.talker.text_vocab_size, "vocab.json")

    def body(self, text: str) -> list[int]:
        """Ids of a text as it stands in a prompt, between the header of its turn and the turn's end. Whitespace around it has no part."""
        return self._tokenizer.encode(text.strip())

    def piece(self, text: str) -> list[int]:
        """Ids of a part of such a text, blanks around it included; see `settled_length` for where parts may end."""
        return self._tokenizer.encode(text)

    def header(self, im_start: int) -> list[int]:
        """Ids of `<|im_start|>assistant` and a line break, which open a turn; three."""
        return [im_start, *self._role]

    def instruction(self, text: str, im_start: int, im_end: int) -> list[int]:
        """Ids of `<|im_start|>user`, a line break, the text, `<|im_end|>`, a line break: the turn that says how to speak. None for no text.

        What a person writes is text: a mark such as <|im_end|> in it is spelled out.
        """
        return [im_start, *self._tokenizer.encode(f"user\n{text}"), im_end, *self._end_of_line] if text else []
