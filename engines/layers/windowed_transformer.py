"""A causal transformer of audio codecs: attention over a window, learnt residual scales, keys and values of the window as its state.

Two kinds meet one shape: RMSNorm with a gated SiLU network (the Qwen3-TTS decoder) and LayerNorm with a GELU network (Mimi).
Parameters have the checkpoint's names until `prepare_weights` packs them, once after loading.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from engines.layers.norm import RMSNorm
from engines.layers.rotary import Rotary, RotaryConfig, Rotation, apply_rotary

__all__ = ["WindowedTransformer", "WindowedTransformerConfig"]


@dataclass(frozen=True)
class WindowedTransformerConfig:
    """window: positions that one attends to, itself included; None: all before it, for streams that are seen whole."""

    kind: Literal["rms_swiglu", "layer_gelu"]
    hidden_size: int
    intermediate_size: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    window: int | None
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-5


class WindowedTransformer(nn.Module):
    """Hidden states through all layers, whole or piece by piece.

    Upstream: DecoderTransformerModel of qwen-tts 0.1.1 and MimiTransformerModel of transformers 4.57.3, which have the same tensor
    names below `layers`. Positions count from the start of the stream; their angles are float32 in every dtype, as upstream.
    """

    def __init__(self, config: WindowedTransformerConfig):
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(_WindowedLayer(config) for _ in range(config.n_layers))
        self._rotary = Rotary(RotaryConfig(theta=config.rope_theta), config.head_dim)

    def prepare_weights(self) -> None:
        """Pack projections, fold residual scales. Once, after loading."""
        for layer in self.layers:
            layer.prepare_weights()

    def start(self, batch: int, like: Tensor) -> tuple[Tensor, ...]:
        """The state before the first row: per layer (batch, 2, n_kv_heads, window - 1, head_dim) zeros, keys then values."""
        config = self.config
        return tuple(like.new_zeros(batch, 2, config.n_kv_heads, config.window - 1, config.head_dim) for _ in self.layers)

    def forward(self, hidden_states: Tensor, position: Tensor, kept: tuple[Tensor, ...] | None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """hidden_states: (B, F, D). position: (B,) int64, rows already seen. kept: keys and values of the last window - 1 rows, or None.

        returns: (B, F, D), keys and values to keep. None in, none out: for streams that are seen whole.
        """
        n_rows, past = hidden_states.shape[1], 0 if kept is None else self.config.window - 1
        seen_at = position[:, None] + torch.arange(-past, n_rows, device=hidden_states.device)  # (B, past + F), negative before the start
        visible = self._visible(seen_at, n_rows)
        cos, signed_sin = self._rotary(seen_at[:, past:], hidden_states.dtype)  # (B, F, 1, head_dim)
        rotation = cos.transpose(1, 2), signed_sin.transpose(1, 2)
        keep = []
        for index, layer in enumerate(self.layers):
            hidden_states, keys_values = layer(hidden_states, rotation, visible, None if kept is None else kept[index])
            keep.append(keys_values)
        return hidden_states, () if kept is None else tuple(keep)

    def _visible(self, seen_at: Tensor, n_rows: int) -> Tensor:
        """(B, 1, F, past + F) bool: the key is not before the start, not after the row, and inside its window."""
        distance = seen_at[:, -n_rows:, None] - seen_at[:, None, :]
        visible = (seen_at >= 0)[:, None] & (distance >= 0)
        return (visible if self.config.window is None else visible & (distance < self.config.window))[:, None]


class _WindowedLayer(nn.Module):
    def __init__(self, config: WindowedTransformerConfig):
        super().__init__()
        is_rms = config.kind == "rms_swiglu"
        norm, network = (partial(RMSNorm, float64_in_float32=True), _GatedMLP) if is_rms else (nn.LayerNorm, _GeluMLP)
        self.input_layernorm = norm(config.hidden_size, config.norm_eps)
        self.self_attn = _WindowedAttention(config)
        self.self_attn_layer_scale = _LayerScale(config.hidden_size)
        self.post_attention_layernorm = norm(config.hidden_size, config.norm_eps)
        self.mlp = network(config.hidden_size, config.intermediate_size)
        self.mlp_layer_scale = _LayerScale(config.hidden_size)

    def prepare_weights(self) -> None:
        self.self_attn.prepare_weights(self.self_attn_layer_scale.scale.detach())
        self.mlp.prepare_weights(self.mlp_layer_scale.scale.detach())
        del self.self_attn_layer_scale, self.mlp_layer_scale

    def forward(self, hidden_states: Tensor, rotation: Rotation, visible: Tensor, kept: Tensor | None) -> tuple[Tensor, Tensor | None]:
        attn_out, keep = self.self_attn(self.input_layernorm(hidden_states), rotation, visible, kept)
        hidden_states = hidden_states + attn_out
        return hidden_states + self.mlp(self.post_attention_layernorm(hidden_states)), keep


class _LayerScale(nn.Module):
    """A learnt factor per channel of what a branch adds (arXiv 2103.17239); folded into the branch's last matrix."""

    def __init__(self, width: int):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(width))


