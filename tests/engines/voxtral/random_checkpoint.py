"""Voxtral TTS checkpoints of random numbers in the official layout.

How numbers come about: stand_ins/random_checkpoint.py; here is their scale, and what makes a speech end when it is told to (ending.py).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tests.engines.voxtral.ending import end_after
from tests.engines.voxtral.tensors import FLOW, TABLE, main_tensors
from tests.engines.voxtral.vocabulary import write_tokenizer
from tests.stand_ins.random_checkpoint import uniform, write_json, write_tensors

__all__ = ["RECIPE", "RandomCheckpoint", "preset_codes", "preset_rows", "random_values", "write_checkpoint"]

RECIPE = "voxtral-random/1"  # changes when the same seed gives other bytes
N_SPECIAL, END = 2, 1


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write.

    config: the content of params.json. presets: names of built-in voices -> frames of each. ends_after: frames that every speech has;
    None: none ever ends by itself. encoder: with that of the codec. frequencies: see main_tensors. dtype: BF16, as released, or F32.
    words: that are single tokens.
    """

    config: Mapping
    presets: Mapping[str, int]
    seed: int = 0
    ends_after: int | None = None
    encoder: bool = False
    frequencies: bool = False
    dtype: str = "BF16"
    words: Sequence[str] = ()


def write_checkpoint(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files into `folder` (made if need be), named as released."""
    (folder / "voice_embedding").mkdir(parents=True, exist_ok=True)
    write_json(folder / "params.json", checkpoint.config)
    voices = {name: n_frames + 1 for name, n_frames in checkpoint.presets.items()}
    write_tokenizer(folder, checkpoint.config, voices, checkpoint.words)
    shapes = main_tensors(checkpoint.config, encoder=checkpoint.encoder, frequencies=checkpoint.frequencies)
    table = {name: (shape, checkpoint.dtype) for name, shape in shapes.items()}
    write_tensors(folder / "consolidated.safetensors", table, partial(random_values, checkpoint))
    for name, rows in preset_rows(checkpoint).items():
        torch.save(rows, folder / "voice_embedding" / f"{name}.pt")
    return folder


def preset_codes(checkpoint: RandomCheckpoint, name: str) -> Tensor:
    """(Q, F) int64, without the special ones: what a built-in voice is made of."""
    audio = checkpoint.config["multimodal"]["audio_model_args"]
    sizes = np.array([audio["semantic_codebook_size"], *[audio["acoustic_codebook_size"]] * audio["n_acoustic_codebook"]])[:, None]
    share = (uniform(RECIPE, checkpoint.seed, f"preset.{name}", (len(sizes), checkpoint.presets[name]), (0.5, 0.5))).astype(np.float64)
    return torch.from_numpy((share * sizes).astype(np.int64))


def preset_rows(checkpoint: RandomCheckpoint) -> dict[str, Tensor]:
    """By name, (F + 1, D) bfloat16: sums of the rows of its codes, and of those that say the end, as the release has them."""
    audio = checkpoint.config["multimodal"]["audio_model_args"]
    first, step = audio["semantic_codebook_size"] + N_SPECIAL, audio["acoustic_codebook_size"] + N_SPECIAL
    offsets = torch.tensor([0, *(first + step * book for book in range(audio["n_acoustic_codebook"]))])
    table = torch.from_numpy(random_values(checkpoint, TABLE, main_tensors(checkpoint.config)[TABLE])).bfloat16().float()
    rows = {}
    for name in checkpoint.presets:
        codes = preset_codes(checkpoint, name)
        codes = torch.cat([codes + N_SPECIAL, torch.zeros_like(codes[:, :1])], dim=1)
        codes[0, -1] = END
        rows[name] = table[codes + offsets[:, None]].sum(dim=0).bfloat16()
    return rows


def random_values(checkpoint: RandomCheckpoint, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The tensor of that name, float32."""
    if name.endswith("inv_freq"):  # TimeEmbedding
        return np.exp(-math.log(10000) * np.arange(shape[0]) / shape[0]).astype(np.float32)
    values = uniform(RECIPE, checkpoint.seed, name, shape, _scale_and_offset(name, shape))
    if name.endswith("original0"):
        values[::3] *= -1  # as some of the released gains are
    elif name.endswith(("cluster_usage", "embedding_sum")):
        values[3] *= 0 if name.endswith("cluster_usage") else 1e-5  # an entry that was never used, which is divided by 1e-5
    end_after(checkpoint.ends_after, name, values, checkpoint.config)
    return values


# The first pattern that a name contains decides: (scale of u, offset). Else by gain.
_SCALES = (
    (r"norm\.weight$", (0.2, 1.0)),
    (r"_scale$", (0.2, 0.3)),
    (r"cluster_usage", (0.5, 1.0)),
    (r"embedding_sum|tok_embeddings", (1.7, 0.0)),
    (r"audio_codebook_embeddings", (1.7 / math.sqrt(37), 0.0)),  # of which a frame has 37
    (r"input_proj\..*original0", (1.5, 5.0)),  # recordings are not loud
    (r"output_proj\..*original0", (0.07, 0.27)),  # some samples are louder than full scale
    (r"decoder_blocks\.[246]\..*original0", (0.4, 1.4)),  # per input, of whose kernel a row sees a half
    (r"original0", (0.3, 1.0)),
)

# The first pattern that a name contains decides: gain of standard deviation from input to output.
_GAINS = (
    (rf"{FLOW}\.semantic_codebook_output", 3.0),  # as wide as a trained model's
    (rf"{FLOW}\.acoustic_codebook_output", 0.7),  # most of what comes of noise stays within [-1, 1]
    (r"original1", 1.3),
)


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Matrices keep unit size from input to output; no norm and no scale is one."""
    for pattern, scale_and_offset in _SCALES:
        if re.search(pattern, name):
            return scale_and_offset
    gain = next((gain for pattern, gain in _GAINS if re.search(pattern, name)), 1.0)
    return gain * math.sqrt(3 / math.prod(shape[1:])), 0.0
