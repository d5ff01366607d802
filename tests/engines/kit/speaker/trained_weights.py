"""Weights with the names of 3D-Speaker, made from ours."""

import torch

from engines.kit.speaker.campplus import NORM_EPS

__all__ = ["unfolded"]


def unfolded(ours: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """As 3D-Speaker names them: the offset of a convolution is that of the batch norm behind it, which does nothing else."""
    theirs = {}
    for name, value in ours.items():
        convolution = name.removesuffix(".bias")
        if name.startswith("xvector.dense.nonlinear") and name.endswith((".weight", ".bias")):
            continue
        if convolution == name or "cam_layer" in name or ".nonlinear" in name:
            theirs[name] = value
            continue
        norm = _norm_behind(convolution)
        ones, zeros = torch.ones_like(value), torch.zeros_like(value)
        theirs |= {f"{norm}.weight": ones, f"{norm}.bias": value, f"{norm}.running_mean": zeros, f"{norm}.running_var": ones - NORM_EPS}
        theirs[f"{norm}.num_batches_tracked"] = torch.tensor(1)
    return theirs


def _norm_behind(convolution: str) -> str:
    if convolution.startswith("head."):
        return convolution.replace(".conv", ".bn").replace("shortcut.0", "shortcut.1")
    last = {"xvector.tdnn.linear": "xvector.tdnn.nonlinear.batchnorm", "xvector.transit3.linear": "xvector.out_nonlinear.batchnorm"}
    return last.get(convolution, convolution.replace(".linear1", ".nonlinear2.batchnorm"))
