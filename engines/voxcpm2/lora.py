"""AdaptedCheckpoint: a checkpoint that folds a LoRA (Hu et al. 2021, arXiv 2106.09685) into its matrices as they are read.

A LoRA is a folder as OpenBMB/VoxCPM writes it (train_voxcpm_finetune.py @ 616d3d3): lora_weights.safetensors, or lora_weights.ckpt where
safetensors was missing, and lora_config.json with what was trained.
"""

from dataclasses import dataclass
from os.path import expanduser  # pathlib's raises where there is no such user
from pathlib import Path

import torch
from torch import Tensor, nn

from engines.errors import CheckpointInvalid
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.config_reading import PositiveFloat, Rules, Section, Size, settings_of

__all__ = ["AdaptedCheckpoint"]

CONFIG, TENSORS = "lora_config.json", ("lora_weights.safetensors", "lora_weights.ckpt")
RULES = Rules(inert={"of training": "dropout"})
OTHER = "Name the folder of a LoRA that was trained for VoxCPM2."
ATTENTION = ("q_proj", "v_proj", "k_proj", "o_proj")
PROJECTIONS = ("enc_to_lm_proj", "lm_to_dit_proj", "res_to_dit_proj", "fusion_concat_proj")


@dataclass(frozen=True)
class LoraConfig:
    """What was adapted, and how much of it counts: alpha / r. Names and defaults are those of LoRAConfig in voxcpm 2.0.3."""

    enable_lm: bool = False
    enable_dit: bool = False
    enable_proj: bool = False
    r: Size = 8
    alpha: PositiveFloat = 16.0
    target_modules_lm: tuple[str, ...] = ATTENTION
    target_modules_dit: tuple[str, ...] = ATTENTION
    target_proj_modules: tuple[str, ...] = PROJECTIONS

    @classmethod
    def read(cls, folder: Path) -> "LoraConfig":
        """Raises CheckpointInvalid."""
        if not folder.is_dir():
            raise CheckpointInvalid("There is no such folder.")
        if not (folder / CONFIG).is_file():
            raise CheckpointInvalid(f"It holds no {CONFIG}.")
        top = Section.read(folder, CONFIG)
        if "lora_config" not in top.values:
            raise CheckpointInvalid(f"{CONFIG} lacks lora_config, which says what was adapted and how much.")
        return settings_of(cls, top.section("lora_config"), RULES)

    def adapts(self, matrix: str) -> bool:
        """Whether the matrix of that name has been trained: by the rules of VoxCPM2Model._apply_lora there."""
        groups = {
            ("base_lm.", "residual_lm."): self.target_modules_lm if self.enable_lm else (),
            ("feat_decoder.estimator.",): self.target_modules_dit if self.enable_dit else (),
        }
        by_last_word = any(matrix.startswith(prefixes) and matrix.rpartition(".")[2] in words for prefixes, words in groups.items())
        return by_last_word or (self.enable_proj and matrix in self.target_proj_modules)


class AdaptedCheckpoint(Checkpoint):
    """The tensors of a VoxCPM2 folder; those that the LoRA adapts are W + alpha / r * B A, in float32; all others are read as they are.

    So a network rounds the sum once, to its own dtype, where the official package rounds W x and alpha / r * B (A x) apart; in bfloat16 a
    change below half a digit of a weight is lost in the sum.
    Raises CheckpointInvalid where a folder or file is damaged, and names every tensor of the LoRA that is missing, unknown or misshapen.
    """

    def __init__(self, folder: Path, lora: Path):
        super().__init__(folder)
        lora = Path(expanduser(lora))
        try:
            self._config = LoraConfig.read(lora)
            self._changes = self._read(lora)
        except CheckpointInvalid as error:
            self.close()
            raise CheckpointInvalid(f"The LoRA in {lora.name} cannot be used. {error.fact}", OTHER) from error

    def tensor(self, name: str) -> Tensor:
        """The tensor as stored, or the adapted matrix, float32; on the CPU. Raises CheckpointInvalid for a name that is not there."""
        stored = super().tensor(name)
        if name not in self._changes:
            return stored
        down, up = self._changes[name]
        with ieee_float32():
            return torch.addmm(stored.float(), up, down, alpha=self._config.alpha / self._config.r)

    def dtype(self, name: str) -> torch.dtype:
        """Of the tensor as stored, or float32 of an adapted matrix."""
        return torch.float32 if name in self._changes else super().dtype(name)

    def _read(self, lora: Path) -> dict[str, tuple[Tensor, Tensor]]:
        """Name of an adapted matrix -> A (r, in) and B (out, r), float32."""
        file = next((lora / name for name in TENSORS if (lora / name).is_file()), None)
        if file is None:
            raise CheckpointInvalid(f"It holds neither {' nor '.join(TENSORS)}.")
        rank, shapes = self._config.r, {}
        for weight in self.names:
            matrix, shape = weight.removesuffix(".weight"), self.shape(weight)
            if matrix != weight and len(shape) == 2 and not matrix.endswith("embed_tokens") and self._config.adapts(matrix):
                shapes[weight] = (rank, shape[1]), (shape[0], rank)
        if not shapes:
            raise CheckpointInvalid(f"{CONFIG} names nothing of this model that would be adapted.")
        names = {weight: [weight.removesuffix("weight") + half for half in ("lora_A", "lora_B")] for weight in shapes}
        tensors = _read_strictly(
            file, {name: shape for weight in shapes for name, shape in zip(names[weight], shapes[weight], strict=True)}
        )
        return {weight: (tensors[down], tensors[up]) for weight, (down, up) in names.items()}


def _read_strictly(file: Path, shapes: dict[str, tuple[int, int]]) -> dict[str, Tensor]:
    """The file's tensors, float32: these and no others."""
    slots = nn.Module()  # whose own names have no dots
    for name, shape in shapes.items():
        slots.register_buffer(name.replace(".", "/"), torch.empty(shape))
    with Checkpoint(file, levels=("state_dict",)) as saved:
        saved.load_into(slots, rename=lambda name: name.replace("/", "."))
    return {name: slots.get_buffer(name.replace(".", "/")) for name in shapes}
