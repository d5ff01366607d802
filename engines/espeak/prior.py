"""The prior network: what frames of eSpeak speech have in common for all speakers; a speaker is one linear head on top of it.

Trained by engines/espeak/training on generated speech only. NumPy, float32; shapes: F frames, D inputs, U hidden units, O outputs.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy

from engines.errors import CheckpointInvalid
from engines.espeak.hidden_stream import DILATIONS
from engines.espeak.prosody import PROSODY_TENSORS
from engines.espeak.spectrum import N_BANDS, N_CEPSTRA

__all__ = ["N_OUTPUTS", "VOICING", "Prior"]

VOICING = N_CEPSTRA + N_BANDS
N_OUTPUTS = VOICING + 1  # cepstra, aperiodicity of each band, voicing
_HEAD_SHARE = 0.05  # shrinks the combination of trained heads towards their mean, as a share of their mean power
_BIAS_RIDGE = 1e-3
_MAPPED_ORDERS, _MAP_RIDGE = 40, 0.1  # of the linear map of cepstra, in units of their variance
_TENSORS = (
    *("input_mean", "input_scale", "target_mean", "target_scale"),
    *("first_weight", "first_bias"),
    *(f"convolution_{number}_{kind}" for number in range(len(DILATIONS)) for kind in ("weight", "bias")),
    *("frames_weight", "frames_bias", "local_weight", "heads"),
    *PROSODY_TENSORS,
)


@dataclass(frozen=True)
class Prior:
    """tensors: named float32 arrays. head_names: one a trained head.

    presets: per built-in speaker the tensors of its prompt. fingerprint: SHA-256 of the asset.
    """

    tensors: dict[str, np.ndarray]
    head_names: tuple[str, ...]
    presets: dict[str, dict[str, np.ndarray]]
    fingerprint: str

    @classmethod
    def load(cls, path: Path) -> "Prior":
        """Read the asset. Raises CheckpointInvalid where a tensor is missing or extra."""
        data = path.read_bytes()
        stored = safetensors.numpy.load(data)
        metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        presets: dict[str, dict[str, np.ndarray]] = {}
        for name in [name for name in stored if name.startswith("preset.")]:
            _, speaker, tensor = name.split(".")
            presets.setdefault(speaker, {})[tensor] = stored.pop(name)
        missing, extra = set(_TENSORS) - set(stored), set(stored) - set(_TENSORS)
        if missing or extra:
            raise CheckpointInvalid(f"{path.name}: missing tensors {sorted(missing)}, extra tensors {sorted(extra)}.")
        tensors = {name: tensor.astype(np.float32) for name, tensor in stored.items()}
        return cls(tensors, tuple(metadata["heads"].split(" ")), presets, hashlib.sha256(data).hexdigest())

    @property
    def heads(self) -> np.ndarray:
        """(V, U + 1, O) one linear head a trained voice."""
        return self.tensors["heads"]

    def outputs(self, hidden: np.ndarray, head: np.ndarray) -> np.ndarray:
        """(F, O) in natural units: cepstra, aperiodicity, voicing."""
        return (hidden @ head) * self.tensors["target_scale"] + self.tensors["target_mean"]

    def cepstra(self, hidden: np.ndarray, head: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA)."""
        scale, mean = self.tensors["target_scale"][:N_CEPSTRA], self.tensors["target_mean"][:N_CEPSTRA]
        return (hidden @ head[:, :N_CEPSTRA]) * scale + mean

    def fit_head(self, hidden: np.ndarray, targets: np.ndarray, ridge_per_frame: float) -> np.ndarray:
        """(U + 1, O) head that maps hidden (F, U + 1) to targets (F, O).

        The best combination of trained heads; then a linear map of its cepstra that stays close to identity, which keeps what is sharp in
        them sharp; then ridge on the rest.
        """
        wanted = (targets - self.tensors["target_mean"]) / self.tensors["target_scale"]
        moment = (hidden.T @ hidden).astype(np.float64)
        head = self._mixture(moment, hidden.T @ wanted)
        predicted = hidden @ head
        rows = (predicted - predicted.mean(0))[:, :_MAPPED_ORDERS]
        missing = (wanted - predicted)[:, :N_CEPSTRA]
        gram = rows.T @ rows + _MAP_RIDGE * len(rows) * np.eye(_MAPPED_ORDERS)
        change = np.linalg.solve(gram, rows.T @ (missing - missing.mean(0)))
        head[:, :N_CEPSTRA] += head[:, :_MAPPED_ORDERS] @ change
        left = wanted - hidden @ head
        head[-1] += left.mean(0)
        ridge = np.full(len(moment), ridge_per_frame * len(hidden))
        ridge[-1] = _BIAS_RIDGE * len(hidden)
        return (head + np.linalg.solve(moment + np.diag(ridge), hidden.T @ (left - left.mean(0)))).astype(np.float32)

    def _mixture(self, moment: np.ndarray, cross: np.ndarray) -> np.ndarray:
        """(U + 1, O) least squares over the heads' predictions, through the second moments of hidden: no prediction is ever formed."""
        n_heads = len(self.heads)
        cepstral = self.heads[:, :, :N_CEPSTRA]
        projected = np.einsum("uw,vwo->vuo", moment.astype(np.float32), cepstral, optimize=True)
        gram = projected.reshape(n_heads, -1) @ cepstral.reshape(n_heads, -1).T
        right = cepstral.reshape(n_heads, -1) @ cross[:, :N_CEPSTRA].reshape(-1)
        shrink = np.trace(gram) / n_heads * _HEAD_SHARE
        mixture = np.linalg.solve(gram.astype(np.float64) + shrink * np.eye(n_heads), right + shrink / n_heads)
        return np.tensordot(mixture, self.heads, 1)
