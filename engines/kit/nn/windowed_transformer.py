"""A causal transformer of audio codecs: attention over a window, learned residual scales, the window's keys and values as state.

It is made of the decoder's attention, norm, rotation and networks. Two kinds meet one shape: RMSNorm with a gated SiLU network (the
Qwen3-TTS decoder, Fish) and LayerNorm with a GELU network (Mimi).
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from engines.kit.nn.attention import Attention, AttentionConfig, AttentionStep, Rotary, additive_mask
from engines.kit.nn.module_list import module_list
from engines.kit.nn.norm import RMSNorm
from engines.kit.nn.tensor_names import USUAL_NAMES, TensorNames
from engines.kit.nn.transformer import GeluMLP, SwiGLU

__all__ = ["WindowedTransformer", "WindowedTransformerConfig"]

MOST_ROWS_AT_ONCE = 512  # where a stream is seen whole; bounds the attention matrix


@dataclass(frozen=True)
class WindowedTransformerConfig:
    """window: positions that one attends to, itself included; None: all before it, for streams that are seen whole.

    attention.norm_eps is the eps of all norms. names: what the checkpoint calls the tensors of a layer.
    last_norm: whether a norm stands behind the last layer. outer_size: width of the rows that come in and go out, where they are projected
    to the width of the layers and back; None: it is that width.
    """

    kind: Literal["rms_swiglu", "layer_gelu"]
    attention: AttentionConfig
    intermediate_size: int
    n_layers: int
    window: int | None
    names: TensorNames = USUAL_NAMES
    last_norm: bool = False
    outer_size: int | None = None


class WindowedTransformer(nn.Module):
    """Hidden states through all layers, whole or piece by piece.

    Upstream: DecoderTransformerModel of qwen-tts 0.1.1 and MimiTransformerModel of transformers 4.57.3. Positions count from the start of
    the stream; their angles are float32 in every dtype, as upstream.
    """

    def __init__(self, config: WindowedTransformerConfig):
        super().__init__()
        self.config = config
        width, outer = config.attention.hidden_size, config.outer_size
        self.input_proj = nn.Identity() if outer is None else nn.Linear(outer, width)
        self.layers = module_list(_WindowedLayer(config) for _ in range(config.n_layers))
        self.norm = _norm_of(config) if config.last_norm else nn.Identity()
        self.output_proj = nn.Identity() if outer is None else nn.Linear(width, outer)
        self._rotary = Rotary(config.attention.rotary, config.attention.head_dim)

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: which tensors of the file lie one above the other in which of ours, and what is called otherwise."""
        return self.config.names.packs(self.config.attention, gated=self.config.kind == "rms_swiglu")

    def prepare_weights(self) -> None:
        """Fold residual scales into the last matrix of what they scale. Once, after loading."""
        for layer in self.layers:
            layer.prepare_weights()

    @property
    def _past(self) -> int:
        """Rows that are kept, of networks that have a window: others see their streams whole."""
        assert self.config.window is not None
        return self.config.window - 1

    def start(self, batch: int, like: Tensor) -> tuple[Tensor, ...]:
        """The state before the first row: per layer (batch, 2, n_kv_heads, window - 1, head_dim) zeros, keys then values."""
        attention = self.config.attention
        return tuple(like.new_zeros(batch, 2, attention.n_kv_heads, self._past, attention.head_dim) for _ in self.layers)

    def forward(self, hidden_states: Tensor, position: Tensor, kept: tuple[Tensor, ...] | None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """hidden_states: (B, F, D). position: (B,) int64, rows already seen. kept: keys and values of the last window - 1 rows, or None.

        returns: (B, F, D), keys and values to keep. None in, none out: for streams that are seen whole. D is outer_size, if there is one.
        """
        hidden_states = self.input_proj(hidden_states)
        step = self._step(hidden_states, position, 0 if kept is None else self._past)
        keep = []
        for index, layer in enumerate(self.layers):
            hidden_states, keys_values = layer(hidden_states, step, None if kept is None else kept[index])
            keep.append(keys_values)
        return self.output_proj(self.norm(hidden_states)), () if kept is None else tuple(keep)

    def forward_whole(self, hidden_states: Tensor) -> Tensor:
        """(B, F, D) -> (B, F, D): all rows of streams from their start, for networks with a window. Piece by piece, in bounded memory."""
        position = torch.zeros(len(hidden_states), dtype=torch.int64, device=hidden_states.device)
        if hidden_states.shape[1] <= MOST_ROWS_AT_ONCE:
            return self(hidden_states, position, None)[0]
        kept, out = self.start(len(hidden_states), hidden_states), []
        for piece in hidden_states.split(MOST_ROWS_AT_ONCE, dim=1):
            rows, kept = self(piece, position, kept)
            position = position + piece.shape[1]
            out.append(rows)
        return torch.cat(out, dim=1)

    def _step(self, hidden_states: Tensor, position: Tensor, past: int) -> AttentionStep:
        """A key is seen that is not before the start, not after the row, and inside its window."""
        n_rows, dtype = hidden_states.shape[1], hidden_states.dtype
        seen_at = position[:, None] + torch.arange(-past, n_rows, device=hidden_states.device)  # (B, past + F), negative before the start
        distance = seen_at[:, -n_rows:, None] - seen_at[:, None, :]
        hidden = (seen_at < 0)[:, None] | (distance < 0)  # (B, F, past + F)
        if self.config.window is not None:
            hidden = hidden | (distance >= self.config.window)
        written_to = torch.arange(past, past + n_rows, device=hidden_states.device)  # behind what was kept
        mask = additive_mask(hidden, self.config.attention.n_groups, dtype)
        return AttentionStep(written_to, self._rotary(seen_at[:, past:], dtype), None, mask, past + n_rows)


class _WindowedLayer(nn.Module):
    def __init__(self, config: WindowedTransformerConfig):
        super().__init__()
        width, network = config.attention.hidden_size, SwiGLU if config.kind == "rms_swiglu" else GeluMLP
        self.input_layernorm = _norm_of(config)
        self.self_attn = _WindowedAttention(config.attention)
        self.post_attention_layernorm = _norm_of(config)
        self.mlp = network(width, config.intermediate_size)
        # Learnt factors per channel of what a branch adds (arXiv 2103.17239).
        self.attention_scale, self.mlp_scale = nn.Parameter(torch.empty(width)), nn.Parameter(torch.empty(width))

    def prepare_weights(self) -> None:
        for last, scale in ((self.self_attn.o_proj, self.attention_scale), (self.mlp.down_proj, self.mlp_scale)):
            last.weight = nn.Parameter(last.weight.detach() * scale.detach()[:, None], requires_grad=False)
        del self.attention_scale, self.mlp_scale

    def forward(self, hidden_states: Tensor, step: AttentionStep, kept: Tensor | None) -> tuple[Tensor, Tensor | None]:
        attn_out, keep = self.self_attn.attend_window(self.input_layernorm(hidden_states), step, kept)
        if isinstance(self.post_attention_layernorm, RMSNorm):
            hidden_states, normed = self.post_attention_layernorm.add(hidden_states, attn_out)
        else:
            hidden_states = hidden_states + attn_out
            normed = self.post_attention_layernorm(hidden_states)
        return hidden_states + self.mlp(normed), keep


def _norm_of(config: WindowedTransformerConfig) -> nn.Module:
    width, eps = config.attention.hidden_size, config.attention.norm_eps
    return RMSNorm(width, eps, float64_in_float32=True) if config.kind == "rms_swiglu" else nn.LayerNorm(width, eps)


class _WindowedAttention(Attention):
    """Keys and values of the rows before go in as a tensor, those of the last rows come out as another."""

    def attend_window(self, hidden_states: Tensor, step: AttentionStep, kept: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """(B, T, D) and the keys and values before -> (B, T, D), and those to keep."""
        if self.fused and kept is not None:
            return self._forward_by_few_kernels(hidden_states, step, kept)
        queries, keys, values = self.project(hidden_states, step.rotation)
        seen, keep = torch.stack([keys.transpose(1, 2), values.transpose(1, 2)], dim=1), None
        if kept is not None:
            seen = torch.cat([kept, seen], dim=3)  # (B, 2, kv heads, past + F, head_dim)
            keep = seen[:, :, :, keys.shape[1] :].clone(memory_format=torch.contiguous_format)
        return self.attend(queries, seen[:, 0], seen[:, 1], step.mask), keep

    def _forward_by_few_kernels(self, hidden_states: Tensor, step: AttentionStep, kept: Tensor) -> tuple[Tensor, Tensor]:
        past = kept.shape[3]
        seen = kept.new_empty(*kept.shape[:3], past + hidden_states.shape[1], kept.shape[4])
        seen[:, :, :, :past].copy_(kept)
        keys_values = seen.transpose(0, 1)
        queries = self.project_into(hidden_states, step, keys_values)
        keep = seen[:, :, :, hidden_states.shape[1] :].clone(memory_format=torch.contiguous_format)
        return self.attend_grouped(queries, keys_values, step.mask), keep
