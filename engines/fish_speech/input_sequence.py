"""FishInputSequence: what the slow transformer reads before it speaks: turns of a conversation, with the recordings in the first turn.

    <|im_start|>system\n convert ... following:\n\nText:\n | words | \n\nSpeech:\n | frames | <|im_end|>\n <|im_start|>user\n
    text <|im_end|>\n <|im_start|>assistant\n <|voice|>

The first line is the same for all texts in a voice. If any voice will do, its system turn says so. An earlier piece of the text may stand
between the two, as a turn of the user with its answer. Words of recording i begin with <|speaker:i|>, which is plain text to the tokenizer.
Parts are tokenized apart, as the official code does it: byte pairs never cross from one to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.fish_speech.slow_transformer import SlowTransformer
from engines.fish_speech.text_pieces import SPEAKER_TAG
from engines.kit.tokenizers.vocabulary import ControlVocabulary

__all__ = ["FishInputSequence", "SpokenPiece"]

ANY_VOICE = "convert the provided text to speech"
THIS_VOICE, SPEECH_FOLLOWS = f"{ANY_VOICE} reference to the following:\n\nText:\n", "\n\nSpeech:\n"


@dataclass(frozen=True)
class SpokenPiece:
    """A piece of a text, and how it was spoken: codes (F, Q) int64, F may be 0."""

    text: str
    codes: Tensor


class FishInputSequence:
    """Builds rows (1, T, H) with the networks' own tables, in the compute dtype, where the weights are.

    codes_in_marks: the recordings' frames stand between <|audio_start|> and <|audio_end|>, as vllm-omni has them.
    """

    def __init__(self, slow: SlowTransformer, tokenizer: ControlVocabulary, *, codes_in_marks: bool = False):
        self._slow, self._tokenizer, self._codes_in_marks = slow, tokenizer, codes_in_marks

    def voice(self, words: Sequence[str], codes: Tensor) -> Tensor:
        """The rows that every text in the voice begins with. words: of each recording, () for any voice. codes: (F, Q) int64 of all."""
        if not words:
            return self._text([*self._opened("system"), *self._ids(ANY_VOICE), *self._closed(), *self._opened("user")])
        tagged = (text if SPEAKER_TAG.search(text) else f"<|speaker:{index}|>{text}" for index, text in enumerate(words))
        head = [*self._opened("system"), *self._ids(THIS_VOICE), *self._ids("\n".join(tagged)), *self._ids(SPEECH_FOLLOWS)]
        tail = [*self._closed(), *self._opened("user")]
        if self._codes_in_marks:
            head, tail = [*head, self._tokenizer.special("audio_start")], [self._tokenizer.special("audio_end"), *tail]
        return torch.cat([self._text(head), self._slow.embed_frames(codes[None]), self._text(tail)], dim=1)

    def text(self, text: str, before: SpokenPiece | None = None) -> Tensor:
        """What follows. before: the piece that stands between voice and text. Raises TextUnspeakable."""
        if before is None:
            return self._asked(text)
        answered = self._slow.embed_frames(before.codes[None])
        turn = self._text([*self._closed(), *self._opened("user")])
        return torch.cat([self._asked(before.text), answered, turn, self._asked(text)], dim=1)

    def _asked(self, text: str) -> Tensor:
        return self._text([*self._ids(text), *self._closed(), *self._opened("assistant"), self._tokenizer.special("voice")])

    def _opened(self, role: str) -> list[int]:
        return [self._tokenizer.special("im_start"), *self._ids(f"{role}\n")]

    def _closed(self) -> list[int]:
        return [self._tokenizer.special("im_end"), *self._ids("\n")]

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.ids(text)

    def _text(self, ids: Sequence[int]) -> Tensor:
        return self._slow.embed_text(torch.tensor([list(ids)], dtype=torch.int64, device=self._slow.head.weight.device))
