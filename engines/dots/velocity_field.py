"""VelocityField: the transformer that turns noise into the latents of a patch, and remembers all patches before. DiT of dots.tts 0.3.1.

Its rows: of each patch the state of the language model that it was made of, and its latents; then the same of the patch that is drawn,
whose latents are noise on their way. Time and voice shift and scale the rows of every layer, those of former patches, too. So there are
keys of the past for each step of a sampler.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.dots.config import DotsConfig, TransformerConfig
from engines.dots.semantic_encoder import FeedForward, attention_config, causal_step
from engines.kit.nn.attention import Attention, AttentionConfig, AttentionStep, Rotary, RotaryConfig
from engines.kit.nn.module_list import module_list

__all__ = ["VelocityField"]

NORM_EPS = 1e-5  # of norms without weights (FinalLayer and DiTBlock upstream)
N_WAVES, LONGEST_PERIOD = 256, 10_000.0  # TimestepEmbedder upstream; times go in as they are, between 0 and 1
OF_BLOCK, OF_END, THIRD = 6, 2, 3  # shift, scale, gate of attention and of the network; shift and scale


class _NumberEmbedding(nn.Module):
    """(N,) in [0, 1] -> (N, width). Upstream: TimestepEmbedder; waves are float32, cosines first."""

    def __init__(self, width: int):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(N_WAVES, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, numbers: Tensor) -> Tensor:
        half = N_WAVES // 2
        frequencies = torch.exp(-math.log(LONGEST_PERIOD) * torch.arange(half, dtype=torch.float32, device=numbers.device) / half)
        angles = numbers.float()[:, None] * frequencies
        return self.mlp(torch.cat([angles.cos(), angles.sin()], dim=1).to(next(self.mlp.parameters()).dtype))


def _modulation(width: int, n_chunks: int) -> nn.Sequential:
    return nn.Sequential(nn.SiLU(), nn.Linear(width, n_chunks * width))


def _modulated(rows: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    """scale: as `modulations` makes it."""
    return torch.addcmul(shift, F.layer_norm(rows, rows.shape[-1:], eps=NORM_EPS), scale)


class _DitBlock(nn.Module):
    def __init__(self, sizes: TransformerConfig, attention: AttentionConfig):
        super().__init__()
        self.attn, self.ffn = Attention(attention), FeedForward(sizes, lambda rows: F.gelu(rows, approximate="tanh"))
        self.adaLN_modulation = _modulation(sizes.hidden_size, OF_BLOCK)

    def forward(self, rows: Tensor, modulation: Tensor, step: AttentionStep, keys_values: Tensor) -> Tensor:
        """modulation: (B, OF_BLOCK, 1, W)."""
        shift, scale, gate, *network = modulation.unbind(1)
        rows = torch.addcmul(rows, gate, self.attn(_modulated(rows, shift, scale), step, keys_values))
        shift, scale, gate = network
        return torch.addcmul(rows, gate, self.ffn(_modulated(rows, shift, scale)))


class _DitEnd(nn.Module):
    def __init__(self, width: int, latent: int):
        super().__init__()
        self.adaLN_modulation, self.linear = _modulation(width, OF_END), nn.Linear(width, latent)


class VelocityField(nn.Module):
    """Names of parameters are the checkpoint's, but for the projections into it, which stand beside it there.

    W: its width; P latents of D channels a patch; R = 1 + P rows a patch. Memories are (layers, 2, B, heads, places, head_dim): the first R
    places are blank, and stand for the patch before the first one.
    """

    def __init__(self, config: DotsConfig):
        super().__init__()
        sizes = config.DiT
        rotary = RotaryConfig(theta=sizes.rotary_theta, in_float32=True)
        self.attention = attention_config(sizes, rotary, qk_norm=True)
        self.patch_size, self.n_rows, self._sizes = config.patch_size, config.rows_per_patch, sizes
        self.input_layer, self.time_embedder = nn.Linear(sizes.hidden_size, sizes.hidden_size), _NumberEmbedding(sizes.hidden_size)
        self.duration_embedder = _NumberEmbedding(sizes.hidden_size) if config.has_lengths else None
        self.blocks = module_list(_DitBlock(sizes, self.attention) for _ in range(sizes.num_layers))
        self.output_layer = _DitEnd(sizes.hidden_size, config.latent_dim)
        self._rotary = Rotary(rotary, sizes.head_dim)

    @property
    def dtype(self) -> torch.dtype:
        return self.input_layer.weight.dtype

    @property
    def n_modulations(self) -> int:
        """Rows of W that all layers take of one time and voice."""
        return OF_BLOCK * len(self.blocks) + OF_END

    def prepare_weights(self) -> None:
        """Frequencies of rotation, on the device before a graph wants them. Once, after loading."""
        self._rotary(torch.zeros(1, dtype=torch.int64, device=self.input_layer.weight.device), self.dtype)

    def new_memory(self, batch: int, n_patches: int) -> Tensor:
        """For so many patches, one of them being drawn, of `batch` streams at one step."""
        shape = (len(self.blocks), 2, batch, self._sizes.num_heads, (n_patches + 1) * self.n_rows, self._sizes.head_dim)
        return torch.zeros(shape, dtype=self.dtype, device=self.input_layer.weight.device)

    def modulations(self, voices: Tensor, times: tuple[float, ...], lengths: tuple[float, ...] | None) -> Tensor:
        """What all layers take of each time and voice: (N times, B, n_modulations, W).

        voices: (B, W). lengths: of the jumps at these times, where the velocity is told.
        """
        told = self.time_embedder(torch.tensor(times, dtype=self.dtype, device=voices.device))
        if lengths is not None and self.duration_embedder is not None:
            told = told + self.duration_embedder(torch.tensor(lengths, dtype=self.dtype, device=voices.device))
        conditions = told[:, None] + voices
        layers = [*(block.adaLN_modulation for block in self.blocks), self.output_layer.adaLN_modulation]
        chunks = torch.cat([layer(conditions).unflatten(2, (-1, self._sizes.hidden_size)) for layer in layers], dim=2)
        chunks[:, :, 1::THIRD] += 1  # of every scale, by which rows are multiplied
        return chunks

    def step(self, n_before: Tensor, most_patches: int) -> AttentionStep:
        """Of the pass that draws a patch: the R rows before it, then its own, which see one another and all before.

        n_before: (B, 1) int64, patches before it. most_patches: that are read, that one among them.
        """
        places = n_before * self.n_rows + torch.arange(2 * self.n_rows, device=n_before.device)
        is_own = torch.arange(2 * self.n_rows, device=n_before.device) >= self.n_rows
        last_seen = torch.where(is_own, places[:, -1:], places)
        return self._step(places, last_seen, (most_patches + 1) * self.n_rows)

    def forward(self, rows: Tensor, modulation: Tensor, step: AttentionStep, memory: Tensor) -> Tensor:
        """Velocity of the last P rows: (B, T, W), (B, n_modulations, W) -> (B, P, D). memory: written and read."""
        rows = self._through(rows, modulation, step, memory)[:, -self.patch_size :]
        shift, scale = modulation[:, -OF_END:, None].unbind(1)
        return self.output_layer.linear(_modulated(rows, shift, scale))

    def remember(self, rows: Tensor, modulation: Tensor, memory: Tensor) -> None:
        """Write what lies before: rows (B, N * R, W) of the first N patches. modulation, memory: as `forward` has them."""
        places = self.n_rows + torch.arange(rows.shape[1], device=rows.device).expand(len(rows), -1)
        self._through(rows, modulation, self._step(places, places, self.n_rows + rows.shape[1]), memory)

    def _through(self, rows: Tensor, modulation: Tensor, step: AttentionStep, memory: Tensor) -> Tensor:
        rows = self.input_layer(rows)
        for index, block in enumerate(self.blocks):
            rows = block(rows, modulation[:, OF_BLOCK * index : OF_BLOCK * (index + 1), None], step, memory[index])
        return rows

    def _step(self, places: Tensor, last_seen: Tensor, n_keys: int) -> AttentionStep:
        step = causal_step(places, last_seen, n_keys, self.dtype, n_blank=self.n_rows)
        return step._replace(rotation=self._rotary(places - self.n_rows, self.dtype))
