"""BytePairTokenizer: text to token ids by byte-level byte pairs. It reads a vocabulary and its merges, or one file."""

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from string import ascii_lowercase

from tokenizers import AddedToken, Regex, Tokenizer, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.normalizers import NFC

from engines.errors import CheckpointInvalid, TextUnspeakable

__all__ = ["BytePairTokenizer", "check_ids", "check_letters", "settled_length"]

WORDS, MERGES, AGAIN = "vocab.json", "merges.txt", "Fetch the weights again."
N_BYTES, MOST_OF_THEM = 256, 0.99  # a vocabulary has a word for each byte and one for each merge, and may have a few that no text has

# Where words are cut before their bytes are paired: Qwen2's own (transformers 4.57.3, Qwen2Converter), which CosyVoice3, OmniVoice and
# Fish have too.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)  # fmt: skip
# Between a word and a blank, or a mark of East Asian sentences, nothing of SPLIT reaches over, and nothing composes (NFC).
_ALWAYS_CUT = re.compile(r"(?<=\S)(?= )|(?<=[^\W\d_])(?=[，。！？、；：])")
MARK = re.compile(r"<\|[^<>|]+\|>")


def settled_length(text: str) -> int:
    """Characters of a text that goes on whose ids, by themselves, are those that begin the ids of the whole, whatever follows."""
    return max((match.start() for match in _ALWAYS_CUT.finditer(text)), default=0)


def check_letters(encode: Callable[[str], Sequence[int]], file: str) -> None:
    """Raises CheckpointInvalid where letters are read as one another, or as nothing: of a vocabulary with few words left."""
    if len({tuple(encode(letter)) for letter in ascii_lowercase} - {()}) < len(ascii_lowercase):
        raise CheckpointInvalid(f"{file} of the checkpoint is damaged: it has no ids for the letters a to z.", AGAIN)


def check_ids(n_ids: int, n_rows: int, file: str) -> None:
    """Raises CheckpointInvalid where a vocabulary has more ids than the table of text has rows."""
    if n_ids > n_rows:
        what = f"its ids go to {n_ids - 1}, and config.json has a vocabulary of {n_rows}"
        raise CheckpointInvalid(f"{file} of the checkpoint is another model's: {what}.", AGAIN)


class BytePairTokenizer:
    """Ids of text. What looks like a control token in it is spelled out, never obeyed, but for those that the caller allows.

    control_tokens: all that the file has beside its vocabulary, those that it does not call special (<think>) too.
    """

    def __init__(self, tokenizer: Tokenizer):
        self.control_tokens = frozenset(token.content for token in tokenizer.get_added_tokens_decoder().values())
        tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in sorted(self.control_tokens)])
        tokenizer.encode_special_tokens = True  # what is special, as text, that is
        self._tokenizer = tokenizer

    @classmethod
    def from_vocabulary(cls, folder: Path, control_tokens: Sequence[str] = ()) -> "BytePairTokenizer":
        """From vocab.json and merges.txt; control tokens get the ids behind the vocabulary, in their order. Raises CheckpointInvalid."""
        try:
            tokenizer = Tokenizer(BPE.from_file(str(folder / WORDS), str(folder / MERGES)))
            n_merges = sum(not line.startswith("#version") for line in (folder / MERGES).read_text(encoding="utf-8").splitlines())
        except Exception as error:  # the library raises bare Exception for unreadable files
            raise CheckpointInvalid(f"{WORDS} or {MERGES} of the checkpoint cannot be read: {error}.", AGAIN) from error
        n_made = tokenizer.get_vocab_size() - N_BYTES
        if n_merges < n_made * MOST_OF_THEM:
            raise CheckpointInvalid(f"{MERGES} of the checkpoint is cut: it makes {n_merges} of the {n_made} words in {WORDS}.", AGAIN)
        tokenizer.normalizer = NFC()
        parts = [pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts)
        tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in control_tokens])
        made = cls(tokenizer)
        check_letters(made.encode, WORDS)
        return made

    @classmethod
    def from_file(cls, file: Path) -> "BytePairTokenizer":
        """From a tokenizer.json, which says itself how text is cut. Raises CheckpointInvalid."""
        try:
            made = cls(Tokenizer.from_file(str(file)))
        except Exception as error:  # the library raises bare Exception for unreadable files
            raise CheckpointInvalid(f"{file.name} of the checkpoint cannot be read: {error}.", AGAIN) from error
        check_letters(made.encode, file.name)
        return made

    def encode(self, text: str, allowed: Collection[str] = ()) -> list[int]:
        """Ids of the text. allowed: control tokens that are obeyed where they stand in it."""
        if not allowed:
            return self._tokenizer.encode(text, add_special_tokens=False).ids
        longest_first = sorted(allowed, key=len, reverse=True)
        ids = []
        for part in re.split(f"({'|'.join(map(re.escape, longest_first))})", text):
            ids += [self.id_of(part)] if part in allowed else self.encode(part)
        return ids

    @property
    def n_ids(self) -> int:
        """Rows that a table must have for every token of the file: one more than the highest id."""
        return max(self._tokenizer.get_vocab().values(), default=-1) + 1

    def check_rows(self, n_rows: int, file: str) -> None:
        """Raises CheckpointInvalid where there are ids that the table of text, of so many rows, has none for: two models' files."""
        check_ids(self.n_ids, n_rows, file)

    def refuse_control(self, text: str, allowed: Collection[str] = ()) -> None:
        """Raises TextUnspeakable for the first control token in <|...|> that the text spells out, but for those allowed."""
        for mark in MARK.findall(text):
            if mark in self.control_tokens and mark not in allowed:
                raise TextUnspeakable(sentence="text_with_control_token", token=mark)

    def id_of(self, token: str) -> int:
        """The id of one token by its name, a control token's for example. Raises CheckpointInvalid."""
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            raise CheckpointInvalid(f"The tokenizer has no token {token}.", "Fetch the weights of the right model.")
        return token_id
