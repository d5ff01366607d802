"""Options of Pocket TTS, as data. No torch here."""

from engines.contract.options import Option

__all__ = ["DEFAULT_VARIANT", "LOAD_OPTIONS", "OPTIONS", "SIZES", "VARIANTS"]

DEFAULT_VARIANT = "english"
MOST_FRAMES = 1000  # of a piece of text: 80 s; a piece of 50 tokens is allowed 234

# The makers' names of models, which are the folders of the repositories.
VARIANTS = (
    "english", "english_18m_2026-10", "english_7m_2026-10", "english_2m_2026-10", "english_18m_refl_2026-10", "english_7m_refl_2026-10",
    "english_2m_refl_2026-10", "english_2026-10", "english_2026-09", "english_2026-09_2", "english_2026-09_24l", "english_2026-04",
    "english_2026-04_24l", "english_2026-01", "english_drifting_26-09", "french", "french_24l", "german", "german_24l", "italian",
    "italian_24l", "portuguese", "portuguese_24l", "spanish", "spanish_24l", "dutch", "dutch_24l",
)  # fmt: skip

# What random networks can be drawn of, and the model that has that size.
SIZES = {
    "100M": "english", "24l": "english_2026-09_24l", "18M": "english_18m_2026-10", "7M": "english_7m_2026-10", "2M": "english_2m_2026-10",
}  # fmt: skip

OPTIONS = (
    Option("seed", "int", 0, "Draws the noise: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("temperature", "float", None, "Liveliness of the delivery; without, what the model wants (0.3).", minimum=0.0, maximum=2.0),
    Option("decode_steps", "int", 1, "Steps from noise to sound, where the model takes several; more are finer.", minimum=1, maximum=16),
    Option("max_frames", "int", MOST_FRAMES, "Longest speech of a piece of the text, 12.5 a second.", minimum=2, maximum=MOST_FRAMES),
    Option("runaway_guard", "bool", True, "End speech that falls silent, or is longer than its text can be."),
    Option("first_chunk_frames", "int", 1, "Frames in the first block.", minimum=1, maximum=16, unit="80 ms"),
    Option("chunk_frames", "int", 4, "Frames in the largest block.", minimum=1, maximum=16, unit="80 ms"),
)  # fmt: skip

LOAD_OPTIONS = (
    Option("variant", "choice", DEFAULT_VARIANT, "Which of the released models: language and size.", choices=VARIANTS),
    Option("width", "int", 0, "Streams that one step serves; 0: as many as pay.", minimum=0, maximum=64),
)
