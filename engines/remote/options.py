"""Options of a remote engine, as data: how it is opened, and what its servers are told about one speech."""

from engines.contract.options import Option
from engines.remote.languages import CODES

__all__ = ["LANGUAGE", "LOAD_OPTIONS", "OPENAI", "OPENAI_OPTIONS", "VLLM_OMNI", "VLLM_OMNI_OPTIONS"]

VLLM_OMNI, OPENAI = "vllm_omni", "openai"
MOST_LIST_CHARACTERS = 2_000

# Of vLLM-Omni 0.30.0; no model of it takes more words of manner.
_INSTRUCTIONS = Option("instructions", "text", "", "How to speak, where the server's model takes that.", maximum=500)
LANGUAGE = Option("language", "choice", None, "Language of the text; the server tells by itself when left out.", choices=CODES)
OPENAI_OPTIONS = (_INSTRUCTIONS,)
VLLM_OMNI_OPTIONS = (
    LANGUAGE,
    _INSTRUCTIONS,
    Option("seed", "int", 0, "Draws the choices, as far as the server keeps to it.", minimum=0, maximum=2**63 - 1),
    Option(
        "initial_codec_chunk_frames",
        "int",
        None,
        "Frames in the first block, where the server's model has such; without, what the server wants.",
        minimum=0,
        maximum=1_000,
    ),
)

LOAD_OPTIONS = (
    Option("model", "text", "", "Which of the servers' models; without, the one that they serve.", maximum=200),
    Option("key", "secret", "", "Sent to the servers as the bearer of each request.", maximum=1_000),
    Option("title", "text", "", "What people see of the engine; without, its model or host.", maximum=60),
    Option("dialect", "choice", VLLM_OMNI, "What the servers understand: openai has built-in voices alone.", choices=(VLLM_OMNI, OPENAI)),
    Option(
        "languages", "text", "", "What the model speaks: codes between commas; without, what Qwen3-TTS does.", maximum=MOST_LIST_CHARACTERS
    ),
    Option(
        "presets", "text", "", "Built-in voices, between commas; without, those that the servers list.", maximum=MOST_LIST_CHARACTERS
    ),
    Option(
        "transcript",
        "choice",
        "optional",
        "Whether the model wants the words of a recording.",
        choices=("optional", "required", "unused"),
    ),
    Option(
        "sample_rate", "int", 24_000, "Rate of the speech; what comes at another is resampled.", minimum=8_000, maximum=48_000, unit="Hz"
    ),
    Option("inline", "bool", False, "Send the recording with each request: the servers keep traces that no deletion reaches."),
    Option("ledger", "text", "", "Folder where it is written which servers were given which recording.", maximum=4_096),
    Option(
        "first_audio_seconds", "float", 20.0, "A server without a sound for so long is left for another.",
        minimum=0.1, maximum=600.0, unit="s",
    ),
    Option("gap_seconds", "float", 10.0, "A speech that stands still for so long is broken off.", minimum=0.1, maximum=600.0, unit="s"),
    Option("connect_seconds", "float", 2.0, "One not reached for so long is left for another.", minimum=0.1, maximum=60.0, unit="s"),
)  # fmt: skip
