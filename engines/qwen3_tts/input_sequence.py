"""QwenInputSequence: what the talker reads before it speaks. Each row is the sum of a text row and a code row, in the order of the official
package.

Source: Qwen3TTSForConditionalGeneration.generate and generate_icl_prompt of qwen-tts 0.1.1, core/models/modeling_qwen3_tts.py.
The rows that do not depend on the text to be spoken come first, so that their keys and values can be kept per speaker.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.qwen3_tts.config import Qwen3Config
from engines.qwen3_tts.talker import CodePredictor, Talker

__all__ = ["QwenInputSequence", "Reference", "TextRows"]


@dataclass(frozen=True)
class Reference:
    """Whom to sound like.

    embedding: (H,) float32, of a recording or of a built-in speaker; None where the instruction says who speaks.
    code_rows: (1, F + 1, H), see QwenInputSequence.code_rows, and text_ids: the words in the recording, for speech in its context; both
    None to go by the embedding alone.
    """

    embedding: Tensor | None
    code_rows: Tensor | None = None
    text_ids: Sequence[int] | None = None


@dataclass(frozen=True)
class TextRows:
    """What is left to read once the shared rows are read.

    rows: (1, T, H), T >= 1: to be read before the first frame. trailing: (1, R, H): added to the rows of the frames 0, 1, ... as they are
    fed back; from frame R on it is the padding row.
    """

    rows: Tensor
    trailing: Tensor


class QwenInputSequence:
    """Builds rows with the networks' own tables. All rows are (1, T, H) in the talker's dtype, where its weights are."""

    def __init__(self, config: Qwen3Config, talker: Talker, predictor: CodePredictor, header_ids: Sequence[int]):
        self._talker, self._predictor, self._codes = talker, predictor, config.talker
        self._header_ids = header_ids
        self._bos, self._eos, self._pad = self._text([config.tts_bos_token_id, config.tts_eos_token_id, config.tts_pad_token_id]).split(
            1, dim=1
        )

    @property
    def padding(self) -> Tensor:
        """The text row when there is no more text, (1, 1, H)."""
        return self._pad

    def code_rows(self, codes: Tensor) -> Tensor:
        """Frames (F, Q) int64 as rows (1, F + 1, H): the beginning of speech, then the sum of each frame's codes."""
        embeds = [self._talker.embed_codes(codes[:, :1])]
        embeds += [self._predictor.embed(codebook, codes[:, codebook : codebook + 1]) for codebook in range(1, codes.shape[1])]
        return torch.cat([self._code([self._codes.codec_bos_id]), torch.cat(embeds, dim=1).sum(dim=1)[None]], dim=1)

    def shared(self, reference: Reference, language_id: int | None, *, full_text: bool, instruction_ids: Sequence[int] = ()) -> Tensor:
        """The rows that every text spoken in this voice begins with. language_id: codec id, None for "auto".

        instruction_ids: of the whole turn in which somebody says how to speak; they come before all else.
        """
        tags = [self._codes.codec_nothink_id, self._codes.codec_think_bos_id, self._codes.codec_think_eos_id]
        if language_id is not None:
            tags = [self._codes.codec_think_id, self._codes.codec_think_bos_id, language_id, self._codes.codec_think_eos_id]
        speaker = [] if reference.embedding is None else [reference.embedding.to(self._pad).view(1, 1, -1)]
        codes = torch.cat([self._code(tags), *speaker, self._code([self._codes.codec_pad_id])], dim=1)
        text = torch.cat([self._pad.expand(-1, codes.shape[1] - 1, -1), self._bos], dim=1)
        rows = [self._text([*instruction_ids, *self._header_ids]), text + codes]
        n_words = self._n_shared_words(reference, full_text=full_text)
        if n_words:
            assert reference.text_ids is not None and reference.code_rows is not None  # no words are shared without them
            words = self._text(reference.text_ids[:n_words])
            rows.append(words + (self._code([self._codes.codec_pad_id]) if full_text else reference.code_rows[:, :n_words]))
        return torch.cat(rows, dim=1)

    def input_text(self, reference: Reference, text_ids: Sequence[int], *, full_text: bool, goes_on: bool = False) -> TextRows:
        """What follows the shared rows. text_ids: of the text to be spoken, at least one.

        full_text: the text is read whole before the first frame; otherwise one token per frame, beside the codes.
        goes_on: these are its first tokens, `n_first` of them at least; `more_text` has what follows the trailing rows.
        """
        n_words = self._n_shared_words(reference, full_text=full_text)
        words = self._text([*(reference.text_ids or ())[n_words:], *text_ids])
        words = words if goes_on else torch.cat([words, self._eos], dim=1)
        codes = reference.code_rows if reference.code_rows is not None else self._code([self._codes.codec_bos_id])
        if full_text:
            return TextRows(torch.cat([words + self._code([self._codes.codec_pad_id]), codes + self._pad], dim=1), self._pad)
        codes = codes[:, n_words:]
        n_codes = codes.shape[1]
        if words.shape[1] > n_codes or goes_on:
            return TextRows(words[:, :n_codes] + codes, words[:, n_codes:])
        padded = torch.cat([words, self._pad.expand(-1, n_codes - words.shape[1], -1)], dim=1)
        return TextRows(padded + codes, self._pad)

    def more_text(self, text_ids: Sequence[int], *, goes_on: bool) -> Tensor:
        """Trailing rows (1, R, H) of further tokens; behind the last ones those of the end, padding included."""
        ends = [] if goes_on else [self._eos, self._pad]
        return torch.cat([self._text(text_ids), *ends], dim=1)

    def n_first(self, reference: Reference) -> int:
        """Tokens of a text that is read along with the codes that are wanted before the first frame."""
        if reference.code_rows is None or reference.text_ids is None:
            return 1
        return max(1, reference.code_rows.shape[1] - len(reference.text_ids))

    def build(
        self,
        reference: Reference,
        text_ids: Sequence[int],
        language_id: int | None,
        *,
        full_text: bool,
        instruction_ids: Sequence[int] = (),
    ) -> TextRows:
        """Shared rows and manuscript in one: everything that the talker reads before the first frame."""
        rest = self.input_text(reference, text_ids, full_text=full_text)
        shared = self.shared(reference, language_id, full_text=full_text, instruction_ids=instruction_ids)
        return TextRows(torch.cat([shared, rest.rows], dim=1), rest.trailing)

    def _n_shared_words(self, reference: Reference, *, full_text: bool) -> int:
        """Tokens of the reference's text whose rows no text to be spoken can change. One row at least is left for the manuscript."""
        if reference.text_ids is None or reference.code_rows is None:
            return 0
        return len(reference.text_ids) if full_text else min(len(reference.text_ids), reference.code_rows.shape[1] - 1)

    def _text(self, ids: Sequence[int]) -> Tensor:
        return self._talker.embed_text(torch.tensor([list(ids)], dtype=torch.int64, device=self._device))

    def _code(self, ids: Sequence[int]) -> Tensor:
        return self._talker.embed_codes(torch.tensor([list(ids)], dtype=torch.int64, device=self._device))

    @property
    def _device(self) -> torch.device:
        return self._talker.codec_head.weight.device
