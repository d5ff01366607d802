"""SemanticEncoder: turns the latents of patches into rows of the language model. VAESemanticEncoder of dots.tts 0.3.1.

It goes on from patch to patch: its attention sees all latents so far, and knows no positions. The last latent of a patch is heard with the
next patch. FeedForward, causal_step: what it shares with the transformer that draws.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.dots.audio_vae import LaggingConv1d
from engines.dots.config import PAIR, DotsConfig, TransformerConfig
from engines.kit.nn.attention import Attention, AttentionConfig, AttentionStep, KVCache, RotaryConfig, additive_mask
from engines.kit.nn.module_list import module_list
from engines.kit.nn.norm import RMSNorm

__all__ = ["NORM_EPS", "FeedForward", "SemanticEncoder", "attention_config", "causal_step", "packs"]

NORM_EPS = torch.finfo(torch.float32).eps  # of nn.RMSNorm where none is given, whatever the dtype it computes in

ATTENTION_PACKS = {"attn.qkv_proj.weight": tuple(f"attn.{name}_proj.weight" for name in "qkv")}


def attention_config(sizes: TransformerConfig, rotary: RotaryConfig, *, qk_norm: bool) -> AttentionConfig:
    """Of the two transformers beside the language model, whose heads have keys of their own."""
    heads = (sizes.num_heads, sizes.num_heads, sizes.head_dim)
    return AttentionConfig(sizes.hidden_size, *heads, rotary, qk_norm=qk_norm, out_bias=True, norm_eps=NORM_EPS)


def packs(dit: TransformerConfig) -> dict[str, tuple[str, ...]]:
    """For Checkpoint.load_into: what their packed parameters hold."""
    return {**ATTENTION_PACKS, "attn.qk_norm": tuple(f"attn.{name}_norm.weight" for name in "qk" for _ in range(dit.num_heads))}


def causal_step(places: Tensor, last_seen: Tensor, n_keys: int, dtype: torch.dtype, *, n_blank: int = 0) -> AttentionStep:
    """One pass over a cache, whose rows see the keys up to one of their own each, without rotation.

    places: (B, T) int64, where keys go. last_seen: (B, T), the last place that each sees. n_keys: places that are read.
    n_blank: first places that hold nothing, which only rows that lie there see.
    """
    keys = torch.arange(n_keys, device=places.device)
    hidden = keys > last_seen[..., None]
    if n_blank:
        hidden = hidden | ((keys < n_blank) & (places[..., None] >= n_blank))
    each = torch.arange(len(places), device=places.device)[:, None]
    return AttentionStep(places, None, each, additive_mask(hidden, 1, dtype), n_keys)


class FeedForward(nn.Module):
    """(..., D) -> (..., D): up, activation, down, both with biases. Upstream: Mlp."""

    def __init__(self, sizes: TransformerConfig, activation: Callable[[Tensor], Tensor]):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(sizes.hidden_size, sizes.ffn_hidden_size), nn.Linear(sizes.ffn_hidden_size, sizes.hidden_size)
        self._activation = activation

    def forward(self, rows: Tensor) -> Tensor:
        return self.fc2(self._activation(self.fc1(rows)))


class _SemanticLayer(nn.Module):
    def __init__(self, sizes: TransformerConfig):
        super().__init__()
        self.attn = Attention(attention_config(sizes, RotaryConfig(kind="none"), qk_norm=False))
        self.attn_norm, self.ffn_norm = RMSNorm(sizes.hidden_size, NORM_EPS), RMSNorm(sizes.hidden_size, NORM_EPS)
        self.ffn = FeedForward(sizes, F.silu)

    def forward(self, rows: Tensor, branch: Tensor | None, step: AttentionStep, keys_values: Tensor) -> tuple[Tensor, Tensor]:
        """What the last branch adds is added where it is normed, which is the next layer's first affair; so is it with what comes out."""
        rows, normed = self.attn_norm.add(rows, branch)
        rows, normed = self.ffn_norm.add(rows, self.attn(normed, step, keys_values))
        return rows, self.ffn(normed)


class _SemanticLayers(nn.Module):
    def __init__(self, sizes: TransformerConfig):
        super().__init__()
        self.layers = module_list(_SemanticLayer(sizes) for _ in range(sizes.num_layers))


class SemanticEncoder(nn.Module):
    """Names of parameters are the checkpoint's. A patch is P latents of D channels, and P / 2 rows here."""

    def __init__(self, config: DotsConfig):
        super().__init__()
        sizes, latent = config.PatchEncoder, config.latent_dim
        self.rows_per_patch, self._sizes = config.patch_size // PAIR, sizes
        self.ds_proj = LaggingConv1d(latent, latent, PAIR, PAIR)
        self.in_proj, self.encoder = nn.Linear(latent, sizes.hidden_size), _SemanticLayers(sizes)
        self.out_proj = nn.Linear(sizes.hidden_size * self.rows_per_patch, config.llm.hidden_size)

    @property
    def attention(self) -> AttentionConfig:
        return self.encoder.layers[0].attn.config

    def prepare_weights(self) -> None:
        """Arrange the convolution as one matrix. Once, after loading."""
        self.ds_proj.prepare_weights()

    def new_cache(self, batch: int, n_patches: int) -> KVCache:
        """An empty cache for so many patches of `batch` streams."""
        weight = self.in_proj.weight
        shape = (self._sizes.num_layers, 2, batch, self._sizes.num_heads, n_patches * self.rows_per_patch, self._sizes.head_dim)
        return KVCache(torch.zeros(shape, dtype=weight.dtype, device=weight.device))

    def forward(self, latents: Tensor, before: Tensor, first_patch: Tensor, cache: Tensor, most_patches: int) -> tuple[Tensor, Tensor]:
        """Rows of patches that follow those in the cache.

        latents: (B, N * P, D), as the decoder takes them. before: (B, 1, D), the latent before them, zeros where there is none.
        first_patch: (B, 1) int64, the number of the first. cache: (layers, 2, B, ...), as new_cache has it. most_patches: that are read of
        it. returns: (B, N, H), and the last latent, (B, 1, D).
        """
        pairs, before = self.ds_proj(latents, before)
        rows = self.in_proj(pairs)
        places = first_patch * self.rows_per_patch + torch.arange(rows.shape[1], device=rows.device)
        step = causal_step(places, places, most_patches * self.rows_per_patch, rows.dtype)
        branch = None
        for layer, keys_values in zip(self.encoder.layers, cache, strict=True):
            rows, branch = layer(rows, branch, step, keys_values)
        rows = rows if branch is None else rows + branch
        return self.out_proj(rows.unflatten(1, (-1, self.rows_per_patch)).flatten(2)), before
