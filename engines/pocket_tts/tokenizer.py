"""PocketTokenizer: turns text into the token ids that the language model reads, from tokenizer.json or tokenizer.model."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.sentencepiece_model import SentencePieceModel

__all__ = ["PocketTokenizer", "read_tokenizer"]

UNKNOWN = "\U0010ffff"  # no character, so that no vocabulary lists it
AGAIN = "Fetch the weights again."


@dataclass(frozen=True)
class PocketTokenizer:
    """encode: a text as it stands -> its ids, below n_ids."""

    encode: Callable[[str], list[int]]
    n_ids: int

    def ids(self, text: str) -> list[int]:
        """Of a text as it stands."""
        return self.encode(text)


def read_tokenizer(file: Path, n_bins: int) -> PocketTokenizer:
    """n_bins: tokens that the model has. Raises CheckpointInvalid for a file that cannot be read, or that has another number of them."""
    if file.suffix == ".model":
        model = SentencePieceModel(file)
        tokenizer = PocketTokenizer(model.ids, model.n_ids)
    else:
        tokenizer = _from_json(file)
    if tokenizer.n_ids != n_bins:
        raise CheckpointInvalid(f"{file.name} has {tokenizer.n_ids} tokens, {n_bins} are expected: it is another model's.", AGAIN)
    return tokenizer


def _from_json(file: Path) -> PocketTokenizer:
    """As the file has it. Control tokens that its vocabulary lists are found in a text that spells them out, as by the makers' package."""
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception for unreadable files
        raise CheckpointInvalid(f"{file.name} of the checkpoint cannot be read: {error}.", AGAIN) from error
    if tokenizer.truncation or tokenizer.padding:
        raise CheckpointInvalid(
            f"{file.name} of the checkpoint cuts texts off, or fills them up.", "Use the file as its makers released it."
        )
    try:
        tokenizer.encode(UNKNOWN)
    except Exception as error:
        raise CheckpointInvalid(f"{file.name} of the checkpoint has no token for what it does not know: {error}.", AGAIN) from error
    n_ids = max(tokenizer.get_vocab().values(), default=-1) + 1
    return PocketTokenizer(lambda text: tokenizer.encode(text).ids, n_ids)
