"""VoiceTable: the styles of Kokoro's 54 built-in voices and of their blends, from voices.safetensors. Importing this loads no torch.

A voice is a table of styles, a row for each number of symbols that a text may have. NOTICE.txt has the licenses.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from safetensors import safe_open

__all__ = ["CURVES", "FILE", "MOST_SYMBOLS", "VOICES", "VoiceTable", "is_male", "voice_table"]

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


def is_male(name: str) -> bool:
    """By the second letter of its name; the first says the language."""
    return name[1] == "m"


class VoiceTable:
    """The tables of all voices, 0.8 MB. They are the official ones to within 7e-5, 1e-6 in the mean: what that changes in speech is no more
    than what the last bit of a float32 does (features of the decoder 100 dB below, F0 by 0.006 Hz, no duration).
    """

    def __init__(self, file: Path):
        with safe_open(file, "numpy") as stored:
            self._curves = stored.get_tensor(CURVES).astype(np.float64)
            self._shares = {name: stored.get_tensor(name).astype(np.float64) for name in VOICES}

    def row(self, weights: Mapping[str, float], n_symbols: int) -> np.ndarray:
        """The style of a blend of VOICES for a text of so many symbols, from 1 to MOST_SYMBOLS: (256,) float32. weights: they sum to 1.

        Its first half is the timbre, which decoder and generator take, its second the prosody, which the predictor takes. Computed in
        float64, so that the rounded sum is the same on every machine.
        """
        if not 1 <= n_symbols <= MOST_SYMBOLS:
            raise ValueError(f"a table has rows for 1 to {MOST_SYMBOLS} symbols, not {n_symbols}")
        share = sum(weight * self._shares[name] for name, weight in weights.items())
        return (self._curves[n_symbols - 1] @ share).astype(np.float32)


@cache
def voice_table() -> VoiceTable:
    """That of the engine, read once."""
    return VoiceTable(FILE)
