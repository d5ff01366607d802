"""DiffusionTransformer: computes the velocity of mel frames, with a memory of earlier frames. The time reaches it as modulations of its
norms.

Source: DiT of CosyVoice @ ace7c47 (cosyvoice/flow/DiT), which is that of F5-TTS (arXiv 2410.06885) with causal convolutions, streaming.
Parameters have the names of flow.pt below `decoder.estimator`, but for queries, keys and values, which are one matrix.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from engines.cosyvoice3.config import FlowConfig
from engines.cosyvoice3.flow.flow_memory import N_GUIDED, FlowMemory
from engines.cosyvoice3.flow.flow_step import CONTEXT_FRAMES, FlowStep
from engines.kit.codec.grouped_conv import GroupedConv1d
from engines.kit.codec.packed_conv import PackedConv1d
from engines.kit.nn.attention import overflow_as_nan
from engines.kit.nn.module_list import module_list
from engines.kit.sampling.flow_matching import time_waves

__all__ = ["DiffusionTransformer"]

# Of dit.py and modules.py @ ace7c47.
N_POSITION_CONVS, POSITION_GROUPS = 2, 16
TIME_WAVES = 256
NORM_EPS = 1e-6
N_MODULATIONS = 6  # shift, scale and gate of attention, then of the feed-forward network (AdaLayerNormZero)
SCALES = (1, 4)  # which of them are added to 1


class DiffusionTransformer(nn.Module):
    """2 * n rows are n streams' conditioned ones, then the same without conditions. D: dim."""

    modulations: Tensor  # (steps, depth, 6, D)
    last_modulations: Tensor  # (steps, 2, D): scale, shift

    def __init__(self, config: FlowConfig):
        super().__init__()
        self.time_embed = _TimeNetwork(config.dim)
        self.input_embed = _InputEmbedding(config)
        self.transformer_blocks = module_list(_DiffusionBlock(config) for _ in range(config.depth))
        self.norm_out = _Modulation(config.dim, 2)
        self.proj_out = nn.Linear(config.dim, config.mel_dim)

    @torch.no_grad()
    def prepare_weights(self, times: Sequence[float]) -> None:
        """What the time of each Euler step does to every norm, in the place of the matrices that say it. Once, after loading."""
        weight = self.proj_out.weight
        told = F.silu(self.time_embed(torch.tensor(times, dtype=weight.dtype, device=weight.device)))
        layers = torch.stack([block.attn_norm.linear(told) for block in self.transformer_blocks], dim=1)
        modulations = rearrange(layers, "s l (m d) -> s l m d", m=N_MODULATIONS).contiguous()
        modulations[:, :, SCALES] += 1
        last = rearrange(self.norm_out.linear(told), "s (m d) -> s m d", m=2).contiguous()
        last[:, 0] += 1
        self.register_buffer("modulations", modulations, persistent=False)
        self.register_buffer("last_modulations", last, persistent=False)
        del self.time_embed, self.norm_out
        for block in self.transformer_blocks:
            del block.attn_norm
        self.input_embed.conv_pos_embed.prepare_weights()

    def forward(self, frames: Tensor, conditions: Tensor, euler_step: int, memory: FlowMemory, step: FlowStep) -> Tensor:
        """Velocity (2 * n, F, mel). frames: (2 * n, F, mel) on their way. conditions: (2 * n, F, 3 * mel)."""
        hidden = self.input_embed(torch.cat([frames, conditions], dim=-1), memory.contexts[euler_step], step)
        for index, block in enumerate(self.transformer_blocks):
            hidden = block(hidden, self.modulations[euler_step, index], memory.keys_values[euler_step, index], step)
        return self.proj_out(_modulated(hidden, *self.last_modulations[euler_step]))


