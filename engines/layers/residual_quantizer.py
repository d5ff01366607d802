"""Residual vector quantisation with codebooks kept as running sums: rows to the nearest entries, and entries back to rows.

A codebook's entry is its running sum divided by its running count. "Split" means that book 0 and the other books each have a projection of
their own and quantise the same rows, not each other's remainder.
Parameters have the checkpoint's names until `prepare_weights` replaces them, once after loading.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["ResidualQuantizer", "SplitResidualLookup"]

LEAST_USAGE = 1e-5  # qwen-tts 0.1.1 EuclideanCodebook.epsilon, transformers 4.57.3 MimiEuclideanCodebook


class ResidualQuantizer(nn.Module):
    """Rows to codes: in each book the entry nearest to what the books before left over. Upstream: Mimi of transformers 4.57.3.

    `torch.cdist` in float32 and the first least distance decide, in every dtype, because they do upstream: a different formula for the
    distance picks other entries where two are nearly as close, and every later book follows.
    """

    UNUSED = ("output_proj.weight", "layers.*.codebook.initialized")  # of the checkpoint: for decoding, and a flag of training

    books: Tensor  # (Q, size, book_width)

    def __init__(self, width: int, book_width: int, n_books: int, size: int):
        super().__init__()
        self.input_proj = nn.Conv1d(width, book_width, 1, bias=False)
        self.layers = nn.ModuleList(nn.ModuleDict({"codebook": _EmaCodebook("embed_sum", size, book_width)}) for _ in range(n_books))

    def prepare_weights(self) -> None:
        """Divide sums by counts. Once, after loading."""
        self.register_buffer("books", torch.stack([layer["codebook"].entries() for layer in self.layers]), persistent=False)
        del self.layers

    def forward(self, rows: Tensor) -> Tensor:
        """(B, F, width) -> (B, F, Q) int64."""
        left = F.linear(rows, self.input_proj.weight[:, :, 0]).flatten(0, 1)
        codes = []
        for book in self.books:
            nearest = torch.cdist(left[None].float(), book[None].float())[0].argmin(dim=-1)
            left = left - F.embedding(nearest, book)
            codes.append(nearest)
        return torch.stack(codes, dim=-1).unflatten(0, rows.shape[:2])


class SplitResidualLookup(nn.Module):
    """Codes to rows: the sum over the books, book 0 and the others through their own projection. Upstream: qwen-tts 0.1.1."""

    UNUSED = ("rvq_*.input_proj.weight",)  # of the checkpoint: for encoding, which another network does

    entries: Tensor  # (Q * size, book_width), one book below the other
    first_entry: Tensor  # (Q,) int64, where each book begins
    projection: Tensor  # (width, 2 * book_width)

    def __init__(self, width: int, book_width: int, n_books: int, size: int):
        super().__init__()
        self.n_books, self.size = n_books, size
        self.rvq_first = _lookup_books(width, book_width, 1, size)
        self.rvq_rest = _lookup_books(width, book_width, n_books - 1, size)

    def prepare_weights(self) -> None:
        """Divide sums by counts, pack books and projections. Once, after loading."""
        both = (self.rvq_first, self.rvq_rest)
        entries = torch.cat([layer["_codebook"].entries() for books in both for layer in books["vq"]["layers"]])
        self.register_buffer("entries", entries, persistent=False)
        self.register_buffer("first_entry", torch.arange(self.n_books, device=entries.device) * self.size, persistent=False)
        projection = torch.cat([books["output_proj"].weight.detach()[:, :, 0] for books in both], dim=1)
        self.register_buffer("projection", projection, persistent=False)
        del self.rvq_first, self.rvq_rest

    def forward(self, codes: Tensor) -> Tensor:
        """(B, Q, F) int64 in [0, size) -> (B, F, width)."""
        looked_up = F.embedding(codes.transpose(1, 2) + self.first_entry, self.entries)  # (B, F, Q, book_width)
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


def _lookup_books(width: int, book_width: int, n_books: int, size: int) -> nn.ModuleDict:
    layers = nn.ModuleList(nn.ModuleDict({"_codebook": _EmaCodebook("embedding_sum", size, book_width)}) for _ in range(n_books))
    return nn.ModuleDict({"output_proj": nn.Conv1d(book_width, width, 1, bias=False), "vq": nn.ModuleDict({"layers": layers})})
