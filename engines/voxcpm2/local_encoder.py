"""LocalEncoder: turns the latents of one patch into one row of the language models. VoxCPMLocEnc of voxcpm 2.0.3."""

import torch
from torch import Tensor, nn

from engines.kit.nn.transformer import Decoder
from engines.voxcpm2.config import VoxCpm2Config

__all__ = ["LocalEncoder"]


class LocalEncoder(nn.Module):
    """A learnt row before the P latents of a patch, bidirectional layers, and what becomes of that row. Names are the checkpoint's."""

    def __init__(self, config: VoxCpm2Config):
        super().__init__()
        self.encoder = Decoder(config.local_encoder())
        width = self.encoder.config.attention.hidden_size
        self.special_token = nn.Parameter(torch.empty(1, 1, 1, width))
        self.in_proj = nn.Linear(config.feat_dim, width)
        self.enc_to_lm_proj = nn.Linear(width, config.lm_config.hidden_size)
        self._n_rows = 1 + config.patch_size

    def prepare_weights(self) -> None:
        """Rotations of the few positions that there are. Once, after loading."""
        self._step = self.encoder.step_over(torch.arange(self._n_rows, device=self.special_token.device))

    def forward(self, patches: Tensor) -> Tensor:
        """Patches (B, P, D) -> rows (B, H)."""
        latents = self.in_proj(patches)
        rows = torch.cat([self.special_token[0].expand(len(patches), -1, -1), latents], dim=1)
        return self.encoder.headed((rows, self._step, None), self.enc_to_lm_proj, slice(0, 1))[:, 0]
