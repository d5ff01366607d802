"""A made-up vocabulary in a tokenizer.json of Qwen3's kind: bytes, chosen words as single tokens, control tokens behind."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.normalizers import NFC

from engines.kit.tokenizers.byte_pair_tokenizer import SPLIT
from tests.engines.qwen3_tts.checkpoints.vocabulary import byte_symbols, special_tokens

__all__ = ["N_QWEN3", "qwen3_control_tokens", "write_qwen3_tokenizer"]

N_QWEN3 = 26  # its own control tokens, from <|endoftext|> to </think> (released ids: 151643 to 151668)
ORDINARY = ("<tool", "</tool", "<think", "</think", "<|fim", "<|repo", "<|file")  # not called special in Qwen3's file


def qwen3_control_tokens(first: int, others: Sequence[str]) -> dict[str, int]:
    """token -> id, Qwen3's own from `first` on and the others behind them."""
    own = list(special_tokens({"im_start_token_id": first + 1}))[:N_QWEN3]
    return {token: first + i for i, token in enumerate((*own, *others))}


def write_qwen3_tokenizer(folder: Path, control: Mapping[str, int], words: Sequence[str]) -> None:
    """tokenizer.json. words: become single tokens, with and without a space before. Between them and the control tokens no id is used."""
    symbols, first = byte_symbols(), min(control.values())
    vocabulary, merges = {symbol: i for i, symbol in enumerate(symbols)}, []
    for left, right in _chains(words, symbols):
        if left + right not in vocabulary:
            vocabulary[left + right] = len(vocabulary)
            merges.append((left, right))
    if len(vocabulary) > first:
        raise ValueError(f"{len(vocabulary)} tokens do not fit below the first control token, {first}")
    tokenizer = Tokenizer(BPE(vocabulary | control, merges))  # among the vocabulary a token may have any id
    tokenizer.normalizer = NFC()
    cuts = [pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=not token.startswith(ORDINARY)) for token in control])
    tokenizer.save(str(folder / "tokenizer.json"))


def _chains(words: Sequence[str], symbols: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Merges that build each word from the left, letter by letter, and at last put a space before it."""
    for word in words:
        letters = [symbols[byte] for byte in word.encode()]
        yield from (("".join(letters[:i]), letters[i]) for i in range(1, len(letters)))
        yield symbols[ord(" ")], "".join(letters)
