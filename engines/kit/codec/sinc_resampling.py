"""Resampling as in torchaudio with its defaults, a windowed sinc. Some encoders were trained on it, and codes are read from it."""

from collections.abc import Mapping
from math import gcd
from types import MappingProxyType

import numpy as np
import torch
import torchaudio
from torch import Tensor

from engines.kit.codec.resampling import resample

__all__ = ["KAISER_64", "KAISER_128", "sinc_resample"]

MOST_PHASES = 1024  # of torchaudio's filter, which holds all of them at once: gigabytes where rates have hardly a divisor in common

# Longer windows than torchaudio's own, in its words. Upstream: high_quality_resample and prepare_edit_source_audio of dots.tts 0.3.1.
KAISER_64: Mapping = MappingProxyType({"lowpass_filter_width": 64, "rolloff": 0.95, "resampling_method": "sinc_interp_kaiser"})
KAISER_128: Mapping = MappingProxyType({**KAISER_64, "lowpass_filter_width": 128})
_USUAL: Mapping = MappingProxyType({})


def sinc_resample(
    samples: np.ndarray, from_hz: int, to_hz: int, *, exact_filter: bool = False, window: Mapping = _USUAL
) -> Tensor:  # fmt: skip
    """(T,) float32 -> (T',) float32 on the CPU, within IEEE float32 where the caller asks for it. Equal rates give the samples back.

    exact_filter: computed in float64, as torchaudio.transforms.Resample does, else in float32, as torchaudio.functional.resample: samples
    of full scale differ by 2e-6. window: in torchaudio's words, where it is not its own. Rates that recordings hardly have (44,101 Hz) are
    resampled by soxr.
    """
    if to_hz // gcd(to_hz, from_hz) > MOST_PHASES:
        return torch.tensor(resample(samples, from_hz, to_hz))
    if exact_filter:
        return torchaudio.transforms.Resample(from_hz, to_hz, **window)(torch.tensor(samples))
    return torchaudio.functional.resample(torch.tensor(samples), from_hz, to_hz, **window)
