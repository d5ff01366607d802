"""Decoder-only transformer over a static KV cache: RMSNorm, grouped-query attention, RoPE by halves, SwiGLU. What Qwen3 is made of.

Every step writes its keys and values at positions that a tensor names, so that the same code runs eagerly and inside a CUDA graph.
Rounding stands where Qwen3TTSRMSNorm and its neighbours have it (qwen-tts 0.1.1, modeling_qwen3_tts.py): normalise in float32, cast, then
multiply by the weight; sums of rotation in the compute dtype. In bfloat16 other places of rounding are audible.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from engines.layers.norm import RMSNorm, unit_rms
from engines.layers.rotary import apply_rotary

__all__ = ["Decoder", "DecoderConfig", "KVCache"]

COMPILED_KINDS = 64  # of hidden states: widths of layers, one position or several, with a mask or without, at fixed sizes or any


@dataclass(frozen=True)
class DecoderConfig:
    """hidden_size: D. Heads of head_dim each; n_heads is a multiple of n_kv_heads. rope_theta: base of RoPE's wavelengths."""

    hidden_size: int
    intermediate_size: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    rope_theta: float
    rms_norm_eps: float


class KVCache:
    """Keys and values of `length` positions, and the rotation of each. Read as far as the caller knows it filled.

    tensor: (layers, 2, B, kv heads, length, head_dim), keys then values. cos, sin: (length, head_dim), in the compute dtype.
    """

    def __init__(self, config: DecoderConfig, batch: int, length: int, *, dtype: torch.dtype, device: torch.device | str):
        self.tensor = torch.zeros(config.n_layers, 2, batch, config.n_kv_heads, length, config.head_dim, dtype=dtype, device=device)
        # Angles are float32 whatever the dtype, as upstream computes them.
        exponents = torch.arange(0, config.head_dim, 2, device=device, dtype=torch.float32) / config.head_dim
        angles = torch.arange(length, device=device, dtype=torch.float32)[:, None] * (1.0 / config.rope_theta**exponents)
        angles = torch.cat([angles, angles], dim=-1)
        self.cos, self.sin = angles.cos().to(dtype), angles.sin().to(dtype)

    @property
    def length(self) -> int:
        return self.tensor.shape[4]

    @property
    def bytes(self) -> int:
        """Memory of keys, values and rotation."""
        return self.tensor.nbytes + self.cos.nbytes + self.sin.nbytes

    def saved(self, start: int, end: int) -> Tensor:
        """A copy of positions start..end, (layers, 2, B, kv heads, end - start, head_dim)."""
        return self.tensor[..., start:end, :].clone()

    def restore(self, saved: Tensor, start: int = 0) -> None:
        """Write positions that `saved` gave, of this or of another KVCache of the same config."""
        self.tensor[..., start : start + saved.shape[4], :].copy_(saved)


