"""The transformer in both halves of Pocket TTS' Mimi: attention over a window, in blocks of a frame's rows.

Upstream: ProjectedTransformer of pocket-tts 4.0.1, by which the tensors are named. kit/nn/windowed_transformer.py is the general one; this
one makes a frame of the smallest model in little more than half of its time (0.72 against 1.32 ms on one core): queries, keys and values
are turned in one complex product, kept as they come, and sums are taken where a product ends.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_dict, module_list
from engines.pocket_tts.config import CodecTransformerConfig
from engines.pocket_tts.vae.codec_matrix import CodecMatrix
from engines.pocket_tts.vae.rotation import frequencies

__all__ = ["CodecTransformer"]

NORM_EPS = 1e-5  # pocket-tts 4.0.1, StreamingTransformerLayer


class CodecTransformer(nn.Module):
    """Rows (B, T, D) through all layers, T a multiple of block_rows, with what is kept of the rows before.

    A row sees `context` rows, itself included. Each block of rows is computed alike however many come at once.
    """

    def __init__(self, config: CodecTransformerConfig, block_rows: int):
        super().__init__()
        self.config, self.block_rows, self.past = config, block_rows, config.context - 1
        self.layers = module_list(_CodecLayer(config) for _ in range(config.num_layers))

    def prepare_weights(self) -> None:
        """Fold residual scales into the matrices before them, and make tables. Once, after loading."""
        for layer in self.layers:
            layer.prepare_weights()
        self._frequencies, self._band = _frequencies(self.config), _band(self.block_rows, self.past)

    def start(self, batch: int) -> tuple[Tensor, ...]:
        """What is kept before the first row: per layer (batch, context - 1, 2 * D) zeros, keys beside values, head by head."""
        return tuple(torch.zeros(batch, self.past, 2 * self.config.d_model) for _ in self.layers)

    def forward(self, rows: Tensor, position: Tensor, kept: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """rows: (B, T, D), overwritten. position: (B,) int64, rows already seen. kept: of the last context - 1 of them.

        returns: (B, T, D), what to keep: slices of what the layers saw, whose memory is T rows larger than they are.
        """
        batch, n_rows, width = rows.shape
        step = _Step(batch, n_rows // self.block_rows, self._rotation(position, n_rows), self._mask(position, n_rows))
        rows, keep = rows.flatten(0, 1), []
        for layer, before in zip(self.layers, kept, strict=True):
            rows, seen = layer(rows, step, before)
            keep.append(seen[:, n_rows:])
        return rows.view(batch, n_rows, width), tuple(keep)

    def _rotation(self, position: Tensor, n_rows: int) -> Tensor:
        """(B * T, 3 * D / 2) complex: of queries, of keys, and 1 for values. Angles are float32, as upstream."""
        at = position[:, None] + torch.arange(n_rows)
        angles = at.view(-1, 1, 1, 1) * self._frequencies
        return torch.polar(torch.ones_like(angles), angles).expand(-1, -1, self.config.num_heads, -1).flatten(1)

    def _mask(self, position: Tensor, n_rows: int) -> Tensor:
        """What is added to scores: minus infinity outside the window and before the start.

        (block_rows, past + block_rows) for all blocks; or (B, blocks, 1, block_rows, past + block_rows) while streams are younger than it.
        """
        if int(position.min()) >= self.past:
            return self._band
        first = position[:, None] + torch.arange(0, n_rows, self.block_rows)
        is_before = first[:, :, None] + torch.arange(-self.past, self.block_rows) < 0
        return self._band.masked_fill(is_before[:, :, None, None], -torch.inf)


def _frequencies(config: CodecTransformerConfig) -> Tensor:
    """(3, 1, head_dim / 2) float32: of queries, of keys, and 0 for values."""
    turning = frequencies(config.d_model // config.num_heads, config.max_period)
    return torch.stack([turning, turning, torch.zeros_like(turning)])[:, None]


def _band(n_rows: int, past: int) -> Tensor:
    """(n_rows, past + n_rows): row i sees what lies from i to i + past."""
    distance = torch.arange(past + n_rows) - torch.arange(n_rows)[:, None]
    return torch.zeros(n_rows, past + n_rows).masked_fill_((distance < 0) | (distance > past), -torch.inf)


class _Step(NamedTuple):
    """What all layers share in one call: B streams, each of so many blocks; see CodecTransformer for the tensors."""

    batch: int
    n_blocks: int
    rotation: Tensor
    mask: Tensor


class _CodecLayer(nn.Module):
    def __init__(self, config: CodecTransformerConfig):
        super().__init__()
        width, inner = config.d_model, config.dim_feedforward
        self.n_heads, self.width = config.num_heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=NORM_EPS), nn.LayerNorm(width, eps=NORM_EPS)
        matrices = {"in_proj": nn.Linear(width, 3 * width, bias=False), "out_proj": nn.Linear(width, width, bias=False)}
        self.self_attn = module_dict(matrices)
        self.linear1, self.linear2 = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)
        # Learnt factors per channel of what a branch adds (arXiv 2103.17239).
        self.layer_scale_1 = nn.ParameterDict({"scale": nn.Parameter(torch.ones(width))})
        self.layer_scale_2 = nn.ParameterDict({"scale": nn.Parameter(torch.ones(width))})

    def prepare_weights(self) -> None:
        self.qkv = CodecMatrix(self.self_attn["in_proj"].weight)
        self.out = CodecMatrix(self.self_attn["out_proj"].weight * self.layer_scale_1["scale"][:, None])
        self.up = CodecMatrix(self.linear1.weight)
        self.down = CodecMatrix(self.linear2.weight * self.layer_scale_2["scale"][:, None])
        del self.self_attn, self.linear1, self.linear2, self.layer_scale_1, self.layer_scale_2

    def forward(self, rows: Tensor, step: _Step, kept: Tensor) -> tuple[Tensor, Tensor]:
        """(B * T, D), kept (B, past, 2 * D) -> (B * T, D), keys and values (B, past + T, 2 * D)."""
        qkv = self.qkv(_normed(self.norm1, rows))
        turned = (qkv.view(torch.complex64) * step.rotation).view(torch.float32)  # neighboring channels are one number
        seen = torch.cat([kept, turned.view(step.batch, -1, 3 * self.width)[:, :, self.width :]], dim=1)
        rows = self.out.add_to(rows, self._attend(turned, seen, step))
        return self.down.add_to(rows, self.up.gelu(_normed(self.norm2, rows))), seen

    def _attend(self, turned: Tensor, seen: Tensor, step: _Step) -> Tensor:
        """(B * T, D): every block over the same number of keys, the blocks of a stream beside one another in the place of a batch."""
        if step.n_blocks == 1:
            mask = step.mask if step.mask.ndim == 2 else step.mask[:, 0]
            return self._attend_blocks(turned, seen, mask, seen.stride(0))
        n_rows, mixed = len(turned) // step.batch, []
        for stream in range(step.batch):
            mask = step.mask if step.mask.ndim == 2 else step.mask[stream]
            of_stream = turned[stream * n_rows : (stream + 1) * n_rows]
            mixed.append(self._attend_blocks(of_stream, seen[stream], mask, n_rows // step.n_blocks * 2 * self.width))
        return mixed[0] if len(mixed) == 1 else torch.cat(mixed)

    def _attend_blocks(self, turned: Tensor, seen: Tensor, mask: Tensor, stride: int) -> Tensor:
        """turned: (blocks * block_rows, 3 * D). seen: rows (2 * D), those of a block begin `stride` values behind those of the last."""
        (n_rows, n_keys), width, head_dim = mask.shape[-2:], self.width, self.width // self.n_heads
        shape = len(turned) // n_rows, self.n_heads
        queries = turned.as_strided((*shape, n_rows, head_dim), (n_rows * 3 * width, head_dim, 3 * width, 1))
        window, strides, first = (*shape, n_keys, head_dim), (stride, head_dim, 2 * width, 1), seen.storage_offset()
        keys, values = seen.as_strided(window, strides, first), seen.as_strided(window, strides, first + width)
        mixed = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return mixed.transpose(1, 2).reshape(-1, width)


def _normed(norm: nn.LayerNorm, rows: Tensor) -> Tensor:
    return torch.layer_norm(rows, norm.normalized_shape, norm.weight, norm.bias, NORM_EPS)
