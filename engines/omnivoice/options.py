"""Options of OmniVoice, as data. No torch here."""

from engines.contract.options import Option
from engines.kit.decode.gpu_use import FUSING_OPTIONS
from engines.omnivoice.languages import LANGUAGES, language_names
from engines.omnivoice.text.pieces import FIRST_FRAMES, MOST_FRAMES
from engines.omnivoice.text.voice_attributes import ATTRIBUTES

__all__ = ["DESIGN", "LOAD_OPTIONS", "OPTIONS"]

DESIGN = "design"  # the built-in speaker: a voice that the instructions describe, or any
MOST_INSTRUCTIONS = 200  # characters; one of each kind makes some 80
MOST_SECONDS = 600.0
MOST_PATH = 4096  # characters, as Linux bounds a path

# Names and defaults of num_step to postprocess_output are those of the official OmniVoiceGenerationConfig.
OPTIONS = (
    Option(
        "language", "choice", None, "Language of the text, by its ID; without one the model hears it from the text.", choices=LANGUAGES,
        labels=tuple(language_names().values()),
    ),
    Option(
        "instructions", "text", "", "Who speaks, or how, by known words: female, elderly, low pitch, whisper, british accent.",
        maximum=MOST_INSTRUCTIONS, suggestions=tuple(map(tuple, ATTRIBUTES.values())),
    ),
    Option("seed", "int", 0, "Draws the order of settling: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("speed", "float", 1.0, "Speaking rate.", minimum=0.25, maximum=4.0, unit="x"),
    Option(
        "duration", "float", 0.0, "Length of the speech; 0: as the text and the voice's pace want it.",
        minimum=0.0, maximum=MOST_SECONDS, unit="s",
    ),
    Option("num_step", "int", 32, "Steps in which a sentence is settled: 16 are twice as fast, and rougher.", minimum=4, maximum=64),
    Option("guidance_scale", "float", 2.0, "How closely to follow text and voice.", minimum=0.0, maximum=10.0),
    Option("t_shift", "float", 0.1, "Below 1 early steps settle less.", minimum=0.01, maximum=1.0),
    Option("layer_penalty_factor", "float", 5.0, "How much later the finer codes are settled.", minimum=0.0, maximum=50.0),
    Option("position_temperature", "float", 5.0, "Liveliness of the delivery; 0 leaves nothing to chance.", minimum=0.0, maximum=50.0),
    Option("class_temperature", "float", 0.0, "Chance in the codes themselves; 0 takes the likeliest.", minimum=0.0, maximum=2.0),
    Option("denoise", "bool", True, "Clean speech, also of a noisy recording."),
    Option("normalize_text", "bool", False, "Chinese and English: write numbers and signs as words first; needs the library wetext."),
    Option("postprocess_output", "bool", True, "Shorten long silences."),
    Option(
        "first_frames", "int", FIRST_FRAMES, "Longest first piece of a text, so that sound begins early; 0: as long as the others.",
        minimum=0, maximum=MOST_FRAMES, unit="40 ms",
    ),
    Option("first_clause", "bool", False, "Begin with a clause of about 1 s: sound comes sooner, and the clause has a melody of its own."),
    Option(
        "first_steps", "int", 0, "Steps of the first piece; 0: num_step. 16 or 8 sound sooner, by other codes: rougher.",
        minimum=0, maximum=64,
    ),
)  # fmt: skip

LOAD_OPTIONS = (
    Option(
        "lora", "text", "", "Folder with adapter_config.json and adapter_model.safetensors, folded into the weights.", maximum=MOST_PATH
    ),
    *FUSING_OPTIONS,
    Option("loop_graphs", "bool", True, "On a GPU: all steps of the first piece in one graph; a stop waits for them."),
    Option("width", "int", 0, "Sentences of one length that one step serves; 0: 4 on a GPU, 1 on a CPU.", minimum=0, maximum=16),
)
