"""SlowTransformer: reads one row per frame. Its hidden state gives the frame's semantic token, or the end. Fish calls it the slow AR."""

import math

import torch
from torch import Tensor, nn

from engines.fish_speech.config import FishConfig
from engines.kit.nn.transformer import Decoder

__all__ = ["SlowTransformer"]


class SlowTransformer(nn.Module):
    """Rows of text and of frames for `decoder`, logits of what it makes of them. H: its width. Q: codebooks of a frame.

    Logits are those of semantic codes 0, 1, ... and, behind them, of the end of speech: of nothing else may be chosen. Both tables may be
    kept in another dtype, the file's: they are read a few rows at a time.
    """

    head: nn.Linear
    _first_rows: Tensor

    def __init__(self, config: FishConfig):
        super().__init__()
        text, audio = config.text_config, config.audio_decoder_config
        self.embeddings = nn.Embedding(text.vocab_size, text.dim)
        self.codebook_embeddings = nn.Embedding(audio.vocab_size * audio.num_codebooks, text.dim)
        self.decoder = Decoder(config.slow_decoder())
        self._first_id, self._end_id = config.semantic_start_token_id, config.eos_token_id
        self.n_semantic = config.n_semantic_codes
        self.n_codebooks, self._book_rows = audio.num_codebooks, audio.vocab_size

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states."""
        return self.decoder.norm.weight.dtype

    def prepare_weights(self) -> None:
        """The rows of the table that are the head's (`tie_word_embeddings`), apart. Once, after loading."""
        table = self.embeddings.weight.detach()
        rows = torch.cat([table[self._first_id : self._first_id + self.n_semantic], table[self._end_id : self._end_id + 1]])
        self.head = nn.Linear(rows.shape[1], len(rows), bias=False, device="meta")
        self.head.weight = nn.Parameter(rows.to(self.dtype), requires_grad=False)
        offsets = torch.arange(self.n_codebooks, device=table.device) * self._book_rows
        self.register_buffer("_first_rows", offsets, persistent=False)

    def embed_text(self, ids: Tensor) -> Tensor:
        """Tokens (B, T) int64 as rows (B, T, H)."""
        return self.embeddings(ids).to(self.dtype)

    def embed_frames(self, codes: Tensor) -> Tensor:
        """Frames (B, F, Q) int64 as rows (B, F, H): semantic token and all codes summed, over the root of how many they are.

        The division is `scale_codebook_embeddings` of the configuration; vllm-omni 0.30.0, FishSpeechSlowARForConditionalGeneration.
        """
        books = self.codebook_embeddings(codes + self._first_rows).to(self.dtype).sum(dim=2)
        return (self.embed_text(codes[..., 0] + self._first_id) + books) / math.sqrt(self.n_codebooks + 1)

    def logits(self, hidden_states: Tensor) -> Tensor:
        """Of hidden states (B, H), and in their dtype: (B, n_semantic + 1)."""
        return self.head(hidden_states)
