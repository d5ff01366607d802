"""What counts as audible: one level and one window, for the first sound of a stream and for the silence inside of it."""

import numpy as np

__all__ = ["AUDIBLE_LEVEL", "AUDIBLE_SECONDS", "window_levels"]

AUDIBLE_SECONDS = 0.010  # the first 10 ms ...
AUDIBLE_LEVEL = 10 ** (-50 / 20)  # ... above -50 dBFS (RMS, full scale 1.0) are the first audible sound


def window_levels(samples: np.ndarray, window_samples: int) -> np.ndarray:
    """RMS (W,) of the whole windows in samples (T,), W = T // window_samples."""
    n_windows = len(samples) // window_samples
    windows = samples[: n_windows * window_samples].reshape(n_windows, window_samples)
    return np.sqrt(np.mean(np.square(windows), axis=1))
