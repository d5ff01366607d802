"""Training data of the prior, step by step: random stretches of utterances, each of one voice and one vocal tract."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engines.espeak.prior.hidden_stream import frame_inputs
from engines.espeak.prior.prior import feature_rows
from engines.espeak.training.aligned.aligned_utterance import AlignedUtterance
from engines.espeak.training.aligned.melody import melody_of
from engines.kit.phonemes.phone_features import N_PHONE_FEATURES
from engines.kit.signal.pitch import LogRange, log_f0_range
from engines.kit.signal.spectrum import MEL_HZ, N_CEPSTRA, N_MELS, dct_matrix, interpolation

__all__ = ["SEGMENT_FRAMES", "WARPS", "Batch", "Segments"]

WARPS = (0.84, 0.92, 1.0, 1.09, 1.19)  # of the frequency axis
SEGMENT_FRAMES = 128
_SHARES = {"heart": 4.0, "nsh": 3.0}  # how often a voice is drawn; 1 for the others


@dataclass(frozen=True)
class Batch:
    """B segments of F frames. inputs (B, F, N_FRAME_INPUTS) normalized, phones (B, F, 3 * N_PHONE_FEATURES). targets: (B, F, N_OUTPUTS)
    normalized.

    speech (B, F): 1, in pauses 0. heads (B,): voice and warp.
    """

    inputs: torch.Tensor
    phones: torch.Tensor
    targets: torch.Tensor
    speech: torch.Tensor
    heads: torch.Tensor


class Segments:
    """All utterances, and how their numbers are normalized: means and scales by the names that the prior gives them."""

    def __init__(self, utterances: Sequence[AlignedUtterance], number_of: dict[str, int], seed: int):
        self.names = tuple(sorted({utterance.voice for utterance in utterances}))
        self._features = np.concatenate([np.zeros((1, N_PHONE_FEATURES), np.float32), feature_rows(tuple(number_of))])
        self._random = np.random.default_rng(seed)
        self._utterances = [utterance for utterance in utterances if len(utterance.f0) > SEGMENT_FRAMES]
        f0_ranges = _f0_ranges(self._utterances)
        inputs = [_inputs(utterance, f0_ranges[utterance.voice]) for utterance in self._utterances]
        heard = np.concatenate([rows[utterance.speech] for rows, utterance in zip(inputs, self._utterances, strict=True)])
        wanted = np.concatenate([utterance.targets[utterance.speech] for utterance in self._utterances])
        self.scales = {"input_mean": heard.mean(0), "input_scale": heard.std(0) + 1e-3}
        self.scales |= {"target_mean": wanted.mean(0), "target_scale": wanted.std(0) + 1e-3}
        self._inputs = [((rows - self.scales["input_mean"]) / self.scales["input_scale"]).astype(np.float32) for rows in inputs]
        self._of_voice = [np.array([k for k, u in enumerate(self._utterances) if u.voice == name]) for name in self.names]
        self._lengths = [np.array([len(self._utterances[k].f0) for k in of], float) for of in self._of_voice]
        shares = np.array([_SHARES.get(name, 1.0) for name in self.names])
        self._shares = shares / shares.sum()
        self._warps = _warp_matrices()
        self._scaled = {name: torch.from_numpy(rows) for name, rows in self.scales.items()}

    def draw(self, size: int) -> Batch:
        """The next of them."""
        voices = self._random.choice(len(self.names), size, p=self._shares)
        warps = self._random.integers(0, len(WARPS), size)
        inputs, phones, targets, speech = (np.stack(column) for column in zip(*map(self._segment, voices), strict=True))
        wanted = torch.from_numpy(targets)
        wanted[:, :, :N_CEPSTRA] = wanted[:, :, :N_CEPSTRA] @ self._warps[torch.from_numpy(warps)].transpose(1, 2)
        return Batch(
            inputs=torch.from_numpy(inputs),
            phones=torch.from_numpy(self._features[phones].reshape(*phones.shape[:2], -1)),
            targets=(wanted - self._scaled["target_mean"]) / self._scaled["target_scale"],
            speech=torch.from_numpy(speech).float(),
            heads=torch.from_numpy(voices * len(WARPS) + warps),
        )

    def _segment(self, voice: int) -> tuple[np.ndarray, ...]:
        lengths = self._lengths[voice]
        number = self._random.choice(self._of_voice[voice], p=lengths / lengths.sum())
        utterance = self._utterances[number]
        start = self._random.integers(0, len(utterance.f0) - SEGMENT_FRAMES)
        part = slice(start, start + SEGMENT_FRAMES)
        return self._inputs[number][part], utterance.phones[part], utterance.targets[part], utterance.speech[part]


def _inputs(utterance: AlignedUtterance, f0_range: LogRange) -> np.ndarray:
    return frame_inputs(utterance.cepstra, utterance.source_f0 > 0, melody_of(utterance.f0, f0_range), utterance.position)


def _f0_ranges(utterances: Sequence[AlignedUtterance]) -> dict[str, LogRange]:
    """Of each voice."""
    names = {utterance.voice for utterance in utterances}
    return {name: log_f0_range(np.concatenate([u.f0 for u in utterances if u.voice == name])) for name in names}


def _warp_matrices() -> torch.Tensor:
    """(W, N_CEPSTRA, N_CEPSTRA): cepstra (as columns) of an envelope to those of the envelope with its frequency axis stretched."""
    dct = dct_matrix(N_MELS, N_CEPSTRA).astype(np.float64)
    matrices = [dct @ interpolation(MEL_HZ, MEL_HZ / warp) @ dct.T for warp in WARPS]
    return torch.from_numpy(np.stack(matrices).astype(np.float32))
