"""Decoder-only transformer with static keys and values: RMS norms, grouped heads, half-rotation RoPE, SwiGLU. What Qwen3 is made of.

Every step writes its keys and values at positions that a tensor names, so that the same code runs eagerly and inside a CUDA graph.
Rounding stands where Qwen3TTSRMSNorm and its neighbours have it (qwen-tts 0.1.1, modeling_qwen3_tts.py): normalise in float32, cast, then
multiply by the weight; sums of rotation in the compute dtype. In bfloat16 other places of rounding are audible.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

__all__ = ["Decoder", "DecoderShape", "KeyValues", "RmsNorm"]

COMPILED_KINDS = 64  # of rows: widths of layers, one or several rows, with a mask or without, at fixed sizes or any


@dataclass(frozen=True)
class DecoderShape:
    """width: of a row (D). Heads of head_width each; n_heads is a multiple of n_kv_heads. rope_theta: base of RoPE's wavelengths."""

    width: int
    feed_forward: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_width: int
    rope_theta: float
    norm_epsilon: float


class KeyValues:
    """What a decoder has seen: keys and values of `length` positions, and the rotation of each. Read as far as the caller knows it filled.

    tensor: (layers, 2, B, kv heads, length, head width), keys then values. cosine, sine: (length, head width), in the compute dtype.
    """

    def __init__(self, shape: DecoderShape, batch: int, length: int, *, dtype: torch.dtype, device: torch.device | str):
        self.tensor = torch.zeros(shape.n_layers, 2, batch, shape.n_kv_heads, length, shape.head_width, dtype=dtype, device=device)
        # Angles are float32 whatever the dtype, as upstream computes them.
        exponents = torch.arange(0, shape.head_width, 2, device=device, dtype=torch.float32) / shape.head_width
        angles = torch.arange(length, device=device, dtype=torch.float32)[:, None] * (1.0 / shape.rope_theta**exponents)
        angles = torch.cat([angles, angles], dim=-1)
        self.cosine, self.sine = angles.cos().to(dtype), angles.sin().to(dtype)

    @property
    def length(self) -> int:
        return self.tensor.shape[4]

    @property
    def bytes(self) -> int:
        """Memory of keys, values and rotation."""
        return self.tensor.nbytes + self.cosine.nbytes + self.sine.nbytes

    def saved(self, start: int, end: int) -> Tensor:
        """A copy of positions start..end, (layers, 2, B, kv heads, end - start, head width)."""
        return self.tensor[..., start:end, :].clone()

    def restore(self, saved: Tensor, start: int = 0) -> None:
        """Write positions that `saved` gave, of this or of another KeyValues of the same shape."""
        self.tensor[..., start : start + saved.shape[4], :].copy_(saved)


class RmsNorm(nn.Module):
    """Rows to unit root mean square times a weight per channel. (..., D) -> (..., D)."""

    def __init__(self, width: int, epsilon: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, rows: Tensor) -> Tensor:
        return _normalised(rows, self.epsilon) * self.weight


