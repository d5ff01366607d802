"""CosyVoice3 checkpoints of random numbers in the official layout.

How numbers come about: stand_ins/random_checkpoint.py; here is their scale, and what makes a speech end when it is told to (ending.py).
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from engines.cosyvoice3.config import TEXT_FOLDER, CosyVoice3Config
from tests.engines.cosyvoice3.ending import end_after
from tests.engines.cosyvoice3.reference.onnx_writer import write_campplus, write_speech_tokenizer
from tests.engines.cosyvoice3.tensors import EMBED, HEAD, Shapes, flow_tensors, hift_tensors, llm_tensors
from tests.engines.cosyvoice3.text.vocabulary import N_SPECIAL, write_tokenizer
from tests.stand_ins.random_checkpoint import uniform, write_json

__all__ = ["RECIPE", "RandomCheckpoint", "write_checkpoint", "write_configuration"]

RECIPE = "cosyvoice3-random/1"  # changes when the same seed gives other bytes
RELEASED = Path(__file__).parents[2] / "released" / "cosyvoice3"
LOGIT_STD = 3.0  # as wide as a trained model's, so that sampling has something to choose
SPARE_ROWS = 23  # of the table of text, beyond the last id; the released one has 12


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write, as it differs from the release.

    file: values of cosyvoice3.yaml by key. language: of CosyVoice-BlankEN/config.json. ends_after: codes that every speech has; None: none
    ever ends by itself.
    """

    file: Mapping[str, object] = field(default_factory=dict)
    language: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    ends_after: int | None = None


def write_checkpoint(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files that are read into `folder` (made if need be), weights in float32, as released."""
    write_configuration(folder, checkpoint)
    config = CosyVoice3Config.read(folder)
    write_tokenizer(folder / TEXT_FOLDER, first=config.language.vocab_size - SPARE_ROWS - N_SPECIAL)

    def values(name: str, shape: tuple[int, ...]) -> np.ndarray:
        drawn = uniform(RECIPE, checkpoint.seed, name, shape, _scale_and_offset(name, shape))
        end_after(checkpoint.ends_after, name, drawn, config.language)
        return drawn

    language = {name: shape for name, shape in llm_tensors(config).items() if name != HEAD}
    language = _drawn(language, values)
    _save(language | {HEAD: language[EMBED]}, folder / "llm.pt")
    flow = _drawn(flow_tensors(config.flow), values)
    half = config.flow.dim_head // 2
    flow["decoder.estimator.rotary_embed.inv_freq"] = 10_000.0 ** -(torch.arange(half, dtype=torch.float32) / half)
    _save(flow, folder / "flow.pt")
    _save(_drawn(hift_tensors(config.vocoder), values), folder / "hift.pt")
    write_speech_tokenizer(folder / "speech_tokenizer_v3.onnx", checkpoint.seed)
    write_campplus(folder / "campplus.onnx", checkpoint.seed, embedding=config.flow.spk_embed_dim)
    return folder


def write_configuration(folder: Path, checkpoint: RandomCheckpoint) -> None:
    """cosyvoice3.yaml and CosyVoice-BlankEN/config.json: the released texts, with the checkpoint's values in the place of theirs."""
    (folder / TEXT_FOLDER).mkdir(parents=True, exist_ok=True)
    text = (RELEASED / "cosyvoice3.yaml").read_text(encoding="utf-8")
    for key, value in checkpoint.file.items():
        text, n_places = re.subn(rf"^( *{key}:) [\d.\[][^#\n]*?(?= *(?:#|$))", rf"\1 {json.dumps(value)}", text, flags=re.MULTILINE)
        if n_places != 1:
            raise ValueError(f"{key} stands {n_places} times in the released file")
    (folder / "cosyvoice3.yaml").write_text(text, encoding="utf-8")
    released = json.loads((RELEASED / TEXT_FOLDER / "config.json").read_text(encoding="utf-8"))
    write_json(folder / TEXT_FOLDER / "config.json", released | checkpoint.language)


def _drawn(shapes: Shapes, values: Callable[[str, tuple[int, ...]], np.ndarray]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(values(name, shape)) for name, shape in shapes.items()}


def _save(tensors: Mapping[str, torch.Tensor], file: Path) -> None:
    torch.save(dict(tensors), file)


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Matrices keep unit size from input to output; where they shall not, the first pattern that a name contains says."""
    for pattern, scale_and_offset in _SCALES.items():
        if re.search(pattern, name):
            return scale_and_offset
    gain = next((gain for pattern, gain in _GAINS.items() if re.search(pattern, name)), 1.0)
    return gain * math.sqrt(3 / math.prod(shape[1:])), 0.0


# Of each gain of weight norm that is the gain of its convolution, but for what a residual adds, which is less.
_SCALES = {
    r"norm\.weight": (0.2, 1.0),
    r"conv_post\..*original0": (0.1, 0.4),
    r"convs2\..*original0": (0.1, 0.3),
    r"original0": (0.2, 0.8),
    r"\.alpha": (0.3, 1.0),
    r"(embed_tokens|speech_embedding|input_embedding)\.weight": (math.sqrt(3), 0.0),
    r"conv_post\.bias": (0.3, 0.3),  # logarithms of what each frequency has, and phases
    r"classifier\.bias": (0.0, 15.0),  # Hz, so that some frames have no voice
    r"attn_norm\.linear\.bias|norm_out\.linear\.bias": (0.5, 0.2),  # gates and shifts that are open whatever the time
    r"\.bias": (0.1, 0.0),
}
_GAINS = {
    "llm_decoder": LOGIT_STD,
    r"classifier\.weight": 80.0,  # Hz
    r"attn_norm\.linear|norm_out\.linear": 0.5,
    r"source_downs": 2.0,
}
