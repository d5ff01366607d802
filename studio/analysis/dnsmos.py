"""DnsmosEstimator: estimates how good listeners would find a recording of speech, by the model DNSMOS.

Source: Reddy et al., "DNSMOS P.835", ICASSP 2022; MIT.

The networks are those in the package speechmos 0.0.1.1, run by onnxruntime; nothing else of it is imported, since that would bring librosa
and pandas along. Each window of 9.01 s is heard, one a second, and the mean is taken; what is shorter is doubled until it fills one.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from engines.kit.speaker.mel import RATE_HZ, mel_power
from studio.analysis.packages import folder_of
from studio.analysis.quiet_worker import half_the_cores

__all__ = ["DnsmosEstimator", "DnsmosScores", "is_here"]

PACKAGE, RUNTIME = "speechmos", "onnxruntime"
P835, P808 = "sig_bak_ovr.onnx", "model_v8.onnx"
SECONDS = 9.01
# Of P.808: frames of 20 ms, whose spectrum has 321 points there, 10 ms apart, and 80 dB of range.
WINDOW, HOP, N_MELS = 321, 160, 120
RANGE_DB = 80.0
# From what the network says to what listeners say, by the power of it: the package's `get_polyfit_val`, not personalised.
FITS = {
    "overall": (-0.06766283, 1.11546468, 0.04602535),
    "signal": (-0.08397278, 1.22083953, 0.0052439),
    "background": (-0.13166888, 1.60915514, -0.39604546),
}


class DnsmosScores(NamedTuple):
    """Each 1 to 5: overall, of the speech itself, of the background (ITU-T P.835), and overall in the manner of ITU-T P.808."""

    overall: float
    signal: float
    background: float
    p808: float


def is_here() -> bool:
    """Whether the packages are."""
    return folder_of(RUNTIME) is not None and all((_networks() / name).is_file() for name in (P835, P808))


class DnsmosEstimator:
    """For one thread. Raises ImportError, or what onnxruntime raises without a file, where the packages are not here."""

    def __init__(self):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = half_the_cores()
        self._p835, self._p808 = (
            onnxruntime.InferenceSession(str(_networks() / name), options, providers=["CPUExecutionProvider"]) for name in (P835, P808)
        )

    def scores(self, samples: np.ndarray) -> DnsmosScores:
        """Of (T,) float32 at RATE_HZ within full scale, T above 0."""
        return DnsmosScores(*(float(score) for score in np.mean([self._of(window) for window in windows(samples)], axis=0)))

    def _of(self, window: np.ndarray) -> tuple[float, ...]:
        signal, background, overall = self._p835.run(None, {"input_1": window[None]})[0][0]
        heard = {"overall": overall, "signal": signal, "background": background}
        fitted = [float(np.polyval(FITS[name], value)) for name, value in heard.items()]
        power = np.maximum(mel_power(window[:-HOP], window=WINDOW, hop=HOP, n_mels=N_MELS), 1e-10)
        decibels = np.maximum(10 * np.log10(power / power.max()), -RANGE_DB)
        p808 = self._p808.run(None, {"input_1": ((decibels + 40) / 40).astype(np.float32)[None]})[0][0][0]
        return (*fitted, float(p808))


def windows(samples: np.ndarray) -> list[np.ndarray]:
    """Of SECONDS each, one a second; at least one."""
    length = int(SECONDS * RATE_HZ)
    while len(samples) < length:
        samples = np.concatenate([samples, samples])
    n_windows = int(np.floor(len(samples) / RATE_HZ) - SECONDS) + 1
    found = [samples[int(k * RATE_HZ) : int((k + SECONDS) * RATE_HZ)].astype(np.float32) for k in range(n_windows)]
    return [window for window in found if len(window) >= length]


def _networks() -> Path:
    return (folder_of(PACKAGE) or Path()) / "dnsmos_models"
