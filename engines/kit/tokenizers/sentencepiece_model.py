"""SentencePieceModel: text to ids by a SentencePiece `.model` file of the kind unigram. It does not need the package that wrote the file.

Field numbers are those of sentencepiece_model.proto (sentencepiece 0.2); how text is made ready follows its normalizer.cc, how it is cut
unigram_model.cc, by the `tokenizers` package.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tokenizers.models import Unigram

from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.character_map import CharacterMap
from engines.kit.weights.protobuf import Value, message_fields

__all__ = ["SentencePieceModel"]

MOST_BYTES = 16_000_000  # a vocabulary of 256,000 pieces takes 4 MB
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # ModelProto.SentencePiece.Type
UNIGRAM = 1
KINDS: Mapping[Value, str] = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}  # TrainerSpec.ModelType
SPACE = "▁"
USER_DEFINED_SCORE = -0.1  # unigram_model.cc: better than any sum of logarithms
AGAIN, OTHER = "Fetch the weights again.", "Use the checkpoint as its makers released it."


@dataclass(frozen=True)
class _Spec:
    """What a model says of itself, with the defaults of the format. character_map: bytes of a CharacterMap, none where it is empty."""

    byte_fallback: bool = False
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    character_map: bytes = b""


class SentencePieceModel:
    """Ids of texts, without any around them. What looks like a control piece in a text is read letter by letter."""

    def __init__(self, file: Path):
        """Raises CheckpointInvalid where there is no such file, one that is damaged, or one of a kind that is not implemented."""
        self._file = file.name
        try:
            content = _read(file)
            pieces = [_piece(value) for number, value in message_fields(content) if number == 1]
            spec = _spec(content)
            self._map = CharacterMap(spec.character_map) if spec.character_map else None
        except (OSError, ValueError) as error:
            raise CheckpointInvalid(f"{file.name} of the checkpoint cannot be read: {error}.", AGAIN) from error
        self._spec, self.n_ids = spec, len(pieces)
        self._space = SPACE if spec.escape_whitespaces else " "
        self._fill(pieces)

    def ids(self, text: str) -> list[int]:
        """Ids of the text. Raises CheckpointInvalid where the file's map of characters turns out to be damaged."""
        try:
            ready = self._ready(text)
        except ValueError as error:
            raise CheckpointInvalid(f"{self._file} of the checkpoint cannot be used: {error}.", AGAIN) from error
        content, ids = ready.encode(), []
        for token in self._unigram.tokenize(ready):
            ids += [self._ids[token.id]] if token.id else self._unknown(content[slice(*token.offsets)])
        return ids

    def _fill(self, pieces: list[tuple[str, float, int]]) -> None:
        """The pieces that text can be cut into. Behind `unigram`'s id 0 is what none of them has."""
        cut = [(index, text, score) for index, (text, score, kind) in enumerate(pieces) if kind in (NORMAL, USER_DEFINED)]
        unknown = [index for index, piece in enumerate(pieces) if piece[2] == UNKNOWN]
        bytes_of = {text: index for index, (text, _, kind) in enumerate(pieces) if kind == BYTE}
        self._bytes = [bytes_of.get(f"<0x{byte:02X}>", -1) for byte in range(256)] if self._spec.byte_fallback else []
        if len(unknown) != 1 or not cut or len({text for text, _, _ in pieces}) != len(pieces) or -1 in self._bytes:
            fact = f"{self._file} of the checkpoint lacks pieces, or has some twice: {len(pieces)} pieces, {len(unknown)} of them for"
            raise CheckpointInvalid(f"{fact} what is unknown, {len(bytes_of)} for bytes.", AGAIN)
        scores = [USER_DEFINED_SCORE if pieces[index][2] == USER_DEFINED else score for index, _, score in cut]
        least = min((score for index, _, score in cut if pieces[index][2] == NORMAL), default=0.0)
        listed = [("", least), *((text, score) for (_, text, _), score in zip(cut, scores, strict=True))]
        self._unigram = Unigram(listed, unk_id=0, byte_fallback=False)
        self._ids = [unknown[0], *(index for index, _, _ in cut)]
        verbatim = sorted((re.escape(text) for text, _, kind in pieces if kind == USER_DEFINED), key=len, reverse=True)
        self._verbatim = re.compile(f"({'|'.join(verbatim)})") if verbatim else None

    def _unknown(self, content: bytes) -> list[int]:
        return [self._bytes[byte] for byte in content] if self._bytes else self._ids[:1]

    def _ready(self, text: str) -> str:
        """The text as it is cut: characters replaced, blanks made one, and a mark in the place of each."""
        if not text:
            return ""
        spec, parts, after_space = self._spec, [], self._spec.remove_extra_whitespaces
        for part in self._parts(text):
            kept = part.lstrip(" ") if after_space else part
            if kept:
                parts.append(kept)
                after_space = spec.remove_extra_whitespaces and kept.endswith(" ")
        ready = "".join([" " if spec.add_dummy_prefix else "", *parts]).replace(" ", self._space)
        return ready.rstrip(self._space) if spec.remove_extra_whitespaces else ready

    def _parts(self, text: str) -> Iterable[str]:
        """Parts of which each is one to the rule of blanks. Pieces that a user has defined stay as they are."""
        if self._verbatim is None:
            return self._replaced(text)
        split = self._verbatim.split(text)
        return (one for index, part in enumerate(split) for one in ([part] if index % 2 else self._replaced(part)))

    def _replaced(self, text: str) -> Iterable[str]:
        return self._map.parts(text) if self._map else re.findall(r" |[^ ]+", text)


def _read(file: Path) -> bytes:
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    return content


def _piece(message: Value) -> tuple[str, float, int]:
    """(text, score, type)."""
    text = ""
    score: Value = 0.0
    kind: Value = NORMAL
    for number, value in message_fields(_message(message)):
        if number == 1:
            text = _message(value).decode()
        elif number == 2:
            score = value
        elif number == 3:
            kind = value
    if (
        not text
        or not isinstance(score, float)
        or not math.isfinite(score)
        or not isinstance(kind, int)
        or kind not in range(NORMAL, BYTE + 1)
    ):
        raise ValueError(f"piece {text!r} of type {kind} has the score {score!r}")
    return text, score, kind


def _spec(content: bytes) -> _Spec:
    """Raises CheckpointInvalid for what is not implemented, by name."""
    trainer, normalizer = _section(content, 2), _section(content, 3)
    kind = trainer.get(3, UNIGRAM)
    if kind != UNIGRAM:
        _refuse(f"model_type is {KINDS.get(kind, kind)}, implemented is unigram")
    if trainer.get(24):
        _refuse("treat_whitespace_as_suffix is true, implemented is false")
    flags = {name: bool(normalizer.get(number, True)) for number, name in enumerate(_FLAGS, 3)}
    return _Spec(bool(trainer.get(35)), character_map=_message(normalizer.get(2, b"")), **flags)


_FLAGS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")  # fields 3 to 5 of NormalizerSpec


def _section(content: bytes, wanted: int) -> Mapping[int, Value]:
    """Number -> value of the fields of trainer_spec or normalizer_spec, the last one of each."""

    def fields() -> Iterator[tuple[int, Value]]:
        for number, value in message_fields(content):
            if number == wanted:
                yield from message_fields(_message(value))

    return dict(fields())


def _message(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number stands where a message is expected")
    return value


def _refuse(fact: str) -> NoReturn:
    raise CheckpointInvalid(f"The SentencePiece model of the checkpoint: {fact}.", OTHER)
