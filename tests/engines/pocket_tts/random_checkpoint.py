"""Pocket TTS checkpoints of random numbers in the makers' layout: `python -m tests.engines.pocket_tts.random_checkpoint FOLDER [VARIANT]`.

For tests of parity, and for figures without the real weights. How numbers come about: stand_ins/random_checkpoint.py; here is their scale.
"""

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from tests.engines.pocket_tts.ending import count_frames
from tests.engines.pocket_tts.tensors import tensors
from tests.engines.pocket_tts.vocabulary import write_tokenizer
from tests.stand_ins.random_checkpoint import Values, uniform, write_tensors

__all__ = ["RECIPE", "RELEASED", "RandomCheckpoint", "full_size", "write_checkpoint", "write_hollow_preset", "write_preset"]

RELEASED = Path(__file__).parents[2] / "released" / "pocket_tts"
RECIPE = "pocket-tts-random/1"  # changes when the same seed gives other bytes
MODEL, CONFIG = "model.safetensors", "config.yaml"
ENCODER = ("mimi.encoder", "mimi.downsample")  # what the open repository has zeros for
PRESET_ROWS = 20


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write.

    config: the content of config.yaml. ends_after: the frame, counted from 0, from which on the logit of the end is above the threshold,
    whatever is said; math.inf: none. None: the end is as random as the rest. zero_encoder: as the weights that do not clone have it.
    presets: names of voices to write states of.
    """

    config: Mapping
    seed: int = 0
    ends_after: float | None = None
    zero_encoder: bool = False
    presets: Sequence[str] = ()


def write_checkpoint(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files of a local model into `folder` (made if need be), weights in bfloat16 as released. Paths in config.yaml are absolute."""
    folder.mkdir(parents=True, exist_ok=True)
    table = checkpoint.config["flow_lm"]["lookup_table"]
    tokenizer = write_tokenizer(folder, table["tokenizer"], table["n_bins"])
    lm = checkpoint.config["flow_lm"] | {"lookup_table": table | {"tokenizer_path": str(tokenizer)}}
    config = {"weights_path": str(folder / MODEL)} | checkpoint.config | {"flow_lm": lm}
    (folder / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    change = None if checkpoint.ends_after is None else count_frames(config, checkpoint.ends_after)

    def values(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if checkpoint.zero_encoder and name.startswith(ENCODER):
            return np.zeros(shape, np.float32)
        drawn = _values(name, shape, config, checkpoint.seed)
        return change(name, drawn) if change else drawn

    write_tensors(folder / MODEL, {name: (shape, "BF16") for name, shape in tensors(config).items()}, values)
    for name in checkpoint.presets:
        write_preset(folder / "embeddings" / f"{name}.safetensors", config, seed=len(name))
    return folder


def write_preset(file: Path, config: Mapping, *, rows: int = PRESET_ROWS, seed: int = 0) -> Path:
    """A state of the backbone after a voice of so many rows: keys as the layers turned them, and values.

    The first channel of the first value is -1, and of the first key all are 0: what `ends_after` leaves there.
    """

    def values(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if not name.endswith("/cache"):
            return np.array([rows if name.endswith("/offset") else 0], np.int64)
        drawn = uniform(RECIPE, seed, f"preset:{name}", shape, (1.7, 0.0))
        if name.startswith("transformer.layers.0."):
            drawn[0, :, :, 0] = 0
            drawn[1, :, :, 0, 0] = -1
        return drawn

    return _write_state(file, config, rows, values)


def write_hollow_preset(file: Path, config: Mapping, *, rows: int) -> Path:
    """The same with a hole in place of the values."""
    return _write_state(file, config, rows, None)


def _write_state(file: Path, config: Mapping, rows: int, values: Values | None) -> Path:
    backbone = config["flow_lm"]["transformer"]
    head = (backbone.get("attn_dim") or backbone["d_model"]) // backbone["num_heads"]
    shape = (2, 1, rows, backbone.get("num_kv_heads") or backbone["num_heads"], head)
    modules = [f"transformer.layers.{i}.self_attn" for i in range(backbone["num_layers"])]
    table = {f"{module}/cache": (shape, "F32") for module in modules}
    table |= {f"{module}/{key}": ((1,), "I64") for module in modules for key in ("offset", "pad")}
    file.parent.mkdir(parents=True, exist_ok=True)
    write_tensors(file, table, values)
    return file


def full_size(variant: str = "english", seed: int = 0) -> RandomCheckpoint:
    """A released configuration, without the addresses of its weights."""
    config = yaml.safe_load((RELEASED / "config" / f"{variant}.yaml").read_text(encoding="utf-8"))
    return RandomCheckpoint({key: value for key, value in config.items() if not key.startswith("weights_path")}, seed)


def _values(name: str, shape: tuple[int, ...], config: Mapping, seed: int) -> np.ndarray:
    if name.endswith(".freqs"):  # modules/mlp.py, TimestepEmbedder
        return np.exp(-math.log(10000) * np.arange(shape[0]) / shape[0]).astype(np.float32)
    scale, offset = _scale_and_offset(name, shape)
    if name == "flow_lm.out_eos.bias":
        offset += config.get("default_eos_threshold", -4.0) - 1.0
    return uniform(RECIPE, seed, name, shape, (scale, offset))


# The first pattern that a name contains decides: (scale of u, offset). Else by gain.
_SCALES = (
    (r"norm\d?\.weight|in_ln\.weight|alpha", (0.2, 1.0)),
    (r"layer_scale_\d\.scale", (0.2, 0.3)),
    (r"emb_std", (0.5, 1.0)),
    (r"emb_mean|\.bias", (0.1, 0.0)),
    (r"bos_emb|bos_before_voice", (1.7, 0.0)),
    (r"conditioner\.embed\.weight", (1.7, 0.0)),
)

# The first pattern that a name contains decides: gain of standard deviation from input to output. Chosen for unit size in the middle of the
# networks, latents of unit size from a recording, and speech of the level of a recording.
_GAINS = (
    (r"encoder\.model\.0\.conv", 6.0),
    (r"decoder\.model\.11\.conv", 0.22),
    (r"model\.\d+\.block\.3", 0.5),
    (r"adaLN_modulation", 0.5),
)


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    for pattern, scale_and_offset in _SCALES:
        if re.search(pattern, name):
            return scale_and_offset
    gain = next((gain for pattern, gain in _GAINS if re.search(pattern, name)), 1.0)
    return gain * math.sqrt(3 / _inputs(name, shape)), 0.0


def _inputs(name: str, shape: tuple[int, ...]) -> int:
    """How many numbers make one of the output. Kernels of transposed convolutions are twice the stride: two steps of each."""
    if ".convtr." in name:
        return 2 * (1 if "upsample" in name else shape[0])
    return math.prod(shape[1:])


if __name__ == "__main__":
    write_checkpoint(Path(sys.argv[1]), full_size(*sys.argv[2:]))
