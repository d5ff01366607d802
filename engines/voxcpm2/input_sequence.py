"""VoxCpm2InputSequence: what the language models read before they speak: text, patches of a voice, and the marks between them.

The modes, after VoxCPM2Model._generate_with_prompt_cache of voxcpm 2.0.3; what stands in brackets is the same for every text:

    reference     [REFERENCE, patches, REFERENCE_ENDS] text, SPEECH
    continuation  words of the recording and text, SPEECH, patches
    both          [REFERENCE, patches, REFERENCE_ENDS] words of the recording and text, SPEECH, patches
    design        text, SPEECH
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.voxcpm2.config import AUDIO_START_ID, REFERENCE_END_ID, REFERENCE_START_ID
from engines.voxcpm2.language_models import LanguageModels

__all__ = ["VoxCpm2InputSequence", "patch_rows", "reference_rows", "text_rows"]


@dataclass(frozen=True)
class VoxCpm2InputSequence:
    """rows: (1, T, H). is_patch: (1, T, 1) bool."""

    rows: Tensor
    is_patch: Tensor

    @property
    def n_rows(self) -> int:
        return self.rows.shape[1]

    @property
    def bytes(self) -> int:
        return self.rows.nbytes + self.is_patch.nbytes

    def followed_by(self, other: "VoxCpm2InputSequence") -> "VoxCpm2InputSequence":
        """Both, one after the other."""
        return VoxCpm2InputSequence(torch.cat([self.rows, other.rows], dim=1), torch.cat([self.is_patch, other.is_patch], dim=1))


def text_rows(ids: Sequence[int], models: LanguageModels) -> VoxCpm2InputSequence:
    """A text's tokens, and that speech follows."""
    return _token_rows([*ids, AUDIO_START_ID], models)


def patch_rows(rows: Tensor) -> VoxCpm2InputSequence:
    """Rows of patches (T, H), as the local encoder makes them."""
    return VoxCpm2InputSequence(rows[None], torch.ones(1, len(rows), 1, dtype=torch.bool, device=rows.device))


def reference_rows(rows: Tensor, models: LanguageModels) -> VoxCpm2InputSequence:
    """The same between the marks of a voice that is to be spoken in."""
    return _token_rows([REFERENCE_START_ID], models).followed_by(patch_rows(rows)).followed_by(_token_rows([REFERENCE_END_ID], models))


def _token_rows(ids: Sequence[int], models: LanguageModels) -> VoxCpm2InputSequence:
    rows = models.embed_text(torch.tensor([ids], device=models.stop_head.weight.device))
    return VoxCpm2InputSequence(rows, torch.zeros(1, len(ids), 1, dtype=torch.bool, device=rows.device))
