"""DistillmosEstimator: estimates how good listeners would find speech, by the model Distill-MOS.

Source: Stahl and Gamper, "Distillation and pruning for scalable self-supervised representation-based speech quality assessment", 2025; the
package distillmos 0.9.1, MIT.
"""

from pathlib import Path

import numpy as np

from studio.analysis.packages import folder_of

__all__ = ["DistillmosEstimator", "is_here"]

PACKAGES = ("distillmos", "xls_r_sqa")  # the second has parts of the network


def is_here() -> bool:
    """Whether the packages are."""
    return all(folder_of(package) is not None for package in PACKAGES)


class DistillmosEstimator:
    """For one thread. Raises ImportError where the packages are not here."""

    def __init__(self):
        import torch
        from distillmos import ConvTransformerSQAModel

        with torch.random.fork_rng(devices=[]):  # the numbers that it begins with, before its weights, are nobody else's
            self._model = ConvTransformerSQAModel(load_weights=False)
        file = (folder_of(PACKAGES[0]) or Path()) / "weights" / "distill_mos_v7.pt"
        self._model.load_state_dict(torch.load(file, map_location="cpu", weights_only=True)["model"])
        self._model.eval().requires_grad_(False)

    def score(self, samples: np.ndarray) -> float:
        """1 to 5, of (T,) float32 at 16 kHz, T above 0."""
        import torch

        return float(self._model(torch.from_numpy(np.ascontiguousarray(samples, np.float32))[None])[0, 0])
