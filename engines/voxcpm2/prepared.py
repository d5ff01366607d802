"""What the device keeps per voice: keys and values of the rows before every text, and a recording to continue."""

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from engines.voxcpm2.audio_vae import VaeState
from engines.voxcpm2.input_sequence import VoxCpm2InputSequence

__all__ = ["Continuation", "ReferenceKeys"]


class ReferenceKeys(NamedTuple):
    """Keys and values of a voice between its marks, of both language models: (layers, 2, 1, heads, rows, head_dim)."""

    base: Tensor
    residual: Tensor

    @property
    def n_rows(self) -> int:
        return self.base.shape[4]

    @property
    def bytes(self) -> int:
        return self.base.nbytes + self.residual.nbytes


@dataclass(frozen=True)
class Continuation:
    """A recording that speech goes on from: the rows of its patches, the last of them (1, P, D), and the audio decoder after them."""

    rows: VoxCpm2InputSequence
    last_patch: Tensor
    vae: VaeState

    @property
    def bytes(self) -> int:
        return self.rows.bytes + self.last_patch.nbytes + self.vae.n_bytes
