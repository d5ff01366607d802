"""Options and languages of dots.tts, and what it reads wrongly in them, as data. No torch here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.contract.language_limit import LanguageLimit
from engines.contract.options import Option
from engines.kit.decode.gpu_use import FUSING_OPTIONS

if TYPE_CHECKING:
    from engines.dots.config import Sampler

__all__ = ["CONTINUATION", "LANGUAGES", "LANGUAGE_LIMITS", "LOAD_OPTIONS", "MOST_STEPS", "OPTIONS", "TAGS", "VOICE", "own_options"]

VOICE, CONTINUATION = "voice", "continuation"
MOST_STEPS = 32  # of any sampler that leaves a choice, as the makers' page has it
MOST_CHUNK_PATCHES = 16
MOST_PATCHES = 256  # of a row, see DotsRows

# The 24 languages that the makers measured (README of dots.tts), and what a text is tagged with: the code in capitals, but for Cantonese.
LANGUAGES = (
    "en", "zh", "yue", "ar", "cs", "nl", "fi", "fr", "de", "el", "hi", "id", "it", "ja", "ko", "pl", "pt", "ro", "ru", "es", "th", "tr",
    "uk", "vi",
)  # fmt: skip
TAGS: Mapping[str, str] = {code: "口音:粤语" if code == "yue" else code.upper() for code in LANGUAGES}

# Error rates of the makers on the MiniMax test set (README of dots.tts).
LANGUAGE_LIMITS = (
    LanguageLimit("ar", "many words", "dots.tts misreads more than a third of the words in Arabic.", "Choose another engine.", r"[؀-ۿ]"),
    LanguageLimit("hi", "some words", "dots.tts misreads about a seventh of the words in Hindi.", "Listen to it.", r"[ऀ-ॿ]"),
    LanguageLimit("th", "some words", "dots.tts misreads about a twelfth of the words in Thai.", "Listen to it.", r"[฀-๿]"),
    LanguageLimit("yue", "many words", "dots.tts misreads more than a third of the words in Cantonese.", "Choose another engine.", r"\w"),
)

_SECONDS = "160 ms"

# Names and defaults of num_steps, guidance_scale and speaker_scale are those of the official generate.
OPTIONS = (
    Option(
        "mode", "choice", VOICE, "Speak in the voice of the recording, or go on from its end, which is more alike and needs its words.",
        choices=(VOICE, CONTINUATION),
    ),
    Option("language", "choice", None, "Language of the text; without one the model hears it from the text.", choices=LANGUAGES),
    Option("seed", "int", 0, "Draws the noise: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("num_steps", "int", 4, "Steps from noise to sound; more are finer and slower.", minimum=1, maximum=MOST_STEPS),
    Option("guidance_scale", "float", 1.2, "How closely to follow text and voice.", minimum=0.0, maximum=3.0),
    Option("speaker_scale", "float", 1.5, "How strongly to follow the voice.", minimum=0.0, maximum=3.0),
    Option("max_patches", "int", MOST_PATCHES, "Longest piece of speech, 6.25 a second.", minimum=1, maximum=MOST_PATCHES, unit=_SECONDS),
    Option("runaway_guard", "bool", True, "End speech that falls silent, or is longer than its text can be."),
    Option("first_chunk_patches", "int", 1, "Patches in the first block.", minimum=1, maximum=MOST_CHUNK_PATCHES, unit=_SECONDS),
    Option("chunk_patches", "int", 4, "Patches in the largest block.", minimum=1, maximum=MOST_CHUNK_PATCHES, unit=_SECONDS),
)  # fmt: skip

LOAD_OPTIONS = (
    Option(
        "most_steps", "int", 0, "Steps that a speech may ask for; 0: the makers' number. Each wants its own memory of what was said.",
        minimum=0, maximum=MOST_STEPS,
    ),
    *FUSING_OPTIONS,
    Option("width", "int", 0, "Streams that one step serves; 0: 8 on a GPU, 4 where there is guidance, 1 on a CPU.", minimum=0, maximum=64),
)  # fmt: skip


def own_options(sampler: "Sampler", most_steps: int) -> tuple[Option, ...]:
    """Those of an opened checkpoint: what its sampler leaves to choose."""
    steps = None if sampler.is_locked else {"default": min(sampler.n_steps, most_steps), "maximum": most_steps}
    narrowed = {"num_steps": steps, "guidance_scale": None if sampler.guidance is None else {"default": sampler.guidance}}
    kept = [option for option in OPTIONS if narrowed.get(option.name, {}) is not None]
    return tuple(replace(option, **narrowed.get(option.name) or {}) for option in kept)
