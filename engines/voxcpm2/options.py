"""Options and languages of VoxCPM2, as data. No torch here."""

from engines.contract.options import Option
from engines.kit.decode.gpu_use import FUSING_OPTIONS

__all__ = ["BOTH", "CONTINUATION", "DESIGN", "LANGUAGES", "LOAD_OPTIONS", "OPTIONS", "REFERENCE"]

REFERENCE, CONTINUATION, BOTH = "reference", "continuation", "both"
DESIGN = "design"  # the built-in speaker: a voice that the instructions describe
MOST_INSTRUCTIONS = 500  # characters; the makers' examples have some 50
MOST_CHUNK_PATCHES = 16
MOST_PATH = 4096  # characters, as Linux bounds a path

# The 30 of the makers' list (README of voxcpm 2.0.3), in which Tagalog and Chinese stand for Filipino and its dialects.
LANGUAGES = (
    "en", "zh", "ar", "my", "da", "nl", "fi", "fr", "de", "el", "he", "hi", "id", "it", "ja", "km", "ko", "lo", "ms", "no", "pl", "pt",
    "ru", "es", "sw", "sv", "tl", "th", "tr", "vi",
)  # fmt: skip

# Names and defaults of cfg_value and inference_timesteps are those of the official generate; max_len there is max_patches here.
OPTIONS = (
    Option(
        "mode", "choice", REFERENCE, "Speak in the voice of the recording, go on from its end, or both; the latter two need its words.",
        choices=(REFERENCE, CONTINUATION, BOTH),
    ),
    Option(
        "instructions", "text", "", "How to speak, or who speaks: a young woman, gentle and slow. Without, a designed voice is any.",
        maximum=MOST_INSTRUCTIONS,
    ),
    Option("seed", "int", 0, "Draws the noise: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("cfg_value", "float", 2.0, "How closely to follow text and voice.", minimum=1.0, maximum=5.0),
    Option("inference_timesteps", "int", 10, "Steps from noise to sound; more are finer and slower.", minimum=2, maximum=50),
    Option("max_patches", "int", 4096, "Longest speech, 6.25 a second.", minimum=4, maximum=4096, unit="160 ms"),
    Option("runaway_guard", "bool", True, "End speech that falls silent, or is longer than its text can be."),
    Option("normalize", "bool", False, "Write numbers and signs as words first; needs the library wetext."),
    Option("first_chunk_patches", "int", 1, "Patches in the first block.", minimum=1, maximum=MOST_CHUNK_PATCHES, unit="160 ms"),
    Option("chunk_patches", "int", 4, "Patches in the largest block.", minimum=1, maximum=MOST_CHUNK_PATCHES, unit="160 ms"),
)  # fmt: skip

LOAD_OPTIONS = (
    Option("lora", "text", "", "Folder with lora_weights.safetensors and lora_config.json, folded into the weights.", maximum=MOST_PATH),
    *FUSING_OPTIONS,
    Option(
        "width", "int", 0, "Streams that one step serves; 0: 8 or 16 on a GPU, as its free memory says, 1 on a CPU.", minimum=0, maximum=64
    ),
)
