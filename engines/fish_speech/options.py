"""Options, languages and marks of Fish Audio S2 Pro, as data. No torch here."""

from engines.contract.options import Option
from engines.kit.decode.gpu_use import CODEC_BESIDE, FUSING_OPTIONS

__all__ = ["ANY", "LANGUAGES", "LOAD_OPTIONS", "MARKUP", "OPTIONS"]

ANY = "any"  # the built-in speaker: whoever the seed draws
MOST_INSTRUCTIONS = 60  # characters, as many as a mark in brackets may have in a text
MOST_FRAMES = 2048  # of a piece of text: what the official code leaves of its context behind the longest prompt
MOST_CHUNK_FRAMES = 64

# Those that the makers call best supported, in their order, of the more than 80 that they say it was trained on.
LANGUAGES = ("ja", "en", "zh", "ko", "es", "pt", "ar", "ru", "fr", "de")

# Free words in brackets, [whisper], [laugh], direct the delivery; phonemes stand between two tokens; <|speaker:1|> is plain text.
MARKUP = (r"\[[^\[\]<>\n]{1,60}\]", r"<\|phoneme_(?:start|end)\|>", r"<\|speaker:\d{1,2}\|>")

# Names of the official server's schema and defaults of it; the chunks' are those of Qwen3-TTS.
OPTIONS = (
    Option(
        "instructions", "text", "", "How to speak, in a few words: whisper, excited, low voice. They go before the text, in brackets.",
        maximum=MOST_INSTRUCTIONS,
    ),
    Option("seed", "int", 0, "Draws the choices: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("temperature", "float", 0.8, "Liveliness of the delivery; 0 takes the likeliest.", minimum=0.0, maximum=2.0),
    Option("top_p", "float", 0.8, "Choose among the likeliest codes within this probability.", minimum=0.01, maximum=1.0),
    Option("top_k", "int", 30, "Choose among this many codes; 0 for all.", minimum=0, maximum=4096),
    Option(
        "max_new_tokens", "int", 1024, "Longest speech of one piece of the text, 21.5 a second; the last one is not heard.",
        minimum=2, maximum=MOST_FRAMES,
    ),
    Option("context_pieces", "int", 0, "Go on from the piece of text before: 1 keeps the tone, and costs time.", minimum=0, maximum=1),
    Option("runaway_guard", "bool", True, "End speech that loops, falls silent, or is longer than its text can be."),
    Option("initial_codec_chunk_frames", "int", 2, "Frames in the first block.", minimum=1, maximum=MOST_CHUNK_FRAMES, unit="46 ms"),
    Option("codec_chunk_frames", "int", 16, "Frames in the largest block.", minimum=1, maximum=MOST_CHUNK_FRAMES, unit="46 ms"),
)  # fmt: skip

LOAD_OPTIONS = (
    Option("codes_in_marks", "bool", False, "Put recordings between <|audio_start|> and <|audio_end|>, as vLLM-Omni does."),
    *FUSING_OPTIONS,
    CODEC_BESIDE,
    Option(
        "width", "int", 0, "Streams that one step serves; 0: 8 or 16 on a GPU, as its free memory says, 1 on a CPU.", minimum=0, maximum=64
    ),
)
