"""VoxtralBackbone: Ministral's transformer over rows of voice, text and frames. A frame is made from its hidden state."""

import torch
from torch import Tensor, nn

from engines.kit.nn.transformer import Decoder
from engines.voxtral.config import END_AUDIO, N_SPECIAL, NO_AUDIO, VoxtralConfig

__all__ = ["VoxtralBackbone"]


class VoxtralBackbone(nn.Module):
    """Rows of text and of frames for `decoder`. D: its width. Q: codebooks of a frame.

    Both tables may be kept in another dtype, the file's: they are read a few rows at a time.
    """

    _first_rows: Tensor

    def __init__(self, config: VoxtralConfig):
        super().__init__()
        self.embeddings = nn.Embedding(config.vocab_size, config.dim)
        self.codebook_embeddings = nn.Embedding(config.audio_model.n_rows, config.dim)
        self.decoder = Decoder(config.backbone())
        self._first_rows_of_books = config.audio_model.first_rows

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states."""
        return self.decoder.norm.weight.dtype

    def prepare_weights(self) -> None:
        """Where each book begins in its table, on the device. Once, after loading."""
        first_rows = torch.tensor(self._first_rows_of_books, device=self.codebook_embeddings.weight.device)
        self.register_buffer("_first_rows", first_rows, persistent=False)

    def embed_text(self, ids: Tensor) -> Tensor:
        """Tokens (B, T) int64 as rows (B, T, D)."""
        return self.embeddings(ids).to(self.dtype)

    def embed_frames(self, codes: Tensor) -> Tensor:
        """Frames (B, F, Q) int64, of codes without the special ones, as rows (B, F, D): those of all books summed.

        Source: MultiVocabEmbeddings and VoxtralTTSAudioTokenizer.encode_tokens of vllm-omni 0.30.0.
        """
        return self._summed(codes + N_SPECIAL)

    def embed_clip(self, codes: Tensor) -> Tensor:
        """Frames (B, F, Q) of a whole recording as rows (B, F + 1, D), the last of which says that it has ended: of no other book has
        it a code (encode_waveforms of vllm-omni 0.30.0).
        """
        end = torch.full_like(codes[:, :1], NO_AUDIO)
        end[..., 0] = END_AUDIO
        return self._summed(torch.cat([codes + N_SPECIAL, end], dim=1))

    def _summed(self, entries: Tensor) -> Tensor:
        return self.codebook_embeddings(entries + self._first_rows).to(self.dtype).sum(dim=2)
