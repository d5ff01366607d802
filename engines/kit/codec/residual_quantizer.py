"""Residual vector quantization with codebooks kept as running sums: rows to the nearest entries, and entries back to rows.

A codebook's entry is its running sum divided by its running count. "Split" means that codebook 0 and the others have a projection each and
quantize the same rows, not each other's remainder. Parameters have the checkpoint's names until `prepare_weights` replaces them, once
after loading.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_dict, module_list

__all__ = ["ResidualQuantizer", "SplitResidualLookup"]

LEAST_USAGE = 1e-5  # qwen-tts 0.1.1 EuclideanCodebook.epsilon, transformers 4.57.3 MimiEuclideanCodebook


class ResidualQuantizer(nn.Module):
    """Rows to codes: in each codebook the entry nearest to what the codebooks before left over. Upstream: Mimi of transformers 4.57.3.

    `torch.cdist` in float32 and the first least distance decide, in every dtype, because they do upstream: a different formula for the
    distance picks other entries where two are nearly as close, and every later codebook follows.
    """

    UNUSED = ("output_proj.weight", "layers.*.codebook.initialized")  # of the checkpoint: for decoding, and a flag of training

    codebooks: Tensor  # (Q, codebook_size, codebook_dim)

    def __init__(self, width: int, codebook_dim: int, n_codebooks: int, codebook_size: int):
        super().__init__()
        self.input_proj = nn.Conv1d(width, codebook_dim, 1, bias=False)
        self.layers = module_list(
            module_dict({"codebook": _EmaCodebook("embed_sum", codebook_size, codebook_dim)}) for _ in range(n_codebooks)
        )

    def prepare_weights(self) -> None:
        """Divide sums by counts. Once, after loading."""
        self.register_buffer("codebooks", torch.stack([layer["codebook"].entries() for layer in self.layers]), persistent=False)
        del self.layers

    def forward(self, rows: Tensor) -> Tensor:
        """(B, F, width) -> (B, F, Q) int64."""
        left = F.linear(rows, self.input_proj.weight[:, :, 0]).flatten(0, 1)
        codes = []
        for codebook in self.codebooks:
            nearest = torch.cdist(left[None].float(), codebook[None].float())[0].argmin(dim=-1)
            left = left - F.embedding(nearest, codebook)
            codes.append(nearest)
        return torch.stack(codes, dim=-1).unflatten(0, rows.shape[:2])


class SplitResidualLookup(nn.Module):
    """Codes to rows: the sum over the codebooks, codebook 0 and the others through their own projection. Upstream: qwen-tts 0.1.1."""

    UNUSED = ("rvq_*.input_proj.weight",)  # of the checkpoint: for encoding, which another network does

    entries: Tensor  # (Q * codebook_size, codebook_dim), one codebook below the other
    first_entry: Tensor  # (Q,) int64, where each codebook begins
    projection: Tensor  # (width, 2 * codebook_dim)

    def __init__(self, width: int, codebook_dim: int, n_codebooks: int, codebook_size: int):
        super().__init__()
        self.n_codebooks, self.codebook_size = n_codebooks, codebook_size
        self.rvq_first = _LookupCodebooks(width, codebook_dim, 1, codebook_size)
        self.rvq_rest = _LookupCodebooks(width, codebook_dim, n_codebooks - 1, codebook_size)

    def prepare_weights(self) -> None:
        """Divide sums by counts, pack codebooks and projections. Once, after loading."""
        both = (self.rvq_first, self.rvq_rest)
        entries = torch.cat([layer["_codebook"].entries() for codebooks in both for layer in codebooks.vq["layers"]])
        self.register_buffer("entries", entries, persistent=False)
        self.register_buffer("first_entry", torch.arange(self.n_codebooks, device=entries.device) * self.codebook_size, persistent=False)
        projection = torch.cat([codebooks.output_proj.weight.detach()[:, :, 0] for codebooks in both], dim=1)
        self.register_buffer("projection", projection, persistent=False)
        del self.rvq_first, self.rvq_rest

    def forward(self, codes: Tensor) -> Tensor:
        """(B, Q, F) int64 in [0, codebook_size) -> (B, F, width)."""
        looked_up = F.embedding(codes.transpose(1, 2) + self.first_entry, self.entries)  # (B, F, Q, codebook_dim)
        return F.linear(torch.cat([looked_up[:, :, 0], looked_up[:, :, 1:].sum(dim=2)], dim=-1), self.projection)


class _EmaCodebook(nn.Module):
    """One codebook as the checkpoint has it: (size, width) sums under their name there, (size,) counts."""

    cluster_usage: Tensor

    def __init__(self, name_of_sums: str, size: int, width: int):
        super().__init__()
        self._name_of_sums = name_of_sums
        self.register_buffer(name_of_sums, torch.empty(size, width))
        self.register_buffer("cluster_usage", torch.empty(size))

    def entries(self) -> Tensor:
        return getattr(self, self._name_of_sums) / self.cluster_usage.clamp(min=LEAST_USAGE)[:, None]


class _LookupCodebooks(nn.Module):
    """Codebooks that are looked up, and their projection, under the checkpoint's names."""

    def __init__(self, width: int, codebook_dim: int, n_codebooks: int, codebook_size: int):
        super().__init__()
        self.output_proj = nn.Conv1d(codebook_dim, width, 1, bias=False)
        books = (_EmaCodebook("embedding_sum", codebook_size, codebook_dim) for _ in range(n_codebooks))
        self.vq = module_dict({"layers": module_list(module_dict({"_codebook": book}) for book in books)})
