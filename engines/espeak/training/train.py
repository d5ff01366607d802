"""Rebuild the prior: `python -m engines.espeak.training.train [--without slt] [--output FILE]`. A few minutes on two CPU cores.

Pairs by bootstrapped alignment, a short training, pairs again through that network, then the network that is kept. Every voice has
heads of its own and of shorter and longer vocal tracts, so that the heads span more speakers than there are voices.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import safetensors.numpy
import torch
from torch import nn

from engines.clip import Transcript
from engines.espeak import library
from engines.espeak.clip_analysis import ClipAnalysis
from engines.espeak.enrolment import fit_with_transcript, speaker_tensors
from engines.espeak.prior import N_OUTPUTS, Prior
from engines.espeak.spectrum import MEL_HZ, N_BANDS, N_CEPSTRA, N_MELS, dct_matrix, interpolation
from engines.espeak.training.pairs import VOICES, Pairs, align_voice, read_aloud
from engines.espeak.training.texts import SENTENCES

WARPS = (0.84, 0.92, 1.0, 1.09, 1.19)  # of the frequency axis
WIDTH = 256
EMBEDDING_WIDTHS = (12, 8, 8)  # phone, previous, next
FIRST_EPOCHS, EPOCHS = 6, 20
BATCH = 512
DROPOUT, INPUT_NOISE = 0.1, 0.05
PHONES_FORGOTTEN, PHONE_FORGOTTEN = 0.15, 0.05  # so that phones it never saw do no harm
PRESET_SENTENCES = 9  # about half a minute


class Network(nn.Module):
    """The prior as a trainable module; shapes as in engines/espeak/prior.py."""

    def __init__(self, n_inputs: int, n_phones: int, n_heads: int):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(n_phones + 1, width) for width in EMBEDDING_WIDTHS])
        self.first = nn.Linear(n_inputs + sum(EMBEDDING_WIDTHS), WIDTH)
        self.second = nn.Linear(WIDTH, WIDTH)
        self.heads = nn.Parameter(torch.randn(n_heads, WIDTH + 1, N_OUTPUTS) * 0.05)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, inputs: torch.Tensor, phones: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        embedded = [embedding(phones[:, k]) for k, embedding in enumerate(self.embeddings)]
        first = torch.tanh(self.first(torch.cat([inputs, *embedded], 1)))
        second = torch.tanh(self.second(self.dropout(first)))
        hidden = self.dropout(torch.cat([second, torch.ones(len(second), 1)], 1))
        return torch.bmm(hidden[:, None], self.heads[heads])[:, 0]


def warp_matrices() -> np.ndarray:
    """(W, N_CEPSTRA, N_CEPSTRA): cepstra (as columns) of an envelope to those of the envelope with its frequency axis stretched."""
    dct = dct_matrix(N_MELS, N_CEPSTRA).astype(np.float64)
    stretched = [np.minimum(MEL_HZ / warp, 7900.0 if warp < 1 else np.inf) for warp in WARPS]  # the voices end at 8 kHz
    return np.stack([dct @ interpolation(MEL_HZ, hz) @ dct.T for hz in stretched]).astype(np.float32)


def output_weights(scale: np.ndarray) -> np.ndarray:
    """(O,) weight of each output in the loss: high cepstra and aperiodicities count less."""
    weights = np.concatenate([np.ones(20), np.full(N_CEPSTRA - 20, 0.5), np.full(N_BANDS, 0.3), [0.5]])
    weights[:N_CEPSTRA] *= np.sqrt(scale[:N_CEPSTRA] / scale[5])
    return weights.astype(np.float32)


def train(pairs: dict[str, Pairs], prior: Prior, epochs: int) -> Prior:
    """A prior trained on the pairs of each voice; prior gives the phones' numbers."""
    torch.manual_seed(0)
    inputs = np.concatenate([p.inputs for p in pairs.values()])
    targets = np.concatenate([p.targets for p in pairs.values()]).astype(np.float32)
    phones = torch.from_numpy(np.concatenate([p.phones for p in pairs.values()]))
    voice = torch.from_numpy(np.concatenate([np.full(len(p.inputs), k) for k, p in enumerate(pairs.values())]))
    input_mean, input_scale = inputs.mean(0), inputs.std(0) + 1e-3
    target_mean, target_scale = targets.mean(0), targets.std(0) + 1e-3
    x, y = torch.from_numpy((inputs - input_mean) / input_scale), torch.from_numpy(targets)
    mean, scale = torch.from_numpy(target_mean), torch.from_numpy(target_scale)
    weights, warps = torch.from_numpy(output_weights(target_scale)), torch.from_numpy(warp_matrices())
    network = Network(inputs.shape[1], len(prior.number_of), len(pairs) * len(WARPS))
    optimizer = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-3)
    n_steps = epochs * len(x) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, n_steps)
    running = 0.0
    for step in range(n_steps):
        rows, warp = torch.randint(0, len(x), (BATCH,)), torch.randint(0, len(WARPS), (BATCH,))
        wanted = y[rows].clone()
        wanted[:, :N_CEPSTRA] = torch.bmm(warps[warp], wanted[:, :N_CEPSTRA, None])[:, :, 0]
        noisy = x[rows] + INPUT_NOISE * torch.randn(BATCH, x.shape[1])
        predicted = network(noisy, _forget(phones[rows]), voice[rows] * len(WARPS) + warp)
        loss = ((predicted - (wanted - mean) / scale) ** 2 * weights).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        running = 0.99 * running + 0.01 * loss.item()
        if step % 1000 == 999:
            print(f"step {step + 1} of {n_steps}, loss {running:.4f}", flush=True)  # noqa: T201 a script
    tensors = {"input_mean": input_mean, "input_scale": input_scale, "target_mean": target_mean, "target_scale": target_scale}
    names = tuple(f"{name}*{warp}" for name in pairs for warp in WARPS)
    return replace(prior, tensors=tensors | _tensors_of(network), head_names=names)


