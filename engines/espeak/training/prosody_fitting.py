"""Trains the prosody: the length and pitch of phones, from what is known before they sound. It draws whole utterances at random."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from engines.espeak.prior.hidden_stream import TAPS
from engines.espeak.prior.prior import N_FACTS, N_POINTS, REACHES
from engines.espeak.training.aligned.aligned_utterance import AlignedUtterance
from engines.espeak.training.aligned.phone_utterance import PhoneUtterance, phone_utterances
from engines.espeak.training.descent import Descent
from engines.kit.nn.module_list import module_list
from engines.kit.phonemes.phone_features import N_PHONE_FEATURES

__all__ = ["fit_prosody"]

_SEED = 0
_WIDTH = 96
_DROPOUT, _LEAK = 0.1, 0.1
_STEPS, _BATCH = 4000, 16
_DESCENT = Descent(rate=3e-3, warming_steps=100, least_rate=0.02, weight_decay=1e-2, betas=(0.9, 0.999), told_every=1000)
_LENGTH_WEIGHT, _LENGTH_KNEE = 2.0, 0.5  # beyond the knee the loss is linear: alignments err
_PHONES_FORGOTTEN, _PHONE_FORGOTTEN = 0.1, 0.03  # so that phones it never saw do no harm
_MOST_GAIN = 1.5


class ProsodyNetwork(nn.Module):
    """Shapes as in engines/espeak/prior/prior.py; B utterances of P phones."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(N_PHONE_FEATURES + N_FACTS, _WIDTH)
        self.convolutions = module_list([nn.Conv1d(_WIDTH, _WIDTH, TAPS, dilation=dilation) for dilation, _ in REACHES])
        self.outputs = nn.Linear(_WIDTH, 1 + N_POINTS)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, features: torch.Tensor, facts: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
        """(B, P, 1 + N_POINTS) of features (B, P, N_PHONE_FEATURES), facts (B, P, N_FACTS), inside (B, P), 0 behind an end."""
        x = functional.leaky_relu(self.first(torch.cat([features, facts], 2)), _LEAK) * inside[:, :, None]
        x = x.transpose(1, 2)
        for convolution, (dilation, ahead) in zip(self.convolutions, REACHES, strict=True):
            padded = functional.pad(self.dropout(x), (2 * dilation - ahead, ahead))
            x = (x + functional.leaky_relu(convolution(padded), _LEAK)) * inside[:, None]
        return self.outputs(self.dropout(x.transpose(1, 2)))


def fit_prosody(utterances: Sequence[AlignedUtterance]) -> dict[str, np.ndarray]:
    """The tensors that engines/espeak/prior/prior.py names, from voices that pass for natural. The same bits for the same utterances."""
    torch.manual_seed(_SEED)
    random = np.random.default_rng(_SEED)
    names = sorted({utterance.voice for utterance in utterances if utterance.natural})
    phones = [p for name in names for p in phone_utterances([u for u in utterances if u.voice == name])]
    network = ProsodyNetwork()

    def draw_loss() -> torch.Tensor:
        return _loss(network, _batch([phones[k] for k in random.integers(0, len(phones), _BATCH)]))

    _DESCENT.run(network, draw_loss, _STEPS)
    return _tensors_of(network, _pitch_gain(network, phones))


def _batch(phones: Sequence[PhoneUtterance]) -> dict[str, torch.Tensor]:
    """The utterances side by side, zeros behind their ends; `inside` is 1 before them."""
    longest = max(len(utterance.features) for utterance in phones)

    def padded(arrays: list[np.ndarray]) -> torch.Tensor:
        return torch.from_numpy(np.stack([np.pad(a, [(0, longest - len(a))] + [(0, 0)] * (a.ndim - 1)) for a in arrays]))

    batch = {name: padded([getattr(utterance, name) for utterance in phones]) for name in PhoneUtterance.__dataclass_fields__}
    return batch | {"inside": padded([np.ones(len(utterance.features), np.float32) for utterance in phones])}


def _loss(network: ProsodyNetwork, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    features = batch["features"]
    kept = torch.rand(len(features), 1, 1) >= _PHONES_FORGOTTEN
    made = network(features * (kept & (torch.rand(*features.shape[:2], 1) >= _PHONE_FORGOTTEN)), batch["facts"], batch["inside"])
    off = functional.huber_loss(made[:, :, 0], batch["log_ratio"], reduction="none", delta=_LENGTH_KNEE)
    hummed = (made[:, :, 1:] - batch["pitch"]) ** 2
    lengths = (off * batch["timed"]).sum() / batch["timed"].sum()
    return _LENGTH_WEIGHT * lengths + (hummed * batch["weight"]).sum() / batch["weight"].sum()


def _pitch_gain(network: ProsodyNetwork, phones: Sequence[PhoneUtterance]) -> float:
    """What gives the predicted pitch the deviation of the voices' own, at most _MOST_GAIN."""
    network.eval()
    batch = _batch(phones)
    with torch.no_grad():
        made = network(batch["features"], batch["facts"], batch["inside"])[:, :, 1:]
    voiced = batch["weight"] == 1
    return min(_MOST_GAIN, float(batch["pitch"][voiced].std() / made[voiced].std()))


def _tensors_of(network: ProsodyNetwork, gain: float) -> dict[str, np.ndarray]:
    named = {"first_weight": network.first.weight.T, "first_bias": network.first.bias}
    for number, layer in enumerate(network.convolutions):
        named[f"{number}_weight"] = layer.weight.permute(2, 1, 0).reshape(-1, layer.weight.shape[0])
        named[f"{number}_bias"] = layer.bias
    gains = torch.tensor([1.0] + [gain] * N_POINTS)
    named |= {"outputs_weight": network.outputs.weight.T * gains, "outputs_bias": network.outputs.bias * gains}
    return {f"prosody_{name}": np.ascontiguousarray(tensor.detach().numpy()) for name, tensor in named.items()}
