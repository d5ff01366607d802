"""Trains the prior on the squared error of frames, of their movement, and of the melody."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from engines.espeak.prior.prior import Prior
from engines.espeak.training.aligned.aligned_utterance import AlignedUtterance
from engines.espeak.training.descent import Descent
from engines.espeak.training.network import PriorNetwork
from engines.espeak.training.segments import WARPS, Batch, Segments
from engines.kit.signal.spectrum import N_BANDS, N_CEPSTRA

__all__ = ["fit_prior", "tensors_of"]

_SEED = 0
_BATCH = 16
_DESCENT = Descent(rate=2e-3, warming_steps=200, least_rate=0.02, weight_decay=1e-3, betas=(0.9, 0.98), told_every=500)
_INPUT_NOISE = 0.05
_PHONES_FORGOTTEN, _PHONE_FORGOTTEN = 0.1, 0.03  # so that phones it never saw do no harm
_MOVEMENTS, _MOVEMENT_WEIGHT = (1, 4), 0.25  # frames either side of a difference; trajectory training (Zen et al. 2007) as a loss
_PAUSE_WEIGHT = 0.2
_MEASURED_BATCHES = 64


def fit_prior(utterances: Sequence[AlignedUtterance], number_of: dict[str, int], n_steps: int) -> Prior:
    """A prior without presets. The same bits for the same utterances, on the same machine and with as many threads."""
    torch.manual_seed(_SEED)
    torch.use_deterministic_algorithms(True)
    segments = Segments(utterances, number_of, _SEED)
    network = PriorNetwork(len(segments.names) * len(WARPS))
    weights = torch.from_numpy(_output_weights(segments.scales["target_scale"]))
    scales = [_moved(_drawn(segments).targets, frames).pow(2).mean((0, 1)).sqrt() for frames in _MOVEMENTS]
    _DESCENT.run(network, lambda: _loss(network, segments.draw(_BATCH), weights, scales), n_steps)
    names = tuple(f"{name}*{warp}" for name in segments.names for warp in WARPS)
    return replace(Prior({}, (), {}, ""), tensors=segments.scales | tensors_of(network), head_names=names)


def tensors_of(network: PriorNetwork) -> dict[str, np.ndarray]:
    """The network's weights as the asset names and lays them out."""
    named = {"first_weight": network.first.weight.T, "first_bias": network.first.bias}
    for number, layer in enumerate(network.convolutions):
        named[f"convolution_{number}_weight"] = layer.weight.permute(2, 1, 0).reshape(-1, layer.weight.shape[0])
        named[f"convolution_{number}_bias"] = layer.bias
    named |= {"frames_weight": network.frames.weight.T, "frames_bias": network.frames.bias}
    named |= {"local_weight": network.local.weight.T, "heads": network.heads}
    return {name: np.ascontiguousarray(tensor.detach().numpy()) for name, tensor in named.items()}


def _loss(network: PriorNetwork, batch: Batch, weights: torch.Tensor, scales: Sequence[torch.Tensor]) -> torch.Tensor:
    noisy = batch.inputs + _INPUT_NOISE * torch.randn(batch.inputs.shape)
    predicted = network(noisy, _forgotten(batch.phones), batch.heads)
    counted = weights * (_PAUSE_WEIGHT + (1 - _PAUSE_WEIGHT) * batch.speech)[:, :, None]
    loss = ((predicted - batch.targets) ** 2 * counted).mean()
    for frames, scale in zip(_MOVEMENTS, scales, strict=True):
        off = (_moved(predicted, frames) - _moved(batch.targets, frames)) / scale
        loss = loss + _MOVEMENT_WEIGHT * (off**2 * counted[:, frames:-frames]).mean()
    return loss


def _moved(rows: torch.Tensor, frames: int) -> torch.Tensor:
    """(B, F - 2 * frames, D) differences over so many frames either side."""
    return rows[:, 2 * frames :] - rows[:, : -2 * frames]


def _output_weights(scale: np.ndarray) -> np.ndarray:
    """(O,) weight of each output in the loss: high cepstra and aperiodicities count less."""
    weights = np.concatenate([np.ones(20), np.full(N_CEPSTRA - 20, 0.5), np.full(N_BANDS, 0.3), [0.5]])
    weights[:N_CEPSTRA] *= np.sqrt(scale[:N_CEPSTRA] / scale[5])
    return weights.astype(np.float32)


def _forgotten(phones: torch.Tensor) -> torch.Tensor:
    """The phones (B, F, 3 * N_PHONE_FEATURES) with some of them blanked: all of a segment, and those of single frames."""
    kept = torch.rand(len(phones), 1, 1) >= _PHONES_FORGOTTEN
    return phones * (kept & (torch.rand(*phones.shape[:2], 1) >= _PHONE_FORGOTTEN))


def _drawn(segments: Segments) -> Batch:
    return segments.draw(_BATCH * _MEASURED_BATCHES)
