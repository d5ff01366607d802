"""TrainedEncoder: CAM++ with weights as 3D-Speaker's training leaves them, for judging speech. An engine that has such a network reads its
own file.

Upstream: speakerlab/models/campplus/DTDNN.py @ 62ffeff and speakerlab/process/processor.py @ 04d64dc of 3D-Speaker, Apache 2.0.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.speaker.campplus import NORM_EPS, RELEASED_CAMPPLUS, CampPlus, kaldi_bank, norms_behind

__all__ = ["TrainedEncoder"]

RATE_HZ = 16_000


class TrainedEncoder:
    """On the CPU. Raises FileNotFoundError where there are no weights."""

    def __init__(self, path: Path):
        weights = torch.load(path, map_location="cpu", weights_only=True)
        self.network = CampPlus(RELEASED_CAMPPLUS)
        self.network.load_state_dict(folded(weights), strict=True)
        self.network.prepare_weights()

    @torch.inference_mode()
    def vector(self, samples: np.ndarray) -> np.ndarray:
        """(192,) float32, of no particular length. samples: (T,) float32 in [-1, 1] at RATE_HZ, 0.1 s at least."""
        with ieee_float32():
            return self.network(kaldi_bank(torch.from_numpy(samples)[None], self.network.config.n_bands)).numpy()


def folded(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """By the names of `CampPlus`: a batch norm behind a convolution becomes part of it, others stay."""
    kept = {name: value for name, value in weights.items() if not name.endswith(".num_batches_tracked")}
    for convolution, norm in norms_behind(weights):
        gain = kept.pop(f"{norm}.weight") / (kept.pop(f"{norm}.running_var") + NORM_EPS).sqrt()
        kernel = kept[f"{convolution}.weight"]
        kept[f"{convolution}.weight"] = kernel * gain.reshape(-1, *[1] * (kernel.ndim - 1))
        kept[f"{convolution}.bias"] = kept.pop(f"{norm}.bias") - kept.pop(f"{norm}.running_mean") * gain
    last = "xvector.dense.nonlinear.batchnorm"  # the one without gain and offset
    width = len(kept[f"{last}.running_mean"])
    return kept | {f"{last}.weight": torch.ones(width), f"{last}.bias": torch.zeros(width)}
