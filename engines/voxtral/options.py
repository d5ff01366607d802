"""Voices, languages and options of Voxtral TTS, as data. No torch here."""

from collections.abc import Sequence

from engines.contract.options import Option
from engines.contract.prompt_form import PromptForm
from engines.kit.decode.gpu_use import CODEC_BESIDE, FUSING_OPTIONS

__all__ = [
    "CODES",
    "DEFAULT_PRESET",
    "EMBEDDINGS",
    "LANGUAGES",
    "LOAD_OPTIONS",
    "MOST_VOICE_FRAMES",
    "OPTIONS",
    "PRESETS",
    "PRESET_LANGUAGES",
    "RELEASED_VOICES",
    "prompt_forms",
]

# Built-in voices in the order of params.json, which numbers them.
RELEASED_VOICES = (
    "casual_female", "casual_male", "cheerful_female", "neutral_female", "neutral_male",
    "pt_male", "pt_female", "nl_male", "nl_female", "it_male", "it_female", "fr_male", "fr_female",
    "es_male", "es_female", "de_male", "de_female", "ar_male", "hi_male", "hi_female",
)  # fmt: skip

LANGUAGES = ("en", "fr", "es", "pt", "it", "nl", "de", "ar", "hi")  # in the makers' order

# The voices of the release, a file each in voice_embedding/. Those without a language in their name speak English.
PRESETS = (
    "casual_female", "casual_male", "cheerful_female", "neutral_female", "neutral_male",
    "fr_female", "fr_male", "es_female", "es_male", "pt_female", "pt_male", "it_female", "it_male",
    "nl_female", "nl_male", "de_female", "de_male", "ar_male", "hi_female", "hi_male",
)  # fmt: skip
PRESET_LANGUAGES = {name: name.split("_")[0] if name.split("_")[0] in LANGUAGES else "en" for name in PRESETS}
DEFAULT_PRESET = "neutral_female"

MOST_FRAMES = 2048  # of a piece of text: 164 s
MOST_VOICE_FRAMES = 375  # of a voice: 30 s
MOST_CHUNK_FRAMES = 64
EMBEDDINGS, CODES = "embeddings", "codes"  # forms of a voice

OPTIONS = (
    Option("seed", "int", 0, "Draws the noise: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("cfg_alpha", "float", 1.2, "How closely the sound follows what is said; 1 is without guidance.", minimum=1.0, maximum=3.0),
    Option("max_new_tokens", "int", 1500, "Longest speech of one piece of the text, 12.5 a second.", minimum=1, maximum=MOST_FRAMES),
    Option("runaway_guard", "bool", True, "End speech that loops, falls silent, or is longer than its text can be."),
    Option("initial_codec_chunk_frames", "int", 1, "Frames in the first block.", minimum=1, maximum=MOST_CHUNK_FRAMES, unit="80 ms"),
    Option("codec_chunk_frames", "int", 8, "Frames in the largest block.", minimum=1, maximum=MOST_CHUNK_FRAMES, unit="80 ms"),
)  # fmt: skip

LOAD_OPTIONS = (
    *FUSING_OPTIONS,
    CODEC_BESIDE,
    Option(
        "width", "int", 0, "Streams that one step serves; 0: 8 or 16 on a GPU, as its free memory says, 1 on a CPU.", minimum=0, maximum=64
    ),
)


def prompt_forms(width: int, codebook_sizes: Sequence[int]) -> tuple[PromptForm, ...]:
    """What other tools may make a voice of: rows as the built-in ones are published, and codes that the codec's encoder would give."""
    rows = PromptForm(EMBEDDINGS, (None, width), MOST_VOICE_FRAMES + 1)  # the last one says that the recording has ended
    return rows, PromptForm(CODES, (len(codebook_sizes), None), MOST_VOICE_FRAMES, is_codes=True, sizes=tuple(codebook_sizes))
