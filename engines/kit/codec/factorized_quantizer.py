"""Residual vector quantization with factorized codes. Every codebook has entries of a few channels, and projections to them and back.

Two kinds. "direction" finds the nearest by direction alone and projects by convolutions of one row: VectorQuantize and
ResidualVectorQuantize of descript-audio-codec 1.0.0 (arXiv 2306.06546, after ViT-VQGAN, arXiv 2110.04627). "distance" finds the nearest by
distance and projects by matrices: HiggsAudioV2TokenizerVectorQuantization of transformers 5.23.
Parameters have DAC's names until `prepare_weights` replaces them, once after loading.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_list

__all__ = ["FactorizedLookup", "FactorizedQuantizer"]

Kind = Literal["direction", "distance"]


class FactorizedQuantizer(nn.Module):
    """Rows to codes: in each codebook the entry that is nearest to what the codebooks before left over.

    codebook_sizes: entries per codebook, in their order. codebook_dim: channels of an entry. kind: see the module.
    """

    def __init__(self, width: int, codebook_dim: int, codebook_sizes: Sequence[int], kind: Kind = "direction"):
        super().__init__()
        self.quantizers = module_list(_EncodingCodebook(width, codebook_dim, size, kind) for size in codebook_sizes)

    def prepare_weights(self) -> None:
        """What rows are compared with. Once, after loading."""
        for quantizer in self.quantizers:
            quantizer.prepare_weights()

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """(B, F, width) -> codes (B, F, Q) int64, and what no codebook caught, (B, F, width)."""
        codes = []
        for quantizer in self.quantizers:
            nearest, caught = quantizer(rows)
            rows = rows - caught
            codes.append(nearest)
        return torch.stack(codes, dim=-1), rows


class FactorizedLookup(nn.Module):
    """Codes to rows: the sum over the codebooks of what their entries are projected to. kind: see the module."""

    UNUSED = ("quantizers.*.in_proj.*",)  # of the checkpoint: for encoding, which another network does

    entries: Tensor  # (all codebooks' sizes, codebook_dim), one codebook below the other
    first_entry: Tensor  # (Q,) int64, where each codebook begins
    projection: Tensor  # (width, Q * codebook_dim)
    bias: Tensor  # (width,)

    def __init__(self, width: int, codebook_dim: int, codebook_sizes: Sequence[int], kind: Kind = "direction"):
        super().__init__()
        self.quantizers = module_list(_Codebook(width, codebook_dim, size, kind) for size in codebook_sizes)

    def prepare_weights(self) -> None:
        """Pack codebooks and projections. Once, after loading."""
        entries = [quantizer.codebook.weight.detach() for quantizer in self.quantizers]
        starts = torch.tensor([0, *(len(table) for table in entries[:-1])], device=entries[0].device).cumsum(0)
        projections = [quantizer.out_proj for quantizer in self.quantizers]
        biases = [layer.bias.detach() for layer in projections if layer.bias is not None]
        self.register_buffer("entries", torch.cat(entries), persistent=False)
        self.register_buffer("first_entry", starts, persistent=False)
        self.register_buffer("projection", torch.cat([layer.weight.detach().flatten(1) for layer in projections], dim=1), persistent=False)
        self.register_buffer("bias", reduce(torch.add, biases), persistent=False)
        del self.quantizers

    def forward(self, codes: Tensor) -> Tensor:
        """(B, Q, F) int64, each code within its codebook -> (B, F, width)."""
        looked_up = F.embedding(codes.transpose(1, 2) + self.first_entry, self.entries)  # (B, F, Q, codebook_dim)
        return F.linear(looked_up.flatten(2), self.projection, self.bias)


class _Codebook(nn.Module):
    """Entries, and their way back to rows."""

    def __init__(self, width: int, codebook_dim: int, size: int, kind: Kind):
        super().__init__()
        self.codebook = nn.Embedding(size, codebook_dim)
        self.out_proj = _projection(codebook_dim, width, kind)


class _EncodingCodebook(_Codebook):
    """Upstream takes the least of |x|^2 - 2 x.e + |e|^2, over unit vectors x and e where directions are compared, and of equal ones the
    first. Another formula of the same meaning rounds otherwise, and where two entries are nearly as close, it picks the other.
    """

    compared: Tensor  # (size, codebook_dim): the entries, or their directions
    squares: Tensor  # (size,), their lengths squared

    def __init__(self, width: int, codebook_dim: int, size: int, kind: Kind):
        super().__init__(width, codebook_dim, size, kind)
        self.in_proj = _projection(width, codebook_dim, kind)
        self._kind = kind

    def prepare_weights(self) -> None:
        compared = self._comparable(self.codebook.weight.detach())
        self.register_buffer("compared", compared, persistent=False)
        self.register_buffer("squares", compared.square().sum(1), persistent=False)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """(B, F, width) -> codes (B, F), what they stand for (B, F, width)."""
        small = self._comparable(F.linear(rows, self.in_proj.weight.flatten(1), self.in_proj.bias))
        distances = small.square().sum(-1, keepdim=True) - 2 * small @ self.compared.T + self.squares
        nearest = distances.argmin(-1)
        return nearest, F.linear(F.embedding(nearest, self.codebook.weight), self.out_proj.weight.flatten(1), self.out_proj.bias)

    def _comparable(self, rows: Tensor) -> Tensor:
        return F.normalize(rows, dim=-1) if self._kind == "direction" else rows


def _projection(width_in: int, width_out: int, kind: Kind) -> nn.Conv1d | nn.Linear:
    return nn.Conv1d(width_in, width_out, 1) if kind == "direction" else nn.Linear(width_in, width_out)
