"""dots.tts checkpoints of random numbers in the official layout: `python -m tests.engines.dots.random_checkpoint FOLDER` (full size).

For tests of parity, and for figures without the real weights. How numbers come about: stand_ins/random_checkpoint.py; here is their scale.
"""

import json
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch
import torchaudio

from tests.engines.dots.ending import count_patches
from tests.engines.dots.tensors import main_tensors, speaker_tensors, vocoder_tensors
from tests.engines.dots.vocabulary import write_tokenizer
from tests.stand_ins.random_checkpoint import SPACED, uniform, write_json, write_tensors

__all__ = ["RECIPE", "RELEASED", "RandomCheckpoint", "full_size", "write_checkpoint", "write_stats"]

RELEASED = Path(__file__).parents[2] / "released" / "dots"
RECIPE = "dots-random/1"  # changes when the same seed gives other bytes


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write.

    config, llm: the content of config.json and llm_config.json. ends_after: patches of a speech, at least 2, those of a recording that it
    goes on from among them; math.inf: it never ends by itself. None: the end head is as random as the rest.
    dtype: of model.safetensors. stats: what latent_stats.pt holds. is_edit: with the tensor that training of edits leaves.
    """

    config: Mapping
    llm: Mapping
    seed: int = 0
    ends_after: float | None = None
    dtype: Literal["BF16", "F32"] = "BF16"
    stats: Literal["numpy", "tensors"] = "numpy"
    is_edit: bool = False


def write_checkpoint(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files of the official layout into `folder` (made if need be)."""
    folder.mkdir(parents=True, exist_ok=True)
    config, llm, change = checkpoint.config, checkpoint.llm, None
    if checkpoint.ends_after is not None:
        llm, change = count_patches(llm, checkpoint.ends_after)
    write_json(folder / "config.json", config)
    write_json(folder / "llm_config.json", llm)
    write_tokenizer(folder)
    drawn = partial(_values, seed=checkpoint.seed)
    write_stats(folder, config["latent_dim"], checkpoint.seed, checkpoint.stats)
    main = main_tensors(config, llm) | ({"input_mask_embedding": (config["latent_dim"],)} if checkpoint.is_edit else {})
    write_tensors(
        folder / "model.safetensors",
        {name: (shape, checkpoint.dtype) for name, shape in main.items()},
        lambda name, shape: change(name, drawn(name, shape)) if change else drawn(name, shape),
        metadata={"format": "pt"},
        separators=SPACED,
    )
    for name, table in (("vocoder", vocoder_tensors(config)), ("speaker_encoder", speaker_tensors(config))):
        kinds = {name: (shape, "I64" if name.endswith("num_batches_tracked") else "F32") for name, shape in table.items()}
        write_tensors(folder / f"{name}.safetensors", kinds, drawn)
    return folder


def full_size(seed: int = 0) -> RandomCheckpoint:
    """The released configuration of dots.tts-mf."""
    config, llm = (json.loads((RELEASED / name).read_text()) for name in ("config.json", "llm_config.json"))
    return RandomCheckpoint(config, llm, seed)


def write_stats(folder: Path, width: int, seed: int = 0, kind: Literal["numpy", "tensors"] = "numpy") -> None:
    """latent_stats.pt."""
    scales = {"mean": (0.3, 0.0), "var": (0.3, 0.8)}
    stats = {name: uniform(RECIPE, seed, f"latent_stats.{name}", (width,), scale) for name, scale in scales.items()}
    torch.save({name: torch.from_numpy(one) for name, one in stats.items()} if kind == "tensors" else stats, folder / "latent_stats.pt")


def _values(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    if name.endswith("num_batches_tracked"):
        return np.zeros(shape, np.int64)
    if name == "resample.kernel":  # which the official package reads back, and so must be what it is
        return torchaudio.transforms.Resample(48_000, 16_000).state_dict()["kernel"].numpy()
    return uniform(RECIPE, seed, name, shape, _scale_and_offset(name, shape))


# The first ending that a name has decides: (scale of u, offset). Else by gain.
_SCALES = (
    (".act.alpha", (0.5, 0.2)),
    (".act.beta", (0.5, 0.2)),
    (".filter", (0.1, 1 / 12)),  # which lets pass what is slow, as the released ones
    (".weight_v", (1.0, 0.0)),  # its size has no effect, only its direction
    ("running_var", (0.3, 1.0)),
    ("running_mean", (0.2, 0.0)),
    ("batchnorm.weight", (0.2, 1.0)),
    ("norm.weight", (0.2, 1.0)),
    ("xvec_proj.1.weight", (0.2, 0.6)),
    ("embed_tokens.weight", (1.7, 0.0)),
    (".bias", (0.1, 0.0)),
)
_BATCH_NORM = re.compile(r"model\.head\..*(bn\d|shortcut\.1)\.weight")

# The first pattern that a name contains decides: gain of standard deviation from input to output. Chosen for unit size in the middle of the
# networks, latents of unit size from a recording, and a waveform that seldom clips.
_GAINS = (
    (r"audio_encoder\.generator\.0\.", 8.0),
    (r"audio_encoder.*\.5\.weight_g", 0.3),
    (r"^pre_proj", 1.5),
    (r"\.convs2\.", 0.4),
    (r"decoder\.conv_post", 0.2),
    (r"adaLN", 0.5),
    (r"output_layer\.linear", 1.0),
)


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    if _BATCH_NORM.search(name):
        return 0.2, 1.0
    for ending, scale_and_offset in _SCALES:
        if name.endswith(ending):
            return scale_and_offset
    gain = next((gain for pattern, gain in _GAINS if re.search(pattern, name)), 1.0)
    if name.endswith(".weight_g"):  # the length of a kernel: nothing else scales it
        return 0.2 * gain, gain
    n_inputs = 2 * shape[0] if ".ups." in name else math.prod(shape[1:])  # an output sample is made of two samples of each kernel
    return gain * math.sqrt(3 / n_inputs), 0.0


if __name__ == "__main__":
    write_checkpoint(Path(sys.argv[1]), full_size())
