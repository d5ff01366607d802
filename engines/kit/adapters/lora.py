"""AdaptedCheckpoint: a checkpoint that folds a LoRA (Hu et al. 2021, arXiv 2106.09685) into its matrices as they are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os.path import expanduser  # pathlib's raises where there is no such user
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from engines.errors import CheckpointInvalid
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.weights.checkpoint import Checkpoint

__all__ = ["Adaptation", "AdaptedCheckpoint", "LowRank", "ReadLora", "read_strictly"]


class LowRank(NamedTuple):
    """What is added to a matrix (out, in): scale B A. down: A (r, in); up: B (out, r); float32."""

    down: Tensor
    up: Tensor
    scale: float


@dataclass(frozen=True)
class Adaptation:
    """What a LoRA says of a checkpoint's tensors, by their names there. replaced: trained as a whole."""

    changes: Mapping[str, LowRank]
    replaced: Mapping[str, Tensor] = field(default_factory=dict)


ReadLora = Callable[[Path, Checkpoint], Adaptation]


class AdaptedCheckpoint(Checkpoint):
    """The tensors of a checkpoint; those that the LoRA adapts are W + scale B A, in float32; all others are read as they are.

    So a network rounds the sum once, to its own dtype, where training rounds W x and scale B (A x) apart; in bfloat16 a change below half
    a digit of a weight is lost in the sum.
    """

    def __init__(self, folder_or_file: Path, lora: Path, read: ReadLora, hint: str, **reading):
        """lora: its folder. read: (folder, the checkpoint without it) -> what it says. hint: which folder to name. reading: of Checkpoint.

        Raises CheckpointInvalid where a folder or file is damaged, and for every tensor of the LoRA that is missing, unknown or misshapen.
        """
        super().__init__(folder_or_file, **reading)
        lora = Path(expanduser(lora))
        self._adaptation = Adaptation({})
        try:
            if not lora.is_dir():
                raise CheckpointInvalid("There is no such folder.")
            self._adaptation = read(lora, self)
        except CheckpointInvalid as error:
            self.close()
            raise CheckpointInvalid(f"The LoRA in {lora.name} cannot be used. {error.fact}", hint) from error

    def tensor(self, name: str) -> Tensor:
        """The tensor as stored, or as trained; of an adapted matrix the sum, float32; on the CPU. Raises CheckpointInvalid for a name that
        is not there.
        """
        stored = super().tensor(name)
        if name not in self._adaptation.changes:
            return self._adaptation.replaced.get(name, stored)
        down, up, scale = self._adaptation.changes[name]
        with ieee_float32():
            return torch.addmm(stored.float(), up, down, alpha=scale)

    def dtype(self, name: str) -> torch.dtype:
        """Of the tensor as stored; float32 of one that is adapted or replaced. Raises CheckpointInvalid."""
        stored = super().dtype(name)
        is_trained = name in self._adaptation.changes or name in self._adaptation.replaced
        return torch.float32 if is_trained and stored.is_floating_point else stored


def read_strictly(file: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """The file's tensors, float32: these and no others. Raises CheckpointInvalid."""
    slots = nn.Module()  # whose own names have no dots
    for name, shape in shapes.items():
        slots.register_buffer(name.replace(".", "/"), torch.empty(shape))
    with Checkpoint(file, levels=("state_dict",), may_be_blank=("*",)) as saved:  # B begins as zeros
        saved.load_into(slots, rename=lambda name: name.replace("/", "."))
    return {name: slots.get_buffer(name.replace(".", "/")) for name in shapes}
