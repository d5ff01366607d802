"""TextTokenizer: text to the token ids of Qwen2, from vocab.json and merges.txt alone."""

from pathlib import Path

from tokenizers import Regex, Tokenizer
from tokenizers.models import BPE
from tokenizers.normalizers import NFC
from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split

from engines.errors import CheckpointInvalid

__all__ = ["TextTokenizer"]

# Qwen2's own split (transformers 4.57.3, Qwen2Converter). The official package splits otherwise when it loads from a local folder (a regex
# meant for Mistral is patched in), which cuts "iPhone" and Devanagari words differently from what the model was trained on.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)  # fmt: skip


class TextTokenizer:
    """Byte-level BPE of composed (NFC) text. What looks like a control token in a text is spelled out, never obeyed."""

    def __init__(self, folder: Path):
        """Raises CheckpointInvalid."""
        try:
            model = BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
        except Exception as error:  # the library raises bare Exception for unreadable files
            raise CheckpointInvalid(f"The tokenizer's files cannot be read: {error}.", "Fetch the weights again.") from error
        self._tokenizer = Tokenizer(model)
        self._tokenizer.normalizer = NFC()
        self._tokenizer.pre_tokenizer = Sequence([Split(Regex(SPLIT), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)])
        self._role = self._ids("assistant\n")
        if len(self._role) != 2:
            raise CheckpointInvalid(f"'assistant' and a line break are {len(self._role)} tokens; 2 expected.", "Fetch the weights again.")

    def body(self, text: str) -> list[int]:
        """Ids of a text as it stands in a prompt, between the header of its turn and the turn's end. Whitespace around it has no part."""
        return self._ids(text.strip())

    def header(self, im_start: int) -> list[int]:
        """Ids of `<|im_start|>assistant` and a line break, which open a turn; three."""
        return [im_start, *self._role]

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids
