"""adapted_checkpoint: a VoxCPM2 folder with a LoRA folded in.

A LoRA is a folder as OpenBMB/VoxCPM writes it (train_voxcpm_finetune.py @ 616d3d3): lora_weights.safetensors, or lora_weights.ckpt where
safetensors was missing, and lora_config.json with what was trained.
"""

from pathlib import Path

from engines.errors import CheckpointInvalid
from engines.kit.adapters.lora import Adaptation, AdaptedCheckpoint, LowRank, read_strictly
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import PositiveFloat, Size, schema, without_effect

__all__ = ["adapted_checkpoint"]

CONFIG, TENSORS = "lora_config.json", ("lora_weights.safetensors", "lora_weights.ckpt")
OTHER = "Name the folder of a LoRA that was trained for VoxCPM2."
ATTENTION = ("q_proj", "v_proj", "k_proj", "o_proj")
PROJECTIONS = ("enc_to_lm_proj", "lm_to_dit_proj", "res_to_dit_proj", "fusion_concat_proj")


@schema
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

    dropout = without_effect("of training")

    @classmethod
    def read(cls, folder: Path) -> "LoraConfig":
        """Raises CheckpointInvalid."""
        if not (folder / CONFIG).is_file():
            raise CheckpointInvalid(f"It holds no {CONFIG}.")
        top = Section.read(folder, CONFIG)
        if "lora_config" not in top.values:
            raise CheckpointInvalid(f"{CONFIG} lacks lora_config, which says what was adapted and how much.")
        return settings_of(cls, top.section("lora_config"))

    def adapts(self, matrix: str) -> bool:
        """Whether the matrix of that name has been trained: by the rules of VoxCPM2Model._apply_lora there."""
        groups = {
            ("base_lm.", "residual_lm."): self.target_modules_lm if self.enable_lm else (),
            ("feat_decoder.estimator.",): self.target_modules_dit if self.enable_dit else (),
        }
        by_last_word = any(matrix.startswith(prefixes) and matrix.rpartition(".")[2] in words for prefixes, words in groups.items())
        return by_last_word or (self.enable_proj and matrix in self.target_proj_modules)


def adapted_checkpoint(folder: Path, lora: Path) -> AdaptedCheckpoint:
    """The tensors of a VoxCPM2 folder with the LoRA folded in. Raises CheckpointInvalid."""
    return AdaptedCheckpoint(folder, lora, _read, OTHER)


def _read(lora: Path, base: Checkpoint) -> Adaptation:
    config = LoraConfig.read(lora)
    file = next((lora / name for name in TENSORS if (lora / name).is_file()), None)
    if file is None:
        raise CheckpointInvalid(f"It holds neither {' nor '.join(TENSORS)}.")
    shapes = {}
    for weight in base.names:
        matrix, shape = weight.removesuffix(".weight"), base.shape(weight)
        if matrix != weight and len(shape) == 2 and not matrix.endswith("embed_tokens") and config.adapts(matrix):
            shapes[weight] = (config.r, shape[1]), (shape[0], config.r)
    if not shapes:
        raise CheckpointInvalid(f"{CONFIG} names nothing of this model that would be adapted.")
    names = {weight: [weight.removesuffix("weight") + half for half in ("lora_A", "lora_B")] for weight in shapes}
    tensors = read_strictly(file, {name: shape for weight in shapes for name, shape in zip(names[weight], shapes[weight], strict=True)})
    scale = config.alpha / config.r
    return Adaptation({weight: LowRank(tensors[down], tensors[up], scale) for weight, (down, up) in names.items()})
