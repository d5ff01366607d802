"""BytePairTokenizer: text to token ids by byte-level byte pairs, from a vocabulary and its merges or from one file."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.normalizers import NFC

from engines.errors import CheckpointInvalid

__all__ = ["BytePairTokenizer"]

# Where words are cut before their bytes are paired: Qwen2's own (transformers 4.57.3, Qwen2Converter), which CosyVoice3, OmniVoice and
# Fish have too.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)  # fmt: skip


class BytePairTokenizer:
    """Ids of text. What looks like a control token in it is spelled out, never obeyed, but for those that the caller allows."""

    def __init__(self, tokenizer: Tokenizer):
        tokenizer.encode_special_tokens = True  # as text, that is
        self._tokenizer = tokenizer

    @classmethod
    def from_vocabulary(cls, folder: Path, control_tokens: Sequence[str] = ()) -> "BytePairTokenizer":
        """From vocab.json and merges.txt; control tokens get the ids behind the vocabulary, in their order. Raises CheckpointInvalid."""
        try:
            model = BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
        except Exception as error:  # the library raises bare Exception for unreadable files
            raise _unreadable(error) from error
        tokenizer = Tokenizer(model)
        tokenizer.normalizer = NFC()
        parts = [pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts)
        tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in control_tokens])
        return cls(tokenizer)

    @classmethod
    def from_file(cls, file: Path) -> "BytePairTokenizer":
        """From a tokenizer.json, which says itself how text is cut. Raises CheckpointInvalid."""
        try:
            return cls(Tokenizer.from_file(str(file)))
        except Exception as error:  # the library raises bare Exception for unreadable files
            raise _unreadable(error) from error

    def encode(self, text: str, allowed: Collection[str] = ()) -> list[int]:
        """Ids of the text. allowed: control tokens that are obeyed where they stand in it."""
        if not allowed:
            return self._tokenizer.encode(text, add_special_tokens=False).ids
        longest_first = sorted(allowed, key=len, reverse=True)
        ids = []
        for part in re.split(f"({'|'.join(map(re.escape, longest_first))})", text):
            ids += [self.id_of(part)] if part in allowed else self.encode(part)
        return ids

    def id_of(self, token: str) -> int:
        """The id of one token by its name, a control token's for example. Raises CheckpointInvalid."""
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            raise CheckpointInvalid(f"The tokenizer has no token {token}.", "Fetch the weights of the right model.")
        return token_id


def _unreadable(error: Exception) -> CheckpointInvalid:
    return CheckpointInvalid(f"The tokenizer's files cannot be read: {error}.", "Fetch the weights again.")
