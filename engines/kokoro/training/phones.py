"""Rebuilds kit/alignment/phones.safetensors: the network that hears phones, from sentences that Kokoro says itself.

python -m engines.kokoro.training.phones TEXTS: a folder of files such as en.txt, a sentence a line. About a second of one core for each
second of speech, and some minutes for the network.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn import functional

from engines.kit.alignment.phone_recognizer import FILE, FRAME_SAMPLES, SILENCE, spectral_inputs
from engines.kit.phonemes.phone_features import N_PHONE_FEATURES, phone_features
from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.options import SYMBOL_LANGUAGES
from engines.kokoro.speech import front_row
from engines.kokoro.stated_words import AHEAD_SAMPLES, HALF_FRAME_SAMPLES
from engines.kokoro.symbols import numbers_of, symbols_of
from engines.kokoro.training.packaged_networks import packaged_networks

VOICES = {
    "en": ("af_heart", "am_michael"),
    "es": ("ef_dora", "em_alex"),
    "fr": ("ff_siwis",),
    "it": ("if_sara", "im_nicola"),
    "pt": ("pf_dora", "pm_alex"),
}
N_SENTENCES = 24  # of a language
HIDDEN, EPOCHS, BATCH_FRAMES, LEARNING_RATE = 96, 25, 256, 2e-3
FRAME_NOISE, LEVEL_NOISE = 0.2, 0.15  # of the inputs, so that other voices and rooms are heard as well
# Misaki's symbols of two sounds, and its own of one, in IPA.
IPA = {
    "A": "eɪ", "I": "aɪ", "O": "oʊ", "W": "aʊ", "Y": "ɔɪ", "Q": "əʊ",
    "ʤ": "dʒ", "ʧ": "tʃ", "ʦ": "ts", "ʣ": "dz", "T": "ɾ", "ᵊ": "ə", "S": "s",
}  # fmt: skip
JOINED, STRESSES = "ːˑʰʲ\u0303\u0329", "ˈˌ"  # symbols of their own that go with the one before, and with the one behind
QUIET_DB, PAUSE_QUIET_DB = -38.0, -25.0  # below the loud frames: silence whatever was planned, and where a blank or a mark was


@dataclass(frozen=True, eq=False)
class PhoneExample:
    """samples: (T,) at 24 kHz. symbols, frames: of Kokoro, with the edges, and how many of 25 ms each lasts."""

    samples: np.ndarray
    symbols: str
    frames: Sequence[int]

    def labeled(self) -> tuple[np.ndarray, list[str]]:
        """(F, D) inputs, and the phone of each frame."""
        inputs = spectral_inputs(self.samples)
        names, ends, at = [], [], 0
        for symbol, frames in zip(self.symbols, self.frames, strict=True):
            at += 2 * frames * HALF_FRAME_SAMPLES
            if symbol in JOINED and names:
                names[-1], ends[-1] = names[-1] + symbol, at
            elif symbol not in STRESSES:
                names.append(IPA.get(symbol, symbol) if symbol.isalpha() else SILENCE)
                ends.append(at)
        places = np.searchsorted(np.array(ends) - AHEAD_SAMPLES, np.arange(len(inputs)) * FRAME_SAMPLES, side="right")
        planned = [names[min(place, len(names) - 1)] for place in places]
        return inputs, [_heard(name, level) for name, level in zip(planned, _levels_db(self.samples, len(inputs)), strict=True)]


class PhoneNetwork(nn.Module):
    """As PhoneRecognizer has it."""

    def __init__(self, n_inputs: int):
        super().__init__()
        self.a, self.b = nn.Linear(n_inputs, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.c = nn.Linear(HIDDEN, N_PHONE_FEATURES + 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.c(functional.relu(self.b(functional.relu(self.a(rows)))))


def trained(examples: Sequence[PhoneExample], epochs: int = EPOCHS) -> dict[str, np.ndarray]:
    """What PhoneRecognizer reads."""
    torch.manual_seed(0)
    labeled = [example.labeled() for example in examples]
    inventory = sorted({name for _, names in labeled for name in names})
    inputs = torch.from_numpy(np.concatenate([rows for rows, _ in labeled]))
    targets = torch.tensor([inventory.index(name) for _, names in labeled for name in names])
    shapes = torch.from_numpy(np.stack([np.concatenate([phone_features(name), [1.0]]) for name in inventory]).astype(np.float32))
    network = PhoneNetwork(inputs.shape[1])
    optimizer = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=1e-2)
    for epoch in range(epochs):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - epoch / epochs)
        for batch in torch.randperm(len(inputs)).split(BATCH_FRAMES):
            rows = inputs[batch]
            rows = rows + FRAME_NOISE * torch.randn_like(rows) + LEVEL_NOISE * torch.randn(len(rows), 1)
            loss = functional.cross_entropy(network(rows) @ shapes.T, targets[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    tensors = {name: tensor.detach().numpy().astype(np.float16) for name, tensor in network.state_dict().items()}
    return tensors | {"inventory": np.frombuffer(" ".join(inventory).encode(), np.uint8)}


@torch.inference_mode()
def spoken(networks: KokoroNetworks, text: str, language: str, voice: str) -> PhoneExample:
    symbols = symbols_of(text, SYMBOL_LANGUAGES[language]).symbols
    numbers = numbers_of(symbols)
    style, read = front_row({voice: 1.0}, len(numbers) - 2), torch.tensor([numbers])
    encoded, lengths = networks.encode(read, style)
    frames = torch.round(lengths).clamp(min=1).long()
    plan = networks.plan(read, encoded, frames, style)
    timbre, generator = Timbre(style[:, : networks.config.style], {}), networks.decoder.generator
    source = generator.source(plan.f0).to(networks.dtype)
    samples = generator.samples(generator.spectrum(networks.features(plan, timbre.style), source, timbre))
    return PhoneExample(samples[0].numpy(), f"_{symbols}_", frames.tolist())


def _heard(name: str, level_db: float) -> str:
    return SILENCE if level_db < (PAUSE_QUIET_DB if name == SILENCE else QUIET_DB) else name if name != SILENCE else SILENCE


def _levels_db(samples: np.ndarray, n_frames: int) -> np.ndarray:
    """Of each frame, below the loud ones."""
    padded = np.pad(samples.astype(np.float64), (FRAME_SAMPLES, 2 * FRAME_SAMPLES))
    rows = padded[np.arange(n_frames)[:, None] * FRAME_SAMPLES + np.arange(2 * FRAME_SAMPLES)]
    levels = 10 * np.log10((rows**2).mean(1) + 1e-12)
    return levels - np.percentile(levels, 95)


def _examples(networks: KokoroNetworks, folder: Path) -> Iterator[PhoneExample]:
    for language, voices in VOICES.items():
        sentences = [line for line in (folder / f"{language}.txt").read_text("utf-8").splitlines() if line.strip()][:N_SENTENCES]
        for number, sentence in enumerate(sentences):
            yield spoken(networks, sentence, language, voices[number % len(voices)])


def main() -> None:
    save_file(trained(list(_examples(packaged_networks(torch.float32), Path(sys.argv[1])))), FILE)


if __name__ == "__main__":
    main()
