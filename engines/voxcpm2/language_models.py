"""LanguageModels: the two models that speak a patch at a time. The base model reads text and patches, the residual model what the base
makes of both.

Source: VoxCPM2Model of voxcpm 2.0.3, model/voxcpm2.py, without its encoder of patches and its diffusion.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.attention import AttentionStep, KVCache
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.voxcpm2.config import VoxCpm2Config

__all__ = ["HiddenStates", "LanguageModels", "PairedCache"]

SPEECH_ENDS = 1  # of the two classes of the stop head


class HiddenStates(NamedTuple):
    """What both models make of rows, (B, T, H) or (B, H) each: base is quantized where the row is a patch."""

    base: Tensor
    residual: Tensor


class PairedCache(NamedTuple):
    """Keys and values of both models, for the same rows."""

    base: KVCache
    residual: KVCache


class _BaseModel(Decoder):
    """The base model with its table of tokens."""

    def __init__(self, config: DecoderConfig, vocab_size: int):
        super().__init__(config)
        self.embed_tokens = nn.Embedding(vocab_size, config.attention.hidden_size)


class _ScalarQuantizer(nn.Module):
    """(..., H) -> (..., H) over `scale` steps to either side of zero in a narrow space. Source: ScalarQuantizationLayer upstream."""

    def __init__(self, width: int, latent_width: int, scale: int):
        super().__init__()
        self.in_proj, self.out_proj = nn.Linear(width, latent_width), nn.Linear(latent_width, width)
        self._scale = scale

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.of_latents(self.in_proj(hidden_states))

    def of_latents(self, latents: Tensor) -> Tensor:
        """The same of what in_proj makes."""
        return self.out_proj(torch.round(torch.tanh(latents) * self._scale) / self._scale)


class LanguageModels(nn.Module):
    """Names of parameters are the checkpoint's. H: hidden size of both models; rows are (B, T, H)."""

    def __init__(self, config: VoxCpm2Config):
        super().__init__()
        width, head_width = config.lm_config.hidden_size, config.dit_config.hidden_dim
        self.base_lm = _BaseModel(config.base_decoder(), config.lm_config.vocab_size)
        self.residual_lm = Decoder(config.residual_decoder())
        self.fsq_layer = _ScalarQuantizer(width, config.scalar_quantization_latent_dim, config.scalar_quantization_scale)
        self.fusion_concat_proj = nn.Linear(2 * width, width)
        self.lm_to_dit_proj, self.res_to_dit_proj = nn.Linear(width, head_width), nn.Linear(width, head_width)
        self.stop_proj, self.stop_head = nn.Linear(width, width), nn.Linear(width, 2, bias=False)
        self._is_residual_rotated = not config.residual_lm_no_rope

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states. The table of text may be kept in another, the file's."""
        return self.stop_head.weight.dtype

    def prepare_weights(self) -> None:
        """Frequencies of rotation, on the device before a graph wants them. Once, after loading."""
        self.base_lm.step(torch.zeros(1, dtype=torch.int64, device=self.stop_head.weight.device), 1)

    def new_cache(self, batch: int, length: int) -> PairedCache:
        """An empty cache for `length` positions of `batch` rows."""
        return PairedCache(self.base_lm.new_cache(batch, length), self.residual_lm.new_cache(batch, length))

    def embed_text(self, ids: Tensor) -> Tensor:
        """Tokens (B, T) int64 as rows."""
        return self.base_lm.embed_tokens(ids).to(self.dtype)

    def read(self, rows: Tensor, is_patch: Tensor, cache: PairedCache, start: Tensor | int = 0, n_keys: int | None = None) -> HiddenStates:
        """Rows (1, T, H) at positions start, start + 1, ... of a cache that has those before. Returns (1, T, H).

        is_patch: (1, T, 1) bool, which rows are patches. start: may lie on the device; then n_keys says how many positions are read.
        """
        positions = start + torch.arange(rows.shape[1], device=rows.device)
        step = self.base_lm.step(positions, int(start) + rows.shape[1] if n_keys is None else n_keys)
        base = self.base_lm(rows, step, cache.base)
        base = torch.where(is_patch, self.fsq_layer(base), base)
        fused = self.fusion_concat_proj(torch.cat([base, rows.masked_fill(~is_patch, 0)], dim=-1))
        return HiddenStates(base, self.residual_lm(fused, self._residual_step(step), cache.residual))

    def step(self, patches: Tensor, positions: Tensor, n_keys: int | tuple[int, ...], cache: PairedCache) -> HiddenStates:
        """One patch more of each row, (B, 1, H), at its position, (B, 1) int64. n_keys: as Decoder.step has it. Returns (B, H)."""
        if len(positions) == 1 and not isinstance(n_keys, int):
            step = self.base_lm.step(positions[0], n_keys[0], exact=True)
        else:
            step = self.base_lm.step(positions, n_keys)
        base = self.fsq_layer.of_latents(self.base_lm.headed((patches, step, cache.base), self.fsq_layer.in_proj))
        fused = self.fusion_concat_proj(torch.cat([base, patches], dim=-1))
        residual = self.residual_lm(fused, self._residual_step(step), cache.residual)
        return HiddenStates(base[:, -1], residual[:, -1])

    def conditions(self, hidden: HiddenStates) -> Tensor:
        """What the diffusion of the next patch follows, from states (B, H): (B, 2, width of the diffusion head)."""
        return torch.stack([self.lm_to_dit_proj(hidden.base), self.res_to_dit_proj(hidden.residual)], dim=1)

    def ends(self, base: Tensor) -> Tensor:
        """Whether the patch that follows from states (B, H) is the last: (B,) bool."""
        logits = self.stop_head(F.silu(self.stop_proj(base)))
        return logits[:, SPEECH_ENDS] > logits[:, 1 - SPEECH_ENDS]

    def _residual_step(self, step: AttentionStep) -> AttentionStep:
        """The same positions and keys; both models are alike but for depth and rotation."""
        return step if self._is_residual_rotated else step._replace(rotation=None)