def _forget(phones: torch.Tensor) -> torch.Tensor:
    """Some phones turned to 0, "unknown"."""
    phones = phones.clone()
    phones[torch.rand(len(phones)) < PHONES_FORGOTTEN] = 0
    phones[torch.rand(phones.shape) < PHONE_FORGOTTEN] = 0
    return phones


def _tensors_of(network: Network) -> dict[str, np.ndarray]:
    named = {f"{name}_embedding": e.weight for name, e in zip(("phone", "previous", "next"), network.embeddings, strict=True)}
    named |= {"weight_1": network.first.weight.T, "bias_1": network.first.bias, "weight_2": network.second.weight.T}
    named |= {"bias_2": network.second.bias, "heads": network.heads}
    return {name: np.ascontiguousarray(tensor.detach().numpy()) for name, tensor in named.items()}


def untrained(sentences: tuple[str, ...]) -> Prior:
    """A prior that only knows which phones there are."""
    phones = {name for sentence in sentences for _, name in library.speak(sentence, "en-us").phones}
    return Prior({}, {name: number for number, name in enumerate(sorted(phones | {"_"}), 1)}, (), {}, "")


def presets(prior: Prior, voices: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The prompts of the built-in speakers, as asset tensors."""
    text = " ".join(SENTENCES[:PRESET_SENTENCES])
    tensors = {}
    for voice in voices:
        recording = ClipAnalysis.of(read_aloud(voice, text))
        made = speaker_tensors(prior, recording, fit_with_transcript(prior, recording, Transcript(text, "en")))
        tensors |= {f"preset.{voice}.{name}": tensor for name, tensor in made.items()}
    return tensors


def save(prior: Prior, extra: dict[str, np.ndarray], path: Path) -> None:
    """Write the asset: weights in float16, statistics in float32."""
    halved = {name: tensor.astype(np.float16 if tensor.ndim > 1 else np.float32) for name, tensor in prior.tensors.items()}
    metadata = {"phones": " ".join(prior.number_of), "heads": " ".join(prior.head_names)}
    safetensors.numpy.save_file({name: np.ascontiguousarray(t) for name, t in (halved | extra).items()}, path, metadata)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", choices=VOICES, help="leave this voice out, to measure on it")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "prior.safetensors")
    arguments = parser.parse_args()
    voices = tuple(voice for voice in VOICES if voice != arguments.without)
    prior = untrained(SENTENCES)
    pairs = {voice: align_voice(voice, SENTENCES, prior, None) for voice in voices}
    first = train(pairs, prior, FIRST_EPOCHS)
    heads = {voice: first.heads[first.head_names.index(f"{voice}*1.0")] for voice in voices}
    pairs = {voice: align_voice(voice, SENTENCES, first, heads[voice]) for voice in voices}
    print("alignment cost", {voice: round(p.cost, 3) for voice, p in pairs.items()})  # noqa: T201
    prior = train(pairs, prior, EPOCHS)
    save(prior, presets(prior, voices), arguments.output)


if __name__ == "__main__":
    main()
