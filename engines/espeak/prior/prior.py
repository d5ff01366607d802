"""The prior network: what frames of eSpeak speech have in common for all speakers; a speaker is one linear head on top of it.

Trained by engines/espeak/training on generated speech only. NumPy, float32; shapes: F frames, D inputs, U hidden units, O outputs.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy

from engines.errors import CheckpointInvalid
from engines.espeak.prior.hidden_stream import DILATIONS
from engines.espeak.prior.prosody import PROSODY_TENSORS
from engines.espeak.signal.spectrum import N_BANDS, N_CEPSTRA

__all__ = ["LEAST_SHARE", "N_OUTPUTS", "VOICING", "Prior"]

VOICING = N_CEPSTRA + N_BANDS
N_OUTPUTS = VOICING + 1  # cepstra, aperiodicity of each band, voicing
# Natural voices that speakers are made of, and how long a vocal tract they have beside the first's. The first, a person who speaks Russian,
# serves the sounds of all languages best, the other English (studio/measure/DIARY.md). The first's tract as find_tract measures it, and how
# much of a speaker's difference from that is taken over: the map finds the rest.
_BASES = {"nsh": 1.0, "heart": 1.3}
LEAST_SHARE = 0.2  # of the second
_BASE_TRACT, _TRACT_SHARE = 0.77, 0.7
_START_TRACTS = (0.77, 0.98)  # a man's and a woman's
_BIAS_RIDGE = 1e-3
_MAP_RIDGE = 1.0  # of the linear map of cepstra, in units of their variance
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

    presets: per built-in speaker the tensors of its prompt. fingerprint: SHA-256 of the asset. pool: see Pool; empty while training.
    """

    tensors: dict[str, np.ndarray]
    head_names: tuple[str, ...]
    presets: dict[str, dict[str, np.ndarray]]
    fingerprint: str
    pool: dict[str, np.ndarray] = field(default_factory=dict)

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
        pool = {name.removeprefix("pool."): stored.pop(name) for name in list(stored) if name.startswith("pool.")}
        missing, extra = set(_TENSORS) - set(stored), set(stored) - set(_TENSORS)
        if missing or extra:
            raise CheckpointInvalid(f"{path.name}: missing tensors {sorted(missing)}, extra tensors {sorted(extra)}.")
        tensors = {name: tensor.astype(np.float32) for name, tensor in stored.items()}
        return cls(tensors, tuple(metadata["heads"].split(" ")), presets, hashlib.sha256(data).hexdigest(), pool)

    @property
    def heads(self) -> np.ndarray:
        """(V, U + 1, O) one linear head a trained voice."""
        return self.tensors["heads"]

    @property
    def start_head(self) -> np.ndarray:
        """(U + 1, O) what clips are matched by before anything is known of them."""
        return np.mean([self.base_head(tract) for tract in _START_TRACTS], 0)

    def outputs(self, hidden: np.ndarray, head: np.ndarray) -> np.ndarray:
        """(F, O) in natural units: cepstra, aperiodicity, voicing."""
        return (hidden @ head) * self.tensors["target_scale"] + self.tensors["target_mean"]

    def cepstra(self, hidden: np.ndarray, head: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA)."""
        scale, mean = self.tensors["target_scale"][:N_CEPSTRA], self.tensors["target_mean"][:N_CEPSTRA]
        return (hidden @ head[:, :N_CEPSTRA]) * scale + mean

    def base_head(self, tract: float, share: float = LEAST_SHARE) -> np.ndarray:
        """(U + 1, O) what a speaker's head is made of: of two people's voices, each with the vocal tract that comes nearest.

        tract: see find_tract. share: of the second of them, who speaks English.
        """
        scale = (tract / _BASE_TRACT) ** _TRACT_SHARE
        heads = [self._trained_head(name, scale / own) for name, own in _BASES.items()]
        return np.average(heads, 0, [1 - share, share])

    def _trained_head(self, voice: str, scale: float) -> np.ndarray:
        """(U + 1, O) the voice's, with the nearest of the tracts that it was trained with."""
        known = {name: float(name.partition("*")[2]) for name in self.head_names if name.startswith(f"{voice}*")}
        return self.heads[self.head_names.index(min(known, key=lambda name: abs(np.log(known[name] / scale))))]

    def fit_head(self, base: np.ndarray, hidden: np.ndarray, targets: np.ndarray, ridge_per_frame: float | None = None) -> np.ndarray:
        """(U + 1, O) head that maps hidden (F, U + 1) to targets (F, O) about as `base` does.

        A linear map of the base's cepstra that stays close to identity, which keeps what is sharp in them sharp, and the targets' mean;
        with ridge_per_frame, ridge on the rest, which comes nearer and blurs.
        """
        wanted = (targets - self.tensors["target_mean"]) / self.tensors["target_scale"]
        head = base.astype(np.float32)
        predicted = hidden @ head
        rows = (predicted - predicted.mean(0))[:, :N_CEPSTRA]
        missing = (wanted - predicted)[:, :N_CEPSTRA]
        gram = rows.T @ rows + _MAP_RIDGE * len(rows) * np.eye(N_CEPSTRA)
        change = np.linalg.solve(gram, rows.T @ (missing - missing.mean(0)))
        head[:, :N_CEPSTRA] += head[:, :N_CEPSTRA] @ change
        left = wanted - hidden @ head
        head[-1] += left.mean(0)
        if ridge_per_frame is None:
            return head
        ridge = np.full(hidden.shape[1], ridge_per_frame * len(hidden))
        ridge[-1] = _BIAS_RIDGE * len(hidden)
        moment = (hidden.T @ hidden).astype(np.float64) + np.diag(ridge)
        return (head + np.linalg.solve(moment, hidden.T @ (left - left.mean(0)))).astype(np.float32)
