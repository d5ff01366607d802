"""DepthDecoder: a small transformer over the codebooks of one frame (arXiv 2410.00037, section 3.4.1). Each code follows from those before
it.

Its first position is the large transformer's hidden state of the frame's past. Its second position is the frame's first code.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor, nn

from engines.kit.nn.attention import AttentionStep, KVCache
from engines.kit.nn.transformer import Decoder, DecoderConfig

__all__ = ["DepthDecoder", "SampleCodebook"]

# (logits (B, V), codebook 1 to Q - 1) -> codes (B,) int64; or these and their embeddings (B, 1, H), of who has looked them up along with it
SampleCodebook = Callable[[Tensor, int], Tensor | tuple[Tensor, Tensor]]


class DepthDecoder(nn.Module, ABC):
    """Whoever builds on it says how codes are embedded, how rows come to its width, and which head has whose logits.

    H: the width of hidden states and embeddings outside; Q: codebooks in all. WIDE_LOGITS: whether logits are float32 to whoever samples.
    """

    WIDE_LOGITS: ClassVar[bool]

    def __init__(self, config: DecoderConfig, n_codebooks: int):
        super().__init__()
        self.n_codebooks = n_codebooks
        self.decoder = Decoder(config)
        self._steps: tuple[AttentionStep, ...] = ()

    @abstractmethod
    def embed(self, codebook: int, codes: Tensor) -> Tensor:
        """Codes (B, T) int64 of a codebook 1 to Q - 1 embedded, (B, T, H)."""

    @abstractmethod
    def project(self, rows: Tensor) -> Tensor:
        """(B, T, H) to the decoder's width."""

    @abstractmethod
    def head(self, codebook: int) -> nn.Linear:
        """Makes logits (B, V) of a codebook 1 to Q - 1 from hidden states (B, D)."""

    def new_cache(self, batch: int = 1) -> KVCache:
        """A cache for one frame: the hidden state and all codes but the last. Each frame overwrites the one before."""
        return self.decoder.new_cache(batch, self.n_codebooks)

    def complete(self, hidden_state: Tensor, code0_embed: Tensor, sample_codebook: SampleCodebook, cache: KVCache) -> tuple[Tensor, Tensor]:
        """The codes of codebooks 1 to Q - 1, (B, Q - 1) int64, and their embeddings (B, Q - 1, H).

        hidden_state: of the large transformer, (B, H). code0_embed: the first code embedded, (B, H).
        """
        steps = self._steps = self._steps or self._frame_steps(hidden_state.device)
        rows, codes, embeds = torch.stack([hidden_state, code0_embed], dim=1), [], []
        for codebook, step in enumerate(steps, start=1):
            logits = self.decoder.headed((self.project(rows), step, cache), self.head(codebook), is_wide=self.WIDE_LOGITS)
            drawn = sample_codebook(logits[:, 0], codebook)
            own, rows = drawn if isinstance(drawn, tuple) else (drawn, self.embed(codebook, drawn[:, None]))
            codes.append(own)
            embeds.append(rows)
        return torch.stack(codes, dim=1), torch.cat(embeds, dim=1)

    def _frame_steps(self, device: torch.device) -> tuple[AttentionStep, ...]:
        """The passes of a frame, the same in every frame: hidden state and first code, then one code each."""
        positions = torch.arange(self.n_codebooks, device=device)
        rest = (self.decoder.step(positions[at : at + 1], at + 1, exact=True) for at in range(2, self.n_codebooks))
        return self.decoder.step(positions[:2], 2), *rest
