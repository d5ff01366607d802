"""Options and languages of Fun-CosyVoice3, and what it reads wrongly in them, as data. No torch here."""

from engines.contract.language_limit import LanguageLimit
from engines.contract.options import Option
from engines.cosyvoice3.text.input_text import AUTO, MODES
from engines.kit.decode.gpu_use import FUSING_OPTIONS

__all__ = ["LANGUAGES", "LANGUAGE_MODELS", "LIMITS", "LOAD_OPTIONS", "OPTIONS"]

# The language model gets no language: it takes a text as it stands.
# The nine of the makers' list (README of CosyVoice @ ace7c47), in its order. Dialects of Chinese are asked for by instructions.
LANGUAGES = ("zh", "en", "ja", "ko", "de", "es", "fr", "it", "ru")

LIMITS = (
    LanguageLimit(
        "ja",
        "kanji and hiragana",
        "kanji and hiragana are misread, often as Chinese; the model learnt Japanese in katakana.",  # a note in upstream's example.py
        "Write it in katakana, with blanks between the words, and as it is said: キョウ ワ イイ テンキ デス。",
        concerns="[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff]",
        unasked="[\u3041-\u3096\u30a1-\u30fa]",
    ),
)

LANGUAGE_MODELS = (
    "llm.pt",
    "llm.rl.pt",
)  # the second, trained on by reinforcement, is in the release, and its makers' code reads the first
MOST_PATH = 4096  # characters, as Linux bounds a path
MOST_INSTRUCTIONS = 200  # characters; the makers' examples have some 50
MOST_TOKENS = 2000  # of a piece of text: 80 s, four times what 80 text tokens usually take

# top_p and top_k as cosyvoice3.yaml of the release has them.
OPTIONS = (
    Option(
        "mode", "choice", AUTO,
        "Go on from the recording, whose words must be known (in_context), or speak in its voice alone (cross_lingual). auto: in_context "
        "where they are known and there are no instructions.",
        choices=MODES,
    ),
    Option(
        "instructions", "text", "", "How to speak, in a sentence: Please say it in a happy tone. Also a dialect of Chinese.",
        maximum=MOST_INSTRUCTIONS,
    ),
    Option("seed", "int", 0, "Draws the choices: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("temperature", "float", 1.0, "Liveliness of the delivery; 0 takes the likeliest.", minimum=0.0, maximum=2.0),
    Option("top_p", "float", 0.8, "Choose among the likeliest tokens within this probability.", minimum=0.01, maximum=1.0),
    Option("top_k", "int", 25, "Choose among this many tokens; 0 for all.", minimum=0, maximum=6561),
    Option("max_tokens", "int", MOST_TOKENS, "Longest speech of one piece of the text, 25 a second.", minimum=2, maximum=MOST_TOKENS),
    Option("normalize", "bool", False, "Write numbers and signs as words first; needs the library wetext."),
    Option("runaway_guard", "bool", True, "End speech that loops, falls silent, or is longer than its text can be."),
)  # fmt: skip

LOAD_OPTIONS = (
    Option("language_model", "choice", LANGUAGE_MODELS[0], "Which of the release's language models.", choices=LANGUAGE_MODELS),
    Option("lora", "text", "",
        "Folder with adapter_config.json and adapter_model.safetensors, folded into the language model.",
        maximum=MOST_PATH,
    ),
    Option(
        "pin_prompt", "int", 2, "Gigabytes for what the flow makes of known voices, which need no reading then: 10 s take 1.8 in float32.",
        minimum=0, maximum=512,
    ),
    *FUSING_OPTIONS,
    Option("width", "int", 0, "Streams that one step serves; 0: 8 on a GPU, 1 on a CPU.", minimum=0, maximum=64),
    Option(
        "flow_rows", "int", 0, "On a GPU: streams that the flow remembers at once, 5.5 GB each; 0: what half of the free memory holds.",
        minimum=0, maximum=64,
    ),
)  # fmt: skip
