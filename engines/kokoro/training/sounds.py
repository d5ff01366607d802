"""Rebuilds learning/sounds.safetensors: sentences that Kokoro says itself, by which the sounds of a clip are told.

python -m engines.kokoro.training.sounds
"""

import numpy as np
import torch

from engines.kokoro.learning.matched_sounds import FILE, PoolUtterance, save_pool
from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.speech import front_row
from engines.kokoro.symbols import numbers_of, symbols_of
from engines.kokoro.training.packaged_networks import packaged_networks

# Language of the symbols -> the voices that say its sentences, a woman and a man where there are both.
VOICES = {
    "en-us": ("af_heart", "am_michael"),
    "es": ("ef_dora", "em_alex"),
    "fr": ("ff_siwis",),
    "it": ("if_sara", "im_nicola"),
}
# All sounds of a language in few words; two are the pangrams that everybody knows, one is of the TIMIT corpus's two for all its readers.
SENTENCES = {
    "en-us": (
        "The quick brown fox jumps over the lazy dog while seven wizards judge my vow.",
        "She had your dark suit in greasy wash water all year, and we should hear how joyful noise annoys an oyster.",
        "Think of the usual measure: thirty boys choose cheap, smooth, round shoes.",
        "Please leave your name and number after the tone, or press one for another choice.",
    ),
    "es": (
        "El veloz murciélago hindú comía feliz cardillo y kiwi; la cigüeña tocaba el saxofón.",
        "Para escuchar el mensaje anterior, marque el número cuatro y después la tecla de almohadilla.",
    ),
    "fr": (
        "Portez ce vieux whisky au juge blond qui fume, et un bon vin blanc dans une rue pleine de monde.",
        "Veuillez laisser un message après le signal sonore, puis appuyez sur la touche étoile.",
    ),
    "it": (
        "Quel vituperabile xenofobo zelante assaggia il whisky ed esclama: alleluia, che gnocchi squisiti!",
        "Per ascoltare il messaggio precedente premere il tasto quattro, poi attendere in linea.",
    ),
}


@torch.no_grad()
def spoken(networks: KokoroNetworks, text: str, language: str, voice: str) -> PoolUtterance:
    """The text as that built-in voice says it, with the frames of every symbol."""
    numbers = numbers_of(symbols_of(text, language).symbols)
    style, symbols = front_row({voice: 1.0}, len(numbers) - 2), torch.tensor([numbers])
    encoded, lengths = networks.encode(symbols, style)
    frames = torch.round(lengths).clamp(min=1).long()
    plan = networks.plan(symbols, encoded, frames, style)
    timbre = Timbre(style[:, : networks.config.style], {})
    generator, features = networks.decoder.generator, networks.features(plan, timbre.style)
    samples = generator.samples(generator.spectrum(features, generator.source(plan.f0).to(networks.dtype), timbre))
    return PoolUtterance(np.array(numbers), frames.numpy(), samples[0].numpy())


def main() -> None:
    networks = packaged_networks(torch.float32)
    chosen = [(text, language, voice) for language, texts in SENTENCES.items() for voice in VOICES[language] for text in texts]
    save_pool([spoken(networks, *each) for each in chosen], FILE)


if __name__ == "__main__":
    main()