class _TimeNetwork(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.time_mlp = nn.Sequential(nn.Linear(TIME_WAVES, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, times: Tensor) -> Tensor:
        """(N,) -> (N, D)."""
        return self.time_mlp(time_waves(times, TIME_WAVES))


class _Modulation(nn.Module):
    """Of so many kinds, from the time. Only there until the weights are prepared."""

    def __init__(self, width: int, n_kinds: int):
        super().__init__()
        self.linear = nn.Linear(width, n_kinds * width)


class _InputEmbedding(nn.Module):
    def __init__(self, config: FlowConfig):
        super().__init__()
        self.proj = nn.Linear(4 * config.mel_dim, config.dim)  # frames on their way, known ones, rows of tokens, speaker
        self.conv_pos_embed = _PositionConvs(config.dim)

    def forward(self, rows: Tensor, contexts: Tensor, step: FlowStep) -> Tensor:
        hidden = self.proj(rows)
        return hidden + self.conv_pos_embed(hidden, contexts, step)


class _PositionConvs(nn.Module):
    """Two causal convolutions by which frames know where they stand among their neighbors."""

    def __init__(self, width: int):
        super().__init__()
        self.conv1, self.conv2 = (
            nn.Sequential(nn.Conv1d(width, width, CONTEXT_FRAMES + 1, groups=POSITION_GROUPS)) for _ in range(N_POSITION_CONVS)
        )

    def prepare_weights(self) -> None:
        """Lay the kernels out as a CPU reads them, where that can be, or as a GPU multiplies them. Once, after loading."""
        for convs in (self.conv1, self.conv2):
            conv = convs[0]
            assert isinstance(conv, nn.Conv1d) and conv.bias is not None
            if conv.weight.is_cuda:
                convs[0] = GroupedConv1d(conv.weight, conv.bias, groups=POSITION_GROUPS)
            elif PackedConv1d.can_pack(conv.weight):
                convs[0] = PackedConv1d(conv.weight, conv.bias, groups=POSITION_GROUPS)

    def forward(self, hidden: Tensor, contexts: Tensor, step: FlowStep) -> Tensor:
        """(2 * n, F, D) -> (2 * n, F, D). contexts: (2, 2, B, CONTEXT_FRAMES, D), read and written."""
        for convs, context in zip((self.conv1, self.conv2), contexts, strict=True):
            hidden = F.mish(_convolved(convs[0], _joined(hidden, context, step)))
        return hidden


def _joined(hidden: Tensor, context: Tensor, step: FlowStep) -> Tensor:
    """(2 * n, CONTEXT_FRAMES + F, D): the frames before and these. context: (2, B, CONTEXT_FRAMES, D), which the next call will see."""
    before = context if step.gathered is None else context.index_select(1, step.gathered)
    joined = torch.cat([before.flatten(0, 1), hidden], dim=1)
    last = joined[:, hidden.shape[1] :]
    tails = last if step.tails is None else joined.gather(1, step.tails[..., None].expand_as(last))
    tails = tails.unflatten(0, (N_GUIDED, -1))
    if step.gathered is None:
        context.copy_(tails)
    else:
        context.index_copy_(1, step.gathered, tails)
    return joined


def _convolved(conv: nn.Module, rows: Tensor) -> Tensor:
    """conv: nn.Conv1d, or what took its place."""
    return conv(rows.mT).mT if isinstance(conv, nn.Conv1d) else conv(rows)


class _DiffusionBlock(nn.Module):
    def __init__(self, config: FlowConfig):
        super().__init__()
        self.attn_norm = _Modulation(config.dim, N_MODULATIONS)
        self.attn = _DiffusionAttention(config)
        self.ff = _FeedForward(config.dim, config.ff_mult * config.dim)

    def forward(self, hidden: Tensor, modulation: Tensor, keys_values: Tensor, step: FlowStep) -> Tensor:
        """modulation: (6, D). keys_values: (2, 2, B, heads, length + 1, dim_head), read and written."""
        shift, scale, gate, ff_shift, ff_scale, ff_gate = modulation
        hidden = hidden.addcmul(gate, self.attn(_modulated(hidden, scale, shift), keys_values, step))
        return hidden.addcmul(ff_gate, self.ff(_modulated(hidden, ff_scale, ff_shift)))


class _DiffusionAttention(nn.Module):
    """Of all heads only the first is rotated: AttnProcessor hands the heads over to the rotation before it parts them."""

    def __init__(self, config: FlowConfig):
        super().__init__()
        width = config.heads * config.dim_head
        self.heads = config.heads
        self.to_qkv = nn.Linear(config.dim, 3 * width)
        self.to_out = nn.ModuleList([nn.Linear(width, config.dim)])

    def forward(self, hidden: Tensor, keys_values: Tensor, step: FlowStep) -> Tensor:
        """(2 * n, F, D) -> (2 * n, F, D)."""
        packed = rearrange(self.to_qkv(hidden), "(g n) f (p h d) -> g n f p h d", g=N_GUIDED, p=3, h=self.heads)
        rotated = packed[..., :2, 0, :]  # the first heads of queries and keys
        torch.view_as_complex(rotated.unflatten(-1, (-1, 2))).mul_(step.rotation)
        _write(keys_values, overflow_as_nan(packed[..., 1:, :, :].to(keys_values.dtype)), step.written)
        read = keys_values[..., : step.n_keys, :]
        if step.gathered is not None:
            read = read.index_select(2, step.gathered)
        keys, values = read.flatten(1, 2)
        queries = overflow_as_nan(rearrange(packed[..., 0, :, :], "g n f h d -> (g n) h f d").to(keys.dtype))
        mixed = F.scaled_dot_product_attention(queries, keys, values, attn_mask=step.mask)
        return self.to_out[0](rearrange(mixed, "b h f d -> b f (h d)").to(hidden.dtype))


def _write(keys_values: Tensor, new: Tensor, where: slice | tuple[Tensor, Tensor]) -> None:
    """new: (2, n, F, 2, heads, dim_head). where: see FlowStep."""
    if isinstance(where, slice):  # a fifth of the time that indices take on a CPU
        keys_values[..., where, :].copy_(rearrange(new, "g n f p h d -> p g n h f d"))
    else:
        new = rearrange(new, "g n f p h d -> n f p g h d")
        rearrange(keys_values, "p g b h f d -> b f p g h d").index_put_(where, new)


class _FeedForward(nn.Module):
    def __init__(self, width: int, inner_width: int):
        super().__init__()
        self.ff = nn.Sequential(nn.Sequential(nn.Linear(width, inner_width)), nn.Identity(), nn.Linear(inner_width, width))

    def forward(self, hidden: Tensor) -> Tensor:
        return self.ff[2](F.gelu(self.ff[0](hidden), approximate="tanh"))


def _modulated(hidden: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Normed without weights of its own, times the scale (which holds the 1 already), plus the shift."""
    return F.layer_norm(hidden, scale.shape, scale, shift, NORM_EPS)
