"""HiddenStream: runs the prior's body over the frames of one speech, as a stream with a bounded look-ahead. Its convolutions see steps of
two frames.

DilatedStream are dilated convolutions (van den Oord et al. 2016) over steps that come in blocks; every step goes through once. Every block
has one shape, so that rounding cannot depend on how far a stream has got. Steps before the first and after the last count as zeros in every
layer, as in training.
"""

from collections.abc import Mapping

import numpy as np

__all__ = [
    "BLOCK_STEPS",
    "DILATIONS",
    "LOOK_AHEAD_FRAMES",
    "N_CEPSTRA_IN",
    "N_FRAME_INPUTS",
    "STEP_FRAMES",
    "TAPS",
    "DilatedStream",
    "HiddenStream",
    "frame_inputs",
    "leaky",
]

DILATIONS = (8, 4, 2, 1)  # steps, of three taps each
STEP_FRAMES = 2
BLOCK_STEPS = 16  # of a stream
N_CEPSTRA_IN = 20
N_FRAME_INPUTS = N_CEPSTRA_IN + 4  # cepstra, voicing, melody, position, its square
_DELAY_STEPS = sum(DILATIONS)
# what a frame waits for: the steps of its own block and those that the convolutions look ahead
LOOK_AHEAD_FRAMES = (_DELAY_STEPS + BLOCK_STEPS) * STEP_FRAMES
_REACHES = tuple((dilation, dilation) for dilation in DILATIONS)


def frame_inputs(cepstra: np.ndarray, voiced: np.ndarray, melody: np.ndarray, position: np.ndarray) -> np.ndarray:
    """(F, N_FRAME_INPUTS) float32: cepstra (F, N_CEPSTRA_IN or more) and voiced (F,) of eSpeak's speech, position (F,) inside the phone.

    melody: (F,) the F0 that the speech shall have, in deviations of the speaker's log F0.
    """
    columns = (voiced[:, None], melody[:, None], position[:, None], position[:, None] ** 2)
    return np.concatenate([cepstra[:, :N_CEPSTRA_IN], *columns], 1).astype(np.float32)


class HiddenStream:
    """Hidden features of a speech, in order.

    tensors: the prior's. n_frames: how many frames the speech has; those of a speech cut short, where what is asked of the last
    LOOK_AHEAD_FRAMES is not certain. block_steps: that go through at once; another number rounds otherwise.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], n_frames: int, block_steps: int = BLOCK_STEPS):
        self._tensors, self._block_steps = tensors, block_steps
        self._convolutions = DilatedStream(tensors, "convolution", _REACHES, -(-n_frames // STEP_FRAMES))
        width = tensors["first_bias"].shape[0]
        self._local_past = np.zeros((_DELAY_STEPS * STEP_FRAMES, width), np.float32)
        self._n_read = 0

    @property
    def n_features(self) -> int:
        return len(self._tensors["first_bias"]) + 1

    @property
    def wanted(self) -> tuple[int, int]:
        """The frames [first, last) that the next `push` reads."""
        return self._n_read * STEP_FRAMES, (self._n_read + self._block_steps) * STEP_FRAMES

    def push(self, inputs: np.ndarray, phones: np.ndarray) -> np.ndarray:
        """(F, U + 1) the next hidden features, with a constant 1 at the end, of the frames `wanted`.

        inputs: (F', N_FRAME_INPUTS), phones: (F', 3 * N_PHONE_FEATURES) of the phone, the one before and the one after; fewer than wanted
        only at the speech's end.
        """
        tensors = self._tensors
        n_frames = self._block_steps * STEP_FRAMES
        normal = (_padded(inputs, n_frames) - tensors["input_mean"]) / tensors["input_scale"]
        rows = np.concatenate([normal.reshape(self._block_steps, -1), _padded(phones, n_frames)[::STEP_FRAMES]], 1)
        step, x = self._convolutions.push(leaky(rows @ tensors["first_weight"] + tensors["first_bias"]))
        self._n_read += self._block_steps
        local = np.concatenate([self._local_past, normal @ tensors["local_weight"]])
        self._local_past = local[n_frames:]
        frames = (x @ tensors["frames_weight"] + tensors["frames_bias"]).reshape(n_frames, -1)
        hidden = np.tanh(frames + local[: len(frames)])[max(0, -step) * STEP_FRAMES :]
        return np.concatenate([hidden, np.ones((len(hidden), 1), np.float32)], 1)


def _padded(rows: np.ndarray, n_frames: int) -> np.ndarray:
    """n_frames rows; past the end of the speech its last frame goes on."""
    return np.pad(rows, ((0, n_frames - len(rows)), (0, 0)), mode="edge" if len(rows) else "constant")


# --- dilated convolutions


TAPS = 3
_LEAK = np.float32(0.1)


class DilatedStream:
    """Layers of three taps, each added to what it reads.

    tensors: `{name}_{k}_weight` (3 * width, width) and `{name}_{k}_bias` (width,) of layer k. reaches: (dilation, ahead) of each, in steps:
    the latest tap of a step stands `ahead` steps after it. n_steps: of the whole sequence.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], name: str, reaches: tuple[tuple[int, int], ...], n_steps: int):
        self._layers = [(tensors[f"{name}_{k}_weight"], tensors[f"{name}_{k}_bias"]) for k in range(len(reaches))]
        self._reaches, self._n_steps = reaches, n_steps
        width = len(self._layers[0][1])
        self._pasts = [np.zeros((2 * dilation, width), np.float32) for dilation, _ in reaches]
        self._n_read = 0

    def push(self, x: np.ndarray) -> tuple[int, np.ndarray]:
        """The step that the first row of the output stands for (negative at the beginning), and the output, (B, width) as the block x."""
        step = self._n_read
        self._n_read += len(x)
        x = self._inside(x, step)
        for number, ((dilation, ahead), (weight, bias)) in enumerate(zip(self._reaches, self._layers, strict=True)):
            seen = np.concatenate([self._pasts[number], x])
            self._pasts[number] = seen[len(x) :]
            taps = np.concatenate([seen[k * dilation : k * dilation + len(x)] for k in range(TAPS)], 1)
            first = 2 * dilation - ahead
            step -= ahead
            x = self._inside(seen[first : first + len(x)] + leaky(taps @ weight + bias), step)
        return step, x

    def _inside(self, x: np.ndarray, first_step: int) -> np.ndarray:
        """x with zeros where no step of the sequence stands."""
        if first_step < 0 or first_step + len(x) > self._n_steps:
            step = first_step + np.arange(len(x))
            x[(step < 0) | (step >= self._n_steps)] = 0
        return x


def leaky(x: np.ndarray) -> np.ndarray:
    """The activation of all layers here."""
    return np.maximum(x, _LEAK * x)
