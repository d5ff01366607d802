"""What encoder and decoder of Voxtral's codec share: a frame's codebooks, and a convolution whose first row is mirrored."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.codec.causal_conv import CausalConv1d, CausalTransposedConv1d, ReflectingCausalConv1d
from engines.voxtral.codec.codec_transformer import VoxtralCodecTransformer
from engines.voxtral.config import VoxtralCodecConfig

__all__ = ["PREPARED", "CodecQuantizer", "PatchConv1d"]

LEAST_USAGE = 1e-5  # vllm-omni 0.30.0, SemanticCodebook.epsilon


class PatchConv1d(ReflectingCausalConv1d):
    """The convolution from patches of samples to rows, and the one back. Upstream: CausalConv1d with pad_mode "reflect"."""

    def tail_of_short(self, rows: Tensor) -> Tensor:
        """The tail before the first row of streams (B, T, D) that are there whole: where they are too short to be mirrored, zeros behind
        them are mirrored too, as upstream's pad1d does.
        """
        return self.tail_before(F.pad(rows, (0, 0, 0, max(0, self.context + 1 - rows.shape[1]))))


class CodecQuantizer(nn.Module):
    """Latent rows and codes: a semantic code is the nearest of learned entries, an acoustic one a number rounded to a few levels (FSQ,
    arXiv 2309.15505). Upstream: MistralAudioCodebook.
    """

    entries: Tensor  # (semantic_codebook_size, semantic_dim)

    def __init__(self, config: VoxtralCodecConfig):
        super().__init__()
        self.semantic_codebook = _SemanticCodebook(config.semantic_codebook_size, config.semantic_dim)
        self._semantic_dim, self._last_level = config.semantic_dim, config.acoustic_codebook_size - 1

    def prepare_weights(self) -> None:
        """The entries: sums over how often each was used, divided in this module's dtype. In the file's bfloat16 they would round anew."""
        book = self.semantic_codebook
        entries = book.embedding_sum.detach() / book.cluster_usage.detach().clamp(min=LEAST_USAGE)[:, None]
        self.register_buffer("entries", entries, persistent=False)
        del self.semantic_codebook

    def decode(self, codes: Tensor) -> Tensor:
        """(B, Q, F) int64, each within its book -> (B, F, latent_dim)."""
        levels = codes[:, 1:].mT.to(self.entries.dtype)
        return torch.cat([F.embedding(codes[:, 0], self.entries), levels * 2 / self._last_level - 1], dim=2)

    def encode(self, rows: Tensor) -> Tensor:
        """(B, F, latent_dim) -> (B, Q, F) int64. Of entries that are equally near it is the first.

        Distances are sums of squared differences: |x|^2 - 2 x.e + |e|^2 would lose in float32 what tells near entries apart.
        """
        semantic, acoustic = rows[:, :, : self._semantic_dim], rows[:, :, self._semantic_dim :]
        distances = torch.cdist(semantic, self.entries, compute_mode="donot_use_mm_for_euclid_dist")  # (B, F, entries)
        levels = ((acoustic.tanh() + 1) / 2 * self._last_level).round().long()
        return torch.cat([distances.argmin(-1, keepdim=True), levels], dim=2).mT.contiguous()


class _SemanticCodebook(nn.Module):
    """As the file has it: moving averages of training."""

    def __init__(self, size: int, width: int):
        super().__init__()
        self.embedding_sum, self.cluster_usage = nn.Parameter(torch.empty(size, width)), nn.Parameter(torch.empty(size))


# Kinds of layers that prepare their weights.
PREPARED = CausalConv1d | CausalTransposedConv1d | VoxtralCodecTransformer | CodecQuantizer
