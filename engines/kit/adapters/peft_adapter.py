"""Reads a LoRA as Hugging Face's peft writes it (0.21.2): adapter_config.json, and adapter_model.safetensors or adapter_model.bin."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TypeVar

from engines.errors import CheckpointInvalid
from engines.kit.adapters.lora import Adaptation, AdaptedCheckpoint, LowRank, read_strictly
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import PositiveFloat, Rules, Size, schema

__all__ = ["peft_checkpoint"]

CONFIG, TENSORS = "adapter_config.json", ("adapter_model.safetensors", "adapter_model.bin")
WRAPPED = "base_model.model."  # what peft puts before the names of the network that it wraps
V = TypeVar("V", int, float)
DOWN, UP = "lora_A.weight", "lora_B.weight"
# The tensors say which modules were adapted. A start from the matrix itself (PiSSA, OLoRA) leaves another matrix than the checkpoint's.
RULES = Rules(
    only={
        "alora_invocation_tokens": (None,),
        "arrow_config": (None,),
        "fan_in_fan_out": (False,),
        "init_lora_weights": (True, False, "gaussian", "eva"),
        "kasa_config": (None,),
        "layer_replication": (None,),
        "lora_bias": (False,),
        "monteclora_config": (None,),
        "peft_type": ("LORA",),
        "target_parameters": (None, []),
        "trainable_token_indices": (None,),
        "use_bdlora": (None, False),
        "use_dora": (False,),
        "use_qalora": (False,),
        "velora_config": (None,),
    },
    inert={
        "which modules": "bias exclude_modules layers_pattern layers_to_transform modules_to_save target_modules",
        "of training": "corda_config eva_config inference_mode loftq_config lora_dropout lora_ga_config megatron_config megatron_core",
        "of a kind that is refused": "qalora_group_size",
        "notes": "auto_mapping base_model_name_or_path peft_version revision task_type",
    },
)


@schema
class PeftConfig:
    """How much of it counts. The patterns name modules, by the ends of their names, whose rank or alpha is another."""

    r: Size
    lora_alpha: PositiveFloat
    use_rslora: bool = False
    rank_pattern: Mapping[str, Size] = field(default_factory=dict)
    alpha_pattern: Mapping[str, PositiveFloat] = field(default_factory=dict)

    beside = RULES

    def rank(self, module: str) -> int:
        return _of_module(self.rank_pattern, module, self.r)

    def scale(self, module: str) -> float:
        """Rank-stabilized, alpha is divided by the root of the rank (Kalajdzievski 2023, arXiv 2312.03732)."""
        rank = self.rank(module)
        return _of_module(self.alpha_pattern, module, self.lora_alpha) / (math.sqrt(rank) if self.use_rslora else rank)


def peft_checkpoint(folder_or_file: Path, lora: str, *, home: str, model: str, **reading) -> Checkpoint:
    """A checkpoint with that LoRA folded in; lora "": as it is. home: what names of the adapted network begin with in it. model: its name
    for people. reading: of Checkpoint. Raises CheckpointInvalid.
    """
    if not lora:
        return Checkpoint(folder_or_file, **reading)
    hint = f"Name the folder of a LoRA that was trained for {model}."
    return AdaptedCheckpoint(folder_or_file, Path(lora), partial(_read, home=home), hint, **reading)


def _read(folder: Path, base: Checkpoint, *, home: str) -> Adaptation:
    if not (folder / CONFIG).exists():
        raise CheckpointInvalid(f"It holds no {CONFIG}.")
    config = settings_of(PeftConfig, Section.read(folder, CONFIG))
    file = next((folder / name for name in TENSORS if (folder / name).is_file()), None)
    if file is None:
        raise CheckpointInvalid(f"It holds neither {' nor '.join(TENSORS)}.")
    with Checkpoint(file) as saved:
        names = saved.names
    adapted = {module: home + module + ".weight" for module in sorted(_adapted(names))}
    adapted = {module: weight for module, weight in adapted.items() if weight in base.names and len(base.shape(weight)) == 2}
    whole = {name: home + name.removeprefix(WRAPPED).replace(".base_layer.", ".") for name in sorted(names)}
    whole = {name: weight for name, weight in whole.items() if name.startswith(WRAPPED) and weight in base.names}
    shapes = {name: base.shape(weight) for name, weight in whole.items()}
    for module, weight in adapted.items():
        out, width = base.shape(weight)
        shapes |= {_half(module, DOWN): (config.rank(module), width), _half(module, UP): (out, config.rank(module))}
    if not shapes:
        raise CheckpointInvalid(f"{file.name} adapts nothing of this model.")
    tensors = read_strictly(file, shapes)
    halves = {weight: (tensors[_half(module, DOWN)], tensors[_half(module, UP)]) for module, weight in adapted.items()}
    changes = {weight: LowRank(*halves[weight], config.scale(module)) for module, weight in adapted.items()}
    return Adaptation(changes, {weight: tensors[name] for name, weight in whole.items()})


def _adapted(names: frozenset[str]) -> Iterator[str]:
    """Modules of which there is a half, or both."""
    for name in names:
        for half in (DOWN, UP):
            if name.startswith(WRAPPED) and name.endswith("." + half):
                yield name.removeprefix(WRAPPED).removesuffix("." + half)


def _half(module: str, half: str) -> str:
    return f"{WRAPPED}{module}.{half}"


def _of_module(patterns: Mapping[str, V], module: str, otherwise: V) -> V:
    """By the first pattern that the whole name or its end fits, as get_pattern_key of peft."""
    try:
        return next((value for pattern, value in patterns.items() if re.fullmatch(rf"(.*\.)?({pattern})", module)), otherwise)
    except re.error as error:
        raise CheckpointInvalid(f"{CONFIG} has a pattern of modules that cannot be read: {error}.") from error
