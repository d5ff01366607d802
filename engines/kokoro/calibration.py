"""Calibration: a voice says a sentence, by which the norms of the generator and its loudness are recorded."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor

from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks, KokoroPlan
from engines.kokoro.speech import SpokenVoice, moved_plan, planned, prepared
from engines.kokoro.symbols import numbers_of, symbols_of

__all__ = ["BRIEF", "THOROUGH", "Calibration"]

# Said to record a voice's norms in a language. In as much of a clip's own sounds, or in English for Spanish, clones lose most of a point of
# MOS (studio/measure/DIARY.md).
BRIEF = MappingProxyType({
    "en-us": "She had your dark suit.",
    "en-gb": "She had your dark suit.",
    "es": "Para escuchar, marque el cuatro.",
    "fr": "Laissez un message après le signal.",
    "hi": "कृपया अपना संदेश छोड़ें।",
    "it": "Per ascoltare, premere quattro.",
    "ja": "メッセージをどうぞ。",
    "pt-br": "Deixe a sua mensagem, por favor.",
    "zh": "请在提示音之后留言。",
})  # fmt: skip
# Of a voice that was refined: it gains by more than a brief one, in English by two sentences, in others by one of some 2 s.
THOROUGH = MappingProxyType({
    **dict.fromkeys(
        ("en-us", "en-gb"),
        "She had your dark suit in greasy wash water. "
        "Please leave your name and number after the tone, or press one for another choice.",
    ),
    "es": "Para escuchar el mensaje anterior, marque el número cuatro.",
    "fr": "Veuillez laisser un message après le signal sonore.",
    "hi": "कृपया बीप के बाद अपना संदेश छोड़ें।",
    "it": "Per ascoltare il messaggio precedente, premere quattro.",
    "ja": "発信音のあとに、メッセージをどうぞ。",
    "pt-br": "Por favor, deixe a sua mensagem depois do sinal.",
    "zh": "请在提示音之后留言。",
})  # fmt: skip
LOUDNESS, GAINS = 0.055, (0.3, 3.0)  # RMS of speech of the built-in voices; what is made up for at most
MOST_PLANS = 16  # some 300 kB each; a blend of built-in voices is a front of its own, and there is no end of these


class Calibration:
    """The last sentences stay planned, by language and front: whose voice it is comes later. For any thread."""

    def __init__(self, networks: KokoroNetworks):
        self._networks = networks
        self._planned = lru_cache(MOST_PLANS)(partial(_planned, networks))

    def of(self, timbre: Timbre, voice: SpokenVoice, language: str, sentences: Mapping[str, str]) -> tuple[Timbre, float]:
        """The timbre with what every norm of the generator measures while it says a sentence, and the gain that makes that as loud as the
        built-in voices speak.

        Its silences count: norms without them are wrong for speech, which has some (studio/measure/DIARY.md).
        voice: whose front, pitch and timbre say it. language: of the symbols. sentences: BRIEF or THOROUGH. Some 0.1 CPU seconds for a
        second of it.
        """
        plan, style = moved_plan(*self._planned(sentences[language], language, tuple(voice.front.items())), voice)
        features, source = prepared(self._networks, plan, style, slice(0, plan.energy.shape[1]))
        generator, found = self._networks.decoder.generator, {}
        with torch.inference_mode():
            spectrum = generator.spectrum(features, source, replace(timbre, norms=None), record=found)
            loudness = float(generator.samples(spectrum).square().mean().sqrt())
        norms = {name: (found[name][0].clone(), found[name][1].clone()) for name in generator.norms}
        return replace(timbre, norms=norms), float(np.clip(LOUDNESS / max(loudness, 1e-6), *GAINS))


def _planned(networks: KokoroNetworks, sentence: str, language: str, front: tuple[tuple[str, float], ...]) -> tuple[KokoroPlan, Tensor]:
    numbers = numbers_of(symbols_of(sentence, language).symbols, networks.config.vocab)
    return planned(networks, numbers, dict(front))
