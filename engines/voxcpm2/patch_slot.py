"""PatchSlot: a running stream in the batched decoder, and its stream start."""

from dataclasses import dataclass

from torch import Tensor

from engines.kit.decode.row_stream import RowStream
from engines.voxcpm2.audio_vae import VaeState
from engines.voxcpm2.input_sequence import VoxCpm2InputSequence
from engines.voxcpm2.prepared import ReferenceKeys

__all__ = ["DiffusionParams", "PatchSlot", "PatchStart"]


@dataclass(frozen=True)
class DiffusionParams:
    """How a patch is drawn. scale: of the guidance. n_steps: of the time grid."""

    seed: int
    scale: float
    n_steps: int


@dataclass(frozen=True)
class PatchStart:
    """What a stream starts from.

    prefix: of rows that were read before, where there are any. rows: those that follow them. last_patch: (1, P, D), zeros where the last
    row is text. vae: the decoder's state for one stream, read only.
    """

    prefix: ReferenceKeys | None
    rows: VoxCpm2InputSequence
    last_patch: Tensor
    vae: VaeState
    diffusion: DiffusionParams

    @property
    def n_rows(self) -> int:
        """Of prefix and rows."""
        return self.rows.n_rows + (self.prefix.n_rows if self.prefix else 0)


@dataclass(eq=False, kw_only=True)
class PatchSlot(RowStream):
    """A stream under way. n_steps: of its diffusion."""

    n_steps: int
