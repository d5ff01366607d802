"""A made-up vocabulary in the file of a Fish tokenizer: bytes, chosen words as single tokens, the control tokens at their ids."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.normalizers import NFC

from engines.layers.byte_pair_tokenizer import SPLIT
from tests.engines.qwen3_tts.vocabulary import byte_symbols, special_tokens

__all__ = ["N_BEFORE_SEMANTIC", "control_tokens", "write_tokenizer"]

# Behind Qwen3's own 26, from <|endoftext|> to </think>; those of codes follow (released ids: 151669 to 151677, then 151678 to 155773).
_N_QWEN3 = 26
_FISH = ("<|pad|>", "<|phoneme_start|>", "<|phoneme_end|>", "<|text|>", "<|voice|>", "<|interleave|>")
_AUDIO = ("<|audio_start|>", "<|audio_end|>", "<|audio_pad|>")
N_BEFORE_SEMANTIC = _N_QWEN3 + len(_FISH) + len(_AUDIO)
_ORDINARY = ("<tool", "</tool", "<think", "</think", "<|fim", "<|repo", "<|file")  # not called special in Qwen3's file
WORDS = ("system", "user", "assistant", "the", "voice", "text", "speech", "speaker")


def control_tokens(config: Mapping) -> dict[str, int]:
    """token -> id, by config.json's semantic_start_token_id and semantic_end_token_id, at the released distances."""
    start, end = config["semantic_start_token_id"], config["semantic_end_token_id"]
    first = start - N_BEFORE_SEMANTIC
    qwen3 = list(special_tokens({"im_start_token_id": first + 1}))[:_N_QWEN3]
    codes = (f"<|semantic:{code}|>" for code in range(end - start + 1))
    return {token: first + i for i, token in enumerate((*qwen3, *_FISH, *_AUDIO, *codes))}


def write_tokenizer(folder: Path, config: Mapping, words: Sequence[str] = WORDS) -> None:
    """tokenizer.json. words: become single tokens, with and without a space before. Between them and the control tokens no id is used."""
    control, symbols = control_tokens(config), byte_symbols()
    vocabulary, merges = {symbol: i for i, symbol in enumerate(symbols)}, []
    for left, right in _chains(words, symbols):
        if left + right not in vocabulary:
            vocabulary[left + right] = len(vocabulary)
            merges.append((left, right))
    if len(vocabulary) > control["<|endoftext|>"]:
        raise ValueError(f"{len(vocabulary)} tokens do not fit below the first control token, {control['<|endoftext|>']}")
    tokenizer = Tokenizer(BPE(vocabulary | control, merges))  # among the vocabulary a token may have any id
    tokenizer.normalizer = NFC()
    cuts = [pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=not token.startswith(_ORDINARY)) for token in control])
    tokenizer.save(str(folder / "tokenizer.json"))


def _chains(words: Sequence[str], symbols: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Merges that build each word from the left, letter by letter, and at last put a space before it."""
    for word in words:
        letters = [symbols[byte] for byte in word.encode()]
        yield from (("".join(letters[:i]), letters[i]) for i in range(1, len(letters)))
        yield symbols[ord(" ")], "".join(letters)
