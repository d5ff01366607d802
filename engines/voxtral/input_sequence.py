"""VoxtralInputSequence: what the backbone reads before it speaks.

    <s> [BEGIN_AUDIO] | rows of the voice | [NEXT_AUDIO_TEXT] text [REPEAT_AUDIO_TEXT] [BEGIN_AUDIO]

What stands before the text is the same for all texts in a voice. Source: encode_speech_request of mistral-common 1.13.1, whose tokens
[AUDIO] vllm-omni replaces by the voice's rows.
"""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from engines.kit.tokenizers.vocabulary import Vocabulary
from engines.voxtral.backbone import VoxtralBackbone

__all__ = ["TekkenVocabulary", "VoxtralInputSequence"]


class TekkenVocabulary(Vocabulary, Protocol):
    """With the control tokens of a prompt."""

    @property
    def bos(self) -> int:
        """The beginning of a prompt."""
        ...

    @property
    def begin_audio(self) -> int:
        """Audio follows."""
        ...

    @property
    def text_to_audio(self) -> int:
        """Between a voice and a text."""
        ...

    @property
    def audio_to_text(self) -> int:
        """Behind a text."""
        ...


class VoxtralInputSequence:
    """Builds rows (1, T, D) with the backbone's own tables, in the compute dtype, where the weights are."""

    def __init__(self, backbone: VoxtralBackbone, tokenizer: TekkenVocabulary):
        self._backbone, self._tokenizer = backbone, tokenizer

    def voice(self, rows: Tensor) -> Tensor:
        """What every text in the voice begins with. rows: (1, N, D) of the voice."""
        tokens = self._tokenizer
        return torch.cat([self._text([tokens.bos, tokens.begin_audio]), rows, self._text([tokens.text_to_audio])], dim=1)

    def text(self, text: str) -> Tensor:
        """What follows; frames come behind it. Raises TextUnspeakable."""
        tokens = self._tokenizer
        return self._text([*tokens.ids(text), tokens.audio_to_text, tokens.begin_audio])

    def _text(self, ids: Sequence[int]) -> Tensor:
        return self._backbone.embed_text(torch.tensor([list(ids)], dtype=torch.int64, device=self._backbone.embeddings.weight.device))
