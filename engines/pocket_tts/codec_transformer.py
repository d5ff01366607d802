"""The transformer of Mimi's two halves as Pocket TTS has it: attention over a window, in blocks of a frame's rows.

Upstream: ProjectedTransformer of pocket-tts 4.0.1, by which the tensors are named. layers/windowed_transformer.py is the general one; this
one makes a frame of 16 rows in two thirds of its time, since it joins what stands beside one another: packed queries, keys and values are
rotated in one complex product, and sums are taken where the product ends.
"""

from math import log

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.pocket_tts.config import CodecTransformerConfig
from engines.pocket_tts.matrix import RowMatrix

__all__ = ["CodecTransformer"]

NORM_EPS = 1e-5  # pocket-tts 4.0.1, StreamingTransformerLayer


class CodecTransformer(nn.Module):
    """Rows (B, T, D) through all layers, T a multiple of block_rows, with what is kept of the rows before.

    A row sees `context` rows, itself included. Each block of rows is computed alike however many come at once.
    """

    def __init__(self, config: CodecTransformerConfig, block_rows: int):
        super().__init__()
        self.config, self.block_rows, self.past = config, block_rows, config.context - 1
        self.layers = nn.ModuleList(_CodecLayer(config) for _ in range(config.num_layers))

    def prepare_weights(self) -> None:
        """Fold residual scales into the matrices before them, and make tables. Once, after loading."""
        for layer in self.layers:
            layer.prepare_weights()
        self._frequencies, self._band = _frequencies(self.config), _band(self.block_rows, self.past)

    def start(self, batch: int) -> tuple[Tensor, ...]:
        """What is kept before the first row: per layer (batch, context - 1, 2, heads, head_dim) zeros, keys and values."""
        heads = self.config.num_heads
        return tuple(torch.zeros(batch, self.past, 2, heads, self.config.d_model // heads) for _ in self.layers)

    def forward(self, rows: Tensor, position: Tensor, kept: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """rows: (B, T, D), overwritten. position: (B,) int64, rows already seen. kept: of the last context - 1 of them.

        returns: (B, T, D), what to keep: slices of what the layers saw, at most T rows larger than they show.
        """
        rotation, masks = self._rotation(position, rows.shape[1]), self._masks(position, rows.shape[1])
        keep = []
        for layer, before in zip(self.layers, kept, strict=True):
            rows, seen = layer(rows, rotation, masks, before)
            keep.append(seen[:, rows.shape[1] :])
        return rows, tuple(keep)

    def _rotation(self, position: Tensor, n_rows: int) -> Tensor:
        """(B, T, 3, 1, head_dim / 2) complex: of queries, of keys, and 1 for values. Angles are float32, as upstream."""
        at = position[:, None] + torch.arange(n_rows)
        angles = at[:, :, None, None, None] * self._frequencies
        return torch.polar(torch.ones_like(angles), angles)

    def _masks(self, position: Tensor, n_rows: int) -> list[Tensor]:
        """Per block what is added to scores: minus infinity outside the window and before the start."""
        n_blocks, nearest = n_rows // self.block_rows, int(position.min())
        return [self._mask(position + first) if nearest + first < self.past else self._band for first in self._firsts(n_blocks)]

    def _firsts(self, n_blocks: int) -> range:
        return range(0, n_blocks * self.block_rows, self.block_rows)

    def _mask(self, position: Tensor) -> Tensor:
        """(B, 1, block_rows, past + block_rows) for a block that begins there."""
        is_before = position[:, None] + torch.arange(-self.past, self.block_rows) < 0
        return self._band.masked_fill(is_before[:, None, None], -torch.inf)


def _frequencies(config: CodecTransformerConfig) -> Tensor:
    """(3, 1, head_dim / 2) float32: of queries and keys as upstream's apply_rope rounds them, and 0 for values."""
    half = config.d_model // config.num_heads // 2
    turning = torch.exp(torch.arange(half, dtype=torch.float32) * (-log(config.max_period) / half))
    return torch.stack([turning, turning, torch.zeros(half)])[:, None]


def _band(n_rows: int, past: int) -> Tensor:
    """(n_rows, past + n_rows): row i sees what lies from i to i + past."""
    distance = torch.arange(past + n_rows) - torch.arange(n_rows)[:, None]
    return torch.zeros(n_rows, past + n_rows).masked_fill_((distance < 0) | (distance > past), -torch.inf)


class _CodecLayer(nn.Module):
    def __init__(self, config: CodecTransformerConfig):
        super().__init__()
        width, inner = config.d_model, config.dim_feedforward
        self.n_heads, self.width = config.num_heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=NORM_EPS), nn.LayerNorm(width, eps=NORM_EPS)
        matrices = {"in_proj": nn.Linear(width, 3 * width, bias=False), "out_proj": nn.Linear(width, width, bias=False)}
        self.self_attn = nn.ModuleDict(matrices)
        self.linear1, self.linear2 = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)
        # Learnt factors per channel of what a branch adds (arXiv 2103.17239).
        self.layer_scale_1 = nn.ParameterDict({"scale": nn.Parameter(torch.ones(width))})
        self.layer_scale_2 = nn.ParameterDict({"scale": nn.Parameter(torch.ones(width))})

    def prepare_weights(self) -> None:
        self.qkv = RowMatrix(self.self_attn["in_proj"].weight)
        self.out = RowMatrix(self.self_attn["out_proj"].weight * self.layer_scale_1["scale"][:, None])
        self.up = RowMatrix(self.linear1.weight)
        self.down = RowMatrix(self.linear2.weight * self.layer_scale_2["scale"][:, None])
        del self.self_attn, self.linear1, self.linear2, self.layer_scale_1, self.layer_scale_2

    def forward(self, rows: Tensor, rotation: Tensor, masks: list[Tensor], kept: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D), kept (B, past, 2, H, d) -> (B, T, D), keys and values (B, past + T, 2, H, d)."""
        batch, n_rows, width = rows.shape
        qkv = self.qkv(_normed(self.norm1, rows)).view(batch, n_rows, 3, self.n_heads, -1, 2)
        turned = torch.view_as_real(torch.view_as_complex(qkv) * rotation).flatten(4)  # (B, T, 3, H, d)
        seen = torch.cat([kept, turned[:, :, 1:]], dim=1)
        rows = self.out.add_to(rows, self._attend(turned[:, :, 0], seen, masks).reshape(batch, n_rows, width))
        return self.down.add_to(rows, self.up.gelu(_normed(self.norm2, rows))), seen

    def _attend(self, queries: Tensor, seen: Tensor, masks: list[Tensor]) -> Tensor:
        """(B, T, H, d) over (B, past + T, 2, H, d) -> (B, T, H, d): every block over the same number of keys."""
        n_rows, n_keys, mixed = masks[0].shape[-2], masks[0].shape[-1], []
        keys, values = seen.transpose(1, 3).unbind(2)  # (B, H, past + T, d)
        queries = queries.transpose(1, 2)
        for index, mask in enumerate(masks):
            rows, window = slice(index * n_rows, (index + 1) * n_rows), slice(index * n_rows, index * n_rows + n_keys)
            out = F.scaled_dot_product_attention(queries[:, :, rows], keys[:, :, window], values[:, :, window], attn_mask=mask)
            mixed.append(out.transpose(1, 2))
        return mixed[0] if len(mixed) == 1 else torch.cat(mixed, dim=1)


def _normed(norm: nn.LayerNorm, rows: Tensor) -> Tensor:
    return torch.layer_norm(rows, norm.normalized_shape, norm.weight, norm.bias, NORM_EPS)
