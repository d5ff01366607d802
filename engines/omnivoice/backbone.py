"""Backbone: a transformer that sees a whole sentence at once, text and codes. It says which values the open codes may have."""

import torch
from torch import Tensor, nn

from engines.kit.nn.attention import AttentionStep
from engines.kit.nn.fusable import Fusable
from engines.kit.nn.transformer import Decoder
from engines.omnivoice.config import OmniVoiceConfig

__all__ = ["Backbone"]

ALL = slice(None)


class Backbone(Fusable, nn.Module):
    """Rows of text and of frames for `decoder`, logits of what it makes of them. D: its width. Q: codebooks of a frame. V: entries of a
    book, the last of which stands for a code that is open.
    """

    FUSED_BY = frozenset({"frames_into_rows"})
    _first_rows: Tensor

    def __init__(self, config: OmniVoiceConfig):
        super().__init__()
        self.decoder = Decoder(config.decoder())
        self.n_codebooks, self.n_entries, self.mask_id = config.num_audio_codebook, config.audio_vocab_size, config.audio_mask_id
        width, n_codes = config.llm_config.hidden_size, self.n_codebooks * self.n_entries
        self.embed_tokens = nn.Embedding(config.llm_config.vocab_size, width)
        self.audio_embeddings = nn.Embedding(n_codes, width)
        self.audio_heads = nn.Linear(width, n_codes, bias=False)

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states."""
        return self.decoder.norm.weight.dtype

    def prepare_weights(self) -> None:
        """Where each book begins in the table of all. Once, after loading."""
        offsets = torch.arange(self.n_codebooks, device=self.audio_embeddings.weight.device) * self.n_entries
        self.register_buffer("_first_rows", offsets[:, None], persistent=False)

    def embed_text(self, ids: Tensor) -> Tensor:
        """Tokens (B, T) int64 as rows (B, T, D)."""
        return self.embed_tokens(ids)

    def embed_frames(self, codes: Tensor) -> Tensor:
        """Frames (B, Q, F) int64, open codes among them, as rows (B, F, D)."""
        return self.audio_embeddings(codes + self._first_rows).sum(dim=1)

    def write_frames(self, codes: Tensor, rows: Tensor, places: Tensor) -> None:
        """Embed frames (B, Q, F) int64, all contiguous, each at its places (B, 2, F) int64 of rows (B, N, D)."""
        if self.fused:
            torch.ops.engines.frames_into_rows(rows, self.audio_embeddings.weight, codes, places)
        else:
            at = places.flatten(1)[..., None].expand(-1, -1, rows.shape[-1])
            rows.scatter_(1, at, self.embed_frames(codes).repeat(1, 2, 1))

    def logits(self, rows: Tensor, step: AttentionStep, at: Tensor | None = None) -> Tensor:
        """Of rows (B, N, D), or of some of them, (B, F, D) int64: (B, Q, F, V) float32."""
        made = self.decoder.headed((rows, step, None), self.audio_heads, ALL if at is None else at, is_wide=True)
        return made.unflatten(-1, (self.n_codebooks, self.n_entries)).transpose(1, 2)
