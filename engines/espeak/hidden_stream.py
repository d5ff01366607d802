"""The prior's body over the frames of one speech, with a bounded look-ahead, as a stream. Two frames make a step, which its convolutions see."""

from collections.abc import Mapping

import numpy as np

from engines.espeak.dilated_stream import DilatedStream, leaky

__all__ = [
    "DILATIONS",
    "LOOK_AHEAD_FRAMES",
    "N_CEPSTRA_IN",
    "N_FRAME_INPUTS",
    "STEP_FRAMES",
    "HiddenStream",
    "frame_inputs",
]

DILATIONS = (8, 4, 2, 1)  # steps, of three taps each
STEP_FRAMES = 2
BLOCK_STEPS = 16
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
    LOOK_AHEAD_FRAMES is not certain.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], n_frames: int):
        self._tensors = tensors
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
        return self._n_read * STEP_FRAMES, (self._n_read + BLOCK_STEPS) * STEP_FRAMES

    def push(self, inputs: np.ndarray, phones: np.ndarray) -> np.ndarray:
        """(F, U + 1) the next hidden features, with a constant 1 at the end, of the frames `wanted`.

        inputs: (F', N_FRAME_INPUTS), phones: (F', 3) numbers; fewer than wanted only at the speech's end.
        """
        tensors = self._tensors
        normal, numbers = self._whole_block(inputs, phones)
        embedded = [tensors[f"{name}_embedding"][numbers[::STEP_FRAMES, k]] for k, name in enumerate(("phone", "previous", "next"))]
        rows = np.concatenate([normal.reshape(BLOCK_STEPS, -1), *embedded], 1)
        step, x = self._convolutions.push(leaky(rows @ tensors["first_weight"] + tensors["first_bias"]))
        self._n_read += BLOCK_STEPS
        local = np.concatenate([self._local_past, normal @ tensors["local_weight"]])
        self._local_past = local[BLOCK_STEPS * STEP_FRAMES :]
        frames = (x @ tensors["frames_weight"] + tensors["frames_bias"]).reshape(BLOCK_STEPS * STEP_FRAMES, -1)
        hidden = np.tanh(frames + local[: len(frames)])[max(0, -step) * STEP_FRAMES :]
        return np.concatenate([hidden, np.ones((len(hidden), 1), np.float32)], 1)

    def _whole_block(self, inputs: np.ndarray, phones: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Normalised inputs and phones of a whole block; past the end of the speech its last frame goes on."""
        missing = BLOCK_STEPS * STEP_FRAMES - len(inputs)
        if missing:
            last = np.zeros((1, N_FRAME_INPUTS), np.float32), np.zeros((1, 3), np.int64)
            inputs, phones = (np.concatenate([rows, np.repeat(rows[-1:] if len(rows) else end, missing, 0)])
                              for rows, end in zip((inputs, phones), last, strict=True))  # fmt: skip
        return ((inputs - self._tensors["input_mean"]) / self._tensors["input_scale"]).astype(np.float32), phones
