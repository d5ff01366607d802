"""CosyVoice3's flow as a formula: all frames of one speech at once, from tensors named as in flow.pt, without memory and without haste."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.cosyvoice3.config import FlowConfig

__all__ = ["TOY", "FlowFormula", "toy_weights"]

TOY = FlowConfig(
    vocab_size=29, mel_dim=6, spk_embed_dim=7, token_mel_ratio=2, pre_lookahead_len=3, lookahead_channels=10,
    dim=32, depth=2, heads=3, dim_head=8, ff_mult=2, chunk_tokens=5, guidance=0.7,
)  # fmt: skip
KERNEL, GROUPS, N_STEPS = 31, 16, 10


def toy_weights(config: FlowConfig = TOY) -> dict[str, Tensor]:
    """Random, so that signals keep their size, and what attention sees matters."""
    generator = torch.Generator().manual_seed(0)
    weights = {name: torch.randn(shape, generator=generator) for name, shape in _shapes(config).items()}
    return {name: w * (1.3 / math.sqrt(w[0].numel()) if w.ndim > 1 else 0.1) for name, w in weights.items()}


def _shapes(config: FlowConfig) -> dict[str, tuple[int, ...]]:
    """Of flow.pt, cosyvoice3.yaml's sizes in the place of the released ones (released/cosyvoice3/tensors.tsv of the reference)."""
    mel, dim, inner, channels = config.mel_dim, config.dim, config.heads * config.dim_head, config.lookahead_channels
    estimator = "decoder.estimator"
    matrices = {
        "spk_embed_affine_layer": (mel, config.spk_embed_dim),
        "pre_lookahead_layer.conv1": (channels, mel, config.pre_lookahead_len + 1),
        "pre_lookahead_layer.conv2": (mel, channels, 3),
        f"{estimator}.time_embed.time_mlp.0": (dim, 256),
        f"{estimator}.time_embed.time_mlp.2": (dim, dim),
        f"{estimator}.input_embed.proj": (dim, 4 * mel),
        f"{estimator}.input_embed.conv_pos_embed.conv1.0": (dim, dim // GROUPS, KERNEL),
        f"{estimator}.input_embed.conv_pos_embed.conv2.0": (dim, dim // GROUPS, KERNEL),
        f"{estimator}.norm_out.linear": (2 * dim, dim),
        f"{estimator}.proj_out": (mel, dim),
    }
    for block in (f"{estimator}.transformer_blocks.{index}" for index in range(config.depth)):
        matrices |= {f"{block}.attn.to_{part}": (inner, dim) for part in "qkv"}
        matrices |= {f"{block}.attn_norm.linear": (6 * dim, dim), f"{block}.attn.to_out.0": (dim, inner)}
        matrices |= {f"{block}.ff.ff.0.0": (config.ff_mult * dim, dim), f"{block}.ff.ff.2": (dim, config.ff_mult * dim)}
    shapes = {f"{name}.weight": shape for name, shape in matrices.items()} | {f"{name}.bias": shape[:1] for name, shape in matrices.items()}
    return shapes | {"input_embedding.weight": (config.vocab_size, mel), f"{estimator}.rotary_embed.inv_freq": (config.dim_head // 2,)}


@dataclass(frozen=True)
class FlowFormula:
    """rotated_heads: 1 upstream. n_seen_ahead: of frames, beyond what chunks allow; 0 upstream. Both are here to be false."""

    weights: dict[str, Tensor]
    config: FlowConfig = TOY
    rotated_heads: int = 1
    n_seen_ahead: int = 0

    def mel(self, tokens: Sequence[int], prompt: Tensor, embedding: Tensor) -> Tensor:
        """(F, mel_dim), F frames of all tokens. prompt: (P, mel_dim), known frames. embedding: (spk_embed_dim,)."""
        rows = self.token_rows(tokens).repeat_interleave(2, dim=0)
        known = F.pad(prompt, (0, 0, 0, len(rows) - len(prompt)))
        speaker = self._linear("spk_embed_affine_layer", embedding / embedding.norm()).expand(len(rows), -1)
        x = torch.randn(1, self.config.mel_dim, 15_000, generator=torch.Generator().manual_seed(0))[0, :, : len(rows)].T
        points = 1 - torch.cos(torch.linspace(0, 1, N_STEPS + 1) * 0.5 * torch.pi)
        for time, following in pairwise(points):
            with_all = self._velocity(torch.cat([x, known, rows, speaker], dim=1), time)
            with_none = self._velocity(torch.cat([x, *[torch.zeros_like(x)] * 3], dim=1), time)
            x = x + (following - time) * ((1 + self.config.guidance) * with_all - self.config.guidance * with_none)
        return x

    def token_rows(self, tokens: Sequence[int]) -> Tensor:
        """(N, mel_dim)."""
        embedded = self.weights["input_embedding.weight"][list(tokens)]
        ahead = F.leaky_relu(self._conv("pre_lookahead_layer.conv1", F.pad(embedded, (0, 0, 0, self.config.pre_lookahead_len))))
        return embedded + self._conv("pre_lookahead_layer.conv2", F.pad(ahead, (0, 0, 2, 0)))

    def _velocity(self, known: Tensor, time: Tensor) -> Tensor:
        e = "decoder.estimator"
        told = self._told(time)
        x = self._linear(f"{e}.input_embed.proj", known)
        where = x
        for conv in ("conv1", "conv2"):
            before = F.pad(where, (0, 0, KERNEL - 1, 0))
            where = F.mish(self._conv(f"{e}.input_embed.conv_pos_embed.{conv}.0", before, groups=GROUPS))
        x = x + where
        for index in range(self.config.depth):
            x = self._block(f"{e}.transformer_blocks.{index}", x, told)
        scale, shift = self._linear(f"{e}.norm_out.linear", told).chunk(2)
        return self._linear(f"{e}.proj_out", _normed(x) * (1 + scale) + shift)

    def _told(self, time: Tensor) -> Tensor:
        angles = 1000 * time * torch.exp(torch.arange(128) * -(math.log(10_000) / 127))
        hidden = F.silu(self._linear("decoder.estimator.time_embed.time_mlp.0", torch.cat([angles.sin(), angles.cos()])))
        return F.silu(self._linear("decoder.estimator.time_embed.time_mlp.2", hidden))

    def _block(self, name: str, x: Tensor, told: Tensor) -> Tensor:
        shift, scale, gate, ff_shift, ff_scale, ff_gate = self._linear(f"{name}.attn_norm.linear", told).chunk(6)
        x = x + gate * self._attention(f"{name}.attn", _normed(x) * (1 + scale) + shift)
        inner = F.gelu(self._linear(f"{name}.ff.ff.0.0", _normed(x) * (1 + ff_scale) + ff_shift), approximate="tanh")
        return x + ff_gate * self._linear(f"{name}.ff.ff.2", inner)

    def _attention(self, name: str, x: Tensor) -> Tensor:
        queries, keys, values = (self._linear(f"{name}.to_{part}", x).chunk(self.config.heads, dim=1) for part in "qkv")
        frames, chunk = torch.arange(len(x)), self.config.chunk_frames
        is_seen = frames[None] < (frames[:, None] // chunk + 1) * chunk + self.n_seen_ahead
        mixed = []
        for head, (q, k, v) in enumerate(zip(queries, keys, values, strict=True)):
            turned = (_rotated(q), _rotated(k)) if head < self.rotated_heads else (q, k)
            scores = (turned[0] @ turned[1].T / math.sqrt(self.config.dim_head)).where(is_seen, -torch.inf)
            mixed.append(scores.softmax(dim=1) @ v)
        return self._linear(f"{name}.to_out.0", torch.cat(mixed, dim=1))

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _conv(self, name: str, rows: Tensor, groups: int = 1) -> Tensor:
        return F.conv1d(rows.T[None], self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], groups=groups)[0].T


def _normed(x: Tensor) -> Tensor:
    centerd = x - x.mean(dim=1, keepdim=True)
    return centerd / torch.sqrt(centerd.square().mean(dim=1, keepdim=True) + 1e-6)


def _rotated(head: Tensor) -> Tensor:
    """Channels 2 k and 2 k + 1 of frame p turned by p / 10000 ** (2 k / dim_head)."""
    n_pairs = head.shape[1] // 2
    angles = torch.arange(len(head))[:, None] / 10_000 ** (torch.arange(n_pairs) / n_pairs)
    a, b = head[:, ::2], head[:, 1::2]
    return torch.stack([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=2).flatten(1)