class Decoder(nn.Module):
    """Layers of attention and feed-forward, and the last norm. Parameters have Qwen3's names; see `packs` for those that hold several."""

    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(_DecoderLayer(config) for _ in range(config.n_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: which tensors of the file lie one above the other in which of ours."""
        norms = ("self_attn.q_norm.weight",) * self.config.n_heads + ("self_attn.k_norm.weight",) * self.config.n_kv_heads
        return {
            "self_attn.qkv_proj.weight": ("self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"),
            "self_attn.qk_norm": norms,
            "mlp.gate_up_proj.weight": ("mlp.gate_proj.weight", "mlp.up_proj.weight"),
        }

    def new_cache(self, batch: int, length: int) -> KVCache:
        """An empty cache for `length` positions, where the weights are and in their dtype."""
        weight = self.norm.weight
        return KVCache(self.config, batch, length, dtype=weight.dtype, device=weight.device)

    def compile_layers(self, backend: str = "inductor") -> None:
        """Have torch.compile fuse what a layer does, when hidden states of a new kind first pass. Layers of one shape share the code.

        Compiled is a layer, not the whole, which takes a twentieth of the time (torch documentation, "regional compilation").
        """
        torch._dynamo.config.recompile_limit = max(torch._dynamo.config.recompile_limit, COMPILED_KINDS)
        for layer in self.layers:
            layer.compile(fullgraph=True, backend=backend)

    def forward(self, inputs_embeds: Tensor, cache: KVCache, positions: Tensor, n_keys: int, *, exact: bool = False) -> Tensor:
        """Hidden states (B, T, D) after the last norm; each position sees those up to its own.

        inputs_embeds: (B, T, D). positions: (T,) int64, where they stand and where their keys and values go; may lie on the device.
        n_keys: how many positions of the cache are read at all, more than every position. exact: T is 1 and n_keys is its position + 1,
        so that nothing must be masked.
        """
        hidden_states = inputs_embeds
        cos, sin = cache.cos[positions], cache.sin[positions]  # (T, head_dim)
        mask = None if exact else torch.arange(n_keys, device=hidden_states.device) <= positions[:, None]  # (T, n_keys)
        if mask is not None:
            mask = mask.repeat(self.config.n_heads // self.config.n_kv_heads, 1)  # queries are (group, T), see _GroupedQueryAttention
        for layer, keys_values in zip(self.layers, cache.tensor, strict=True):
            hidden_states = layer(hidden_states, keys_values, positions, (cos, sin, mask, n_keys))
        return self.norm(hidden_states)


_Sight = tuple[Tensor, Tensor, Tensor | None, int]  # rotation of the positions, mask, number of keys


class _DecoderLayer(nn.Module):
    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = _GroupedQueryAttention(config)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = _SwiGLU(config)

    def forward(self, hidden_states: Tensor, keys_values: Tensor, positions: Tensor, sight: _Sight) -> Tensor:
        hidden_states = hidden_states + self.self_attn(self.input_layernorm(hidden_states), keys_values, positions, sight)
        return hidden_states + self.mlp(self.post_attention_layernorm(hidden_states))


class _GroupedQueryAttention(nn.Module):
    """Heads that share keys are laid out as further queries of one head, so that keys and values are never repeated."""

    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.config = config
        self.n_rotated = config.n_heads + config.n_kv_heads
        self.qkv_proj = nn.Linear(config.hidden_size, (self.n_rotated + config.n_kv_heads) * config.head_dim, bias=False)
        self.o_proj = nn.Linear(config.n_heads * config.head_dim, config.hidden_size, bias=False)
        self.qk_norm = nn.Parameter(torch.ones(self.n_rotated * config.head_dim))  # of every query head, then of every key head

    def forward(self, hidden_states: Tensor, keys_values: Tensor, positions: Tensor, sight: _Sight) -> Tensor:
        cos, sin, mask, n_keys = sight
        n_groups = self.config.n_heads // self.config.n_kv_heads
        heads = rearrange(self.qkv_proj(hidden_states), "b t (h d) -> b t h d", d=self.config.head_dim)
        rotated, values = heads[:, :, : self.n_rotated], heads[:, :, self.n_rotated :]
        rotated = unit_rms(rotated, self.config.rms_norm_eps) * self.qk_norm.view(self.n_rotated, self.config.head_dim)
        rotated = apply_rotary(rotated, cos[:, None], sin[:, None])
        queries, keys = rotated[:, :, : self.config.n_heads], rotated[:, :, self.config.n_heads :]
        keys_values[0].index_copy_(2, positions, keys.transpose(1, 2))
        keys_values[1].index_copy_(2, positions, values.transpose(1, 2))
        seen_keys, seen_values = keys_values[0, :, :, :n_keys], keys_values[1, :, :, :n_keys]
        queries = rearrange(queries, "b t (k g) d -> b k (g t) d", g=n_groups)
        attn_out = F.scaled_dot_product_attention(queries, seen_keys, seen_values, attn_mask=mask)
        return self.o_proj(rearrange(attn_out, "b k (g t) d -> b t (k g d)", g=n_groups))


class _SwiGLU(nn.Module):
    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.gate_up_proj = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, hidden_states: Tensor) -> Tensor:
        gate, up = self.gate_up_proj(hidden_states).chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)