class _WindowedAttention(nn.Module):
    qkv: Tensor  # ((n_heads + 2 * n_kv_heads) * head_dim, hidden_size)
    out: Tensor  # (hidden_size, n_heads * head_dim)

    def __init__(self, config: WindowedTransformerConfig):
        super().__init__()
        self.config = config
        self.q_proj = nn.Linear(config.hidden_size, config.n_heads * config.head_dim, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, config.n_kv_heads * config.head_dim, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, config.n_kv_heads * config.head_dim, bias=False)
        self.o_proj = nn.Linear(config.n_heads * config.head_dim, config.hidden_size, bias=False)

    def prepare_weights(self, scale: Tensor) -> None:
        packed = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight]).detach()
        self.register_buffer("qkv", packed, persistent=False)
        self.register_buffer("out", self.o_proj.weight.detach() * scale[:, None], persistent=False)
        del self.q_proj, self.k_proj, self.v_proj, self.o_proj

    def forward(self, hidden_states: Tensor, rotation: Rotation, visible: Tensor, kept: Tensor | None) -> tuple[Tensor, Tensor | None]:
        n_heads, n_kv_heads, head_dim = self.config.n_heads, self.config.n_kv_heads, self.config.head_dim
        heads = rearrange(F.linear(hidden_states, self.qkv), "b f (h d) -> b h f d", d=head_dim)
        rotated, values = heads.split([n_heads + n_kv_heads, n_kv_heads], dim=1)
        queries, keys = apply_rotary(rotated, rotation).split([n_heads, n_kv_heads], dim=1)
        keep = None
        if kept is not None:
            seen = torch.cat([kept, torch.stack([keys, values], dim=1)], dim=3)  # (B, 2, H, past + F, D)
            keys, values = seen.unbind(dim=1)
            keep = seen[:, :, :, -kept.shape[3] :].clone(memory_format=torch.contiguous_format)
        attn_out = F.scaled_dot_product_attention(queries, keys, values, attn_mask=visible, enable_gqa=n_heads != n_kv_heads)
        return F.linear(rearrange(attn_out, "b h f d -> b f (h d)"), self.out), keep


class _GatedMLP(nn.Module):
    gate_up: Tensor  # (2 * intermediate_size, hidden_size)
    down: Tensor  # (hidden_size, intermediate_size)

    def __init__(self, hidden_size: int, intermediate_size: int):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)

    def prepare_weights(self, scale: Tensor) -> None:
        self.register_buffer("gate_up", torch.cat([self.gate_proj.weight, self.up_proj.weight]).detach(), persistent=False)
        self.register_buffer("down", self.down_proj.weight.detach() * scale[:, None], persistent=False)
        del self.gate_proj, self.up_proj, self.down_proj

    def forward(self, hidden_states: Tensor) -> Tensor:
        gate, up = F.linear(hidden_states, self.gate_up).chunk(2, dim=-1)
        return F.linear(F.silu(gate) * up, self.down)


class _GeluMLP(nn.Module):
    down: Tensor  # (hidden_size, intermediate_size)

    def __init__(self, hidden_size: int, intermediate_size: int):
        super().__init__()
        self.fc1 = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.fc2 = nn.Linear(intermediate_size, hidden_size, bias=False)

    def prepare_weights(self, scale: Tensor) -> None:
        self.register_buffer("down", self.fc2.weight.detach() * scale[:, None], persistent=False)
        del self.fc2

    def forward(self, hidden_states: Tensor) -> Tensor:
        return F.linear(F.gelu(self.fc1(hidden_states)), self.down)
