"""Languages and options of Kokoro. Importing this loads no torch."""

from collections.abc import Mapping
from types import MappingProxyType

from engines.contract.options import Option
from engines.kokoro.front_ends import INSTALLED

__all__ = ["CODES", "DEFAULT_STRENGTH", "FRONT_VOICES", "LOAD_OPTIONS", "OPTIONS", "SYMBOL_LANGUAGES", "mother_tongue"]

# Code of the engine -> that of its symbols. Japanese and Chinese are spoken where a front end for them is installed.
SYMBOL_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {"en": "en-us", "en-gb": "en-gb", "es": "es", "fr": "fr", "hi": "hi", "it": "it", "pt": "pt-br"}
    | {language: language for language in INSTALLED}
)
CODES = tuple(SYMBOL_LANGUAGES)
# Whose articulation and melody a voice takes in a language that is not its own: a woman's, a man's. French has one voice.
# Of the American women Kore lets other timbres sound most natural and most like themselves (studio/measure/DIARY.md).
FRONT_VOICES: Mapping[str, tuple[str, str]] = MappingProxyType({
    "en": ("af_kore", "am_michael"), "en-gb": ("bf_emma", "bm_george"), "es": ("ef_dora", "em_alex"), "fr": ("ff_siwis", "ff_siwis"),
    "hi": ("hf_alpha", "hm_omega"), "it": ("if_sara", "im_nicola"), "ja": ("jf_alpha", "jm_kumo"), "pt": ("pf_dora", "pm_alex"),
    "zh": ("zf_xiaobei", "zm_yunjian"),
})  # fmt: skip
_MOTHER_TONGUES = {"a": "en", "b": "en-gb", "e": "es", "f": "fr", "h": "hi", "i": "it", "j": "ja", "p": "pt", "z": "zh"}
DEFAULT_STRENGTH = 0.7  # beyond it speech gets less natural sooner than more alike (studio/measure/DIARY.md)

OPTIONS = (
    Option(
        "language",
        "choice",
        None,
        "Language of the text; guessed from its script and small words when left out. Japanese and Chinese want packages, see the manual.",
        choices=CODES,
    ),
    Option(
        "strength",
        "float",
        DEFAULT_STRENGTH,
        "How much of what was learned is used: 0 is natural, 1 is alike. No effect on built-in voices.",
        minimum=0.0,
        maximum=1.0,
    ),
    Option("speed", "float", 1.0, "Speaking rate; the pitch stays.", minimum=0.25, maximum=4.0, unit="x"),
    Option("pitch_semitones", "float", 0.0, "Moves the voice's pitch.", minimum=-12.0, maximum=12.0, unit="semitones"),
    Option("seed", "int", 0, "Has no effect: nothing is drawn, and a text sounds alike every time.", minimum=0, maximum=2**63 - 1),
)
LOAD_OPTIONS: tuple[Option, ...] = ()


def mother_tongue(voice: str) -> str:
    """The language that a built-in voice comes from, by the first letter of its name."""
    return _MOTHER_TONGUES[voice[0]]
