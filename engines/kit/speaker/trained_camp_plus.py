"""TrainedEncoder: CAM++ with weights as 3D-Speaker's training leaves them, for judging speech. An engine that has such a network reads its
own file.

Upstream: speakerlab/models/campplus/DTDNN.py @ 62ffeff and speakerlab/process/processor.py @ 04d64dc of 3D-Speaker, Apache 2.0.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torchaudio.compliance import kaldi

from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.speaker.camp_plus import NORM_EPS, RELEASED_SPEAKER_ENCODER, CampPlus

__all__ = ["TrainedEncoder"]

RATE_HZ = 16_000


class TrainedEncoder:
    """On the CPU. Raises FileNotFoundError where there are no weights."""

    def __init__(self, path: Path):
        weights = torch.load(path, map_location="cpu", weights_only=True)
        self.network = CampPlus(RELEASED_SPEAKER_ENCODER)
        self.network.load_state_dict(folded(weights), strict=True)
        self.network.prepare_weights()

    @torch.inference_mode()
    def vector(self, samples: np.ndarray) -> np.ndarray:
        """(192,) float32, of no particular length. samples: (T,) float32 in [-1, 1] at RATE_HZ, 0.1 s at least."""
        n_bands = self.network.config.n_bands
        bank = kaldi.fbank(torch.from_numpy(samples)[None], num_mel_bins=n_bands, dither=0.0, sample_frequency=RATE_HZ)
        with ieee_float32():
            return self.network((bank - bank.mean(0))[None]).numpy()


def folded(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """By the names of `CampPlus`: a batch norm behind a convolution becomes part of it, others stay."""
    kept = {name: value for name, value in weights.items() if not name.endswith(".num_batches_tracked")}
    for convolution, norm in _folds(weights):
        gain = kept.pop(f"{norm}.weight") / (kept.pop(f"{norm}.running_var") + NORM_EPS).sqrt()
        kernel = kept[f"{convolution}.weight"]
        kept[f"{convolution}.weight"] = kernel * gain.reshape(-1, *[1] * (kernel.ndim - 1))
        kept[f"{convolution}.bias"] = kept.pop(f"{norm}.bias") - kept.pop(f"{norm}.running_mean") * gain
    last = "xvector.dense.nonlinear.batchnorm"  # the one without gain and offset
    width = len(kept[f"{last}.running_mean"])
    return kept | {f"{last}.weight": torch.ones(width), f"{last}.bias": torch.zeros(width)}


def _folds(names: Iterable[str]) -> list[tuple[str, str]]:
    """Convolutions, and the batch norms behind them, by their names upstream."""
    norms = [name.removesuffix(".running_mean") for name in names if name.endswith(".running_mean")]
    of_head = [(norm.replace(".bn", ".conv").replace("shortcut.1", "shortcut.0"), norm) for norm in norms if norm.startswith("head.")]
    inner = ".nonlinear2.batchnorm"
    of_layers = [(norm.replace(inner, ".linear1"), norm) for norm in norms if norm.endswith(inner)]
    ends = [("xvector.tdnn.linear", "xvector.tdnn.nonlinear.batchnorm"), ("xvector.transit3.linear", "xvector.out_nonlinear.batchnorm")]
    return [*of_head, *of_layers, *ends]
