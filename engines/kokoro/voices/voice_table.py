"""VoiceTable: the styles of Kokoro's 54 built-in voices and of their blends, from voices.safetensors. Importing this loads no torch.

A voice is a table of styles, a row for each number of symbols that a text may have. NOTICE.txt has the licenses.
"""

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from safetensors import safe_open

from engines.errors import PresetUnknown

__all__ = ["CURVES", "FILE", "MOST_SYMBOLS", "VOICES", "VoiceTable", "is_male", "language_of_voice", "parts_of", "voice_table"]

FILE = Path(__file__).with_name("voices.safetensors")
CURVES = "curves"
MOST_SYMBOLS = 510

VOICES = (
    *("af_alloy", "af_aoede", "af_bella", "af_heart", "af_jessica", "af_kore", "af_nicole", "af_nova", "af_river", "af_sarah", "af_sky"),
    *("am_adam", "am_echo", "am_eric", "am_fenrir", "am_liam", "am_michael", "am_onyx", "am_puck", "am_santa"),
    *("bf_alice", "bf_emma", "bf_isabella", "bf_lily", "bm_daniel", "bm_fable", "bm_george", "bm_lewis"),
    *("ef_dora", "em_alex", "em_santa", "ff_siwis", "hf_alpha", "hf_beta", "hm_omega", "hm_psi", "if_sara", "im_nicola"),
    *("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo", "pf_dora", "pm_alex", "pm_santa"),
    *("zf_xiaobei", "zf_xiaoni", "zf_xiaoxiao", "zf_xiaoyi", "zm_yunjian", "zm_yunxi", "zm_yunxia", "zm_yunyang"),
)
# The first letter of a name says the language, the second the sex.
LANGUAGES: Mapping[str, str] = MappingProxyType(
    {"a": "en-us", "b": "en-gb", "e": "es", "f": "fr", "h": "hi", "i": "it", "j": "ja", "p": "pt-br", "z": "zh"}
)
# A part of a blend: "af_heart:0.6", or "af_heart(0.6)" as Kokoro-FastAPI writes it, or the name alone, which weighs 1.
_PART = re.compile(r"(?P<name>\w+)\s*(?::\s*(?P<after>[^()]*)|\((?P<within>[^()]*)\))?")
_WEIGHT = re.compile(r"\d{1,6}(\.\d{0,6})?|\.\d{1,6}", re.ASCII)
EXAMPLE = "A blend is written like af_heart:0.6+af_bella:0.4."


def language_of_voice(name: str) -> str:
    """The language that a voice was made from, by its name: "en-us" of "af_heart"."""
    return LANGUAGES[name[0]]


def is_male(name: str) -> bool:
    return name[1] == "m"


def parts_of(formula: str) -> dict[str, float]:
    """The voices of a blend and their weights, which sum to 1; of a name alone that voice. A voice that is there twice has both weights.

    Raises PresetUnknown for a voice that there is not, and for what is no formula.
    """
    weights: dict[str, float] = {}
    for text in formula.split("+"):
        part = _PART.fullmatch(text.strip())
        name = part["name"] if part else text.strip()
        if name not in VOICES:
            fact = f"Kokoro has no voice {name[:100]!r}." if name else f"A voice is missing in {formula[:100]!r}."
            raise PresetUnknown(fact, f"{EXAMPLE} Voices: {', '.join(VOICES)}.", name=name, engine="Kokoro")
        said = part["after"] if part["after"] is not None else part["within"]
        weight = 1.0 if said is None else _weight(said)
        if not weight > 0:
            fact = f"The weight of {name} is {said[:100]!r}; it is a number above zero."
            raise PresetUnknown(fact, EXAMPLE, name=formula, engine="Kokoro")
        weights[name] = weights.get(name, 0.0) + weight
    whole = math.fsum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}


def _weight(text: str) -> float:
    """0 for what is no weight."""
    return float(text) if _WEIGHT.fullmatch(text.strip()) else 0.0


class VoiceTable:
    """The tables of all voices, 0.8 MB. They differ from the official ones by 7e-5 at most, 120 dB below speech that is made with them."""

    def __init__(self, file: Path):
        with safe_open(file, "numpy") as stored:
            self._curves = stored.get_tensor(CURVES).astype(np.float64)
            self._shares = {name: stored.get_tensor(name).astype(np.float64) for name in VOICES}

    def row(self, formula: str, n_symbols: int) -> np.ndarray:
        """The style of a voice or blend for a text of so many symbols, from 1 to MOST_SYMBOLS: (256,) float32.

        Its first half is the timbre, which decoder and generator take, its second the prosody, which the predictor takes. Computed in
        float64, so that the rounded sum is the same on every machine. Raises PresetUnknown.
        """
        if not 1 <= n_symbols <= MOST_SYMBOLS:
            raise ValueError(f"a table has rows for 1 to {MOST_SYMBOLS} symbols, not {n_symbols}")
        share = sum(weight * self._shares[name] for name, weight in parts_of(formula).items())
        return (self._curves[n_symbols - 1] @ share).astype(np.float32)


@cache
def voice_table() -> VoiceTable:
    """That of the engine, read once."""
    return VoiceTable(FILE)