class Decoder(nn.Module):
    """Layers of attention and feed-forward, and the last norm. Parameters have Qwen3's names; see `packs` for those that hold several."""

    def __init__(self, shape: DecoderShape):
        super().__init__()
        self.shape = shape
        self.layers = nn.ModuleList(_Layer(shape) for _ in range(shape.n_layers))
        self.norm = RmsNorm(shape.width, shape.norm_epsilon)

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: which tensors of the file lie one above the other in which of ours."""
        norms = ("self_attn.q_norm.weight",) * self.shape.n_heads + ("self_attn.k_norm.weight",) * self.shape.n_kv_heads
        return {
            "self_attn.qkv_proj.weight": ("self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"),
            "self_attn.qk_norm": norms,
            "mlp.gate_up_proj.weight": ("mlp.gate_proj.weight", "mlp.up_proj.weight"),
        }

    def new_cache(self, batch: int, length: int) -> KeyValues:
        """Empty keys and values for `length` positions, where the weights are and in their dtype."""
        weight = self.norm.weight
        return KeyValues(self.shape, batch, length, dtype=weight.dtype, device=weight.device)

    def compile_layers(self, backend: str = "inductor") -> None:
        """Have torch.compile fuse what a layer does, when rows of a new kind first pass. Layers of one shape share what is compiled.

        Compiled is a layer, not the whole, which takes a twentieth of the time (torch documentation, "regional compilation").
        """
        torch._dynamo.config.recompile_limit = max(torch._dynamo.config.recompile_limit, COMPILED_KINDS)
        for layer in self.layers:
            layer.compile(fullgraph=True, backend=backend)

    def forward(self, rows: Tensor, cache: KeyValues, positions: Tensor, n_keys: int, *, exact: bool = False) -> Tensor:
        """Hidden rows (B, T, D) after the last norm; each row sees the positions up to its own.

        rows: (B, T, D). positions: (T,) int64, where the rows stand and where their keys and values go; may lie on the device.
        n_keys: how many positions of the cache are read at all, more than every position. exact: T is 1 and n_keys is its position + 1,
        so that nothing must be masked.
        """
        cosine, sine = cache.cosine[positions], cache.sine[positions]  # (T, d)
        mask = None if exact else torch.arange(n_keys, device=rows.device) <= positions[:, None]  # (T, n)
        if mask is not None:
            mask = mask.repeat(self.shape.n_heads // self.shape.n_kv_heads, 1)  # rows of attention are (group, T), see _Attention
        for layer, keys_values in zip(self.layers, cache.tensor, strict=True):
            rows = layer(rows, keys_values, positions, (cosine, sine, mask, n_keys))
        return self.norm(rows)


_Sight = tuple[Tensor, Tensor, Tensor | None, int]  # rotation of the rows, mask, number of keys


class _Layer(nn.Module):
    def __init__(self, shape: DecoderShape):
        super().__init__()
        self.input_layernorm = RmsNorm(shape.width, shape.norm_epsilon)
        self.self_attn = _Attention(shape)
        self.post_attention_layernorm = RmsNorm(shape.width, shape.norm_epsilon)
        self.mlp = _FeedForward(shape)

    def forward(self, rows: Tensor, keys_values: Tensor, positions: Tensor, sight: _Sight) -> Tensor:
        rows = rows + self.self_attn(self.input_layernorm(rows), keys_values, positions, sight)
        return rows + self.mlp(self.post_attention_layernorm(rows))


class _Attention(nn.Module):
    """Grouped attention. Heads that share keys are laid out as further rows of one head, so that keys and values are never repeated."""

    def __init__(self, shape: DecoderShape):
        super().__init__()
        self.shape = shape
        self.n_rotated = shape.n_heads + shape.n_kv_heads
        self.qkv_proj = nn.Linear(shape.width, (self.n_rotated + shape.n_kv_heads) * shape.head_width, bias=False)
        self.o_proj = nn.Linear(shape.n_heads * shape.head_width, shape.width, bias=False)
        self.qk_norm = nn.Parameter(torch.ones(self.n_rotated * shape.head_width))  # of every query head, then of every key head

    def forward(self, rows: Tensor, keys_values: Tensor, positions: Tensor, sight: _Sight) -> Tensor:
        cosine, sine, mask, n_keys = sight
        n_groups = self.shape.n_heads // self.shape.n_kv_heads
        heads = rearrange(self.qkv_proj(rows), "b t (h d) -> b t h d", d=self.shape.head_width)
        rotated, values = heads[:, :, : self.n_rotated], heads[:, :, self.n_rotated :]
        rotated = _normalised(rotated, self.shape.norm_epsilon) * self.qk_norm.view(self.n_rotated, self.shape.head_width)
        rotated = rotated * cosine[:, None] + _half_turned(rotated) * sine[:, None]
        queries, keys = rotated[:, :, : self.shape.n_heads], rotated[:, :, self.shape.n_heads :]
        keys_values[0].index_copy_(2, positions, keys.transpose(1, 2))
        keys_values[1].index_copy_(2, positions, values.transpose(1, 2))
        seen_keys, seen_values = keys_values[0, :, :, :n_keys], keys_values[1, :, :, :n_keys]
        queries = rearrange(queries, "b t (k g) d -> b k (g t) d", g=n_groups)
        heard = F.scaled_dot_product_attention(queries, seen_keys, seen_values, attn_mask=mask)
        return self.o_proj(rearrange(heard, "b k (g t) d -> b t (k g d)", g=n_groups))


class _FeedForward(nn.Module):
    def __init__(self, shape: DecoderShape):
        super().__init__()
        self.gate_up_proj = nn.Linear(shape.width, 2 * shape.feed_forward, bias=False)
        self.down_proj = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def forward(self, rows: Tensor) -> Tensor:
        gate, up = self.gate_up_proj(rows).chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)


def _normalised(rows: Tensor, epsilon: float) -> Tensor:
    """Rows to unit root mean square. torch computes it in float32 at least and casts the result, before any weight touches it."""
    return F.rms_norm(rows, (rows.shape[-1],), eps=epsilon)


def _half_turned(heads: Tensor) -> Tensor:
    """(x1, x2) -> (-x2, x1) over halves of the last dimension."""
    first, second = heads.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)
