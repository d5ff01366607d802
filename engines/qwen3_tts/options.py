"""Options and languages of Qwen3-TTS, as data: the catalog's, and those of an opened checkpoint. No torch here."""

from dataclasses import replace

from engines.contract.contract import EngineInfo
from engines.contract.options import Option
from engines.contract.strengths import Strength
from engines.kit.decode.gpu_use import CODEC_BESIDE, FUSING_OPTIONS
from engines.qwen3_tts.config import DIALECT, GenerationConfig, Qwen3Config

__all__ = [
    "AUTO", "CHINESE", "CODES", "DESIGN", "INSTRUCTIONS", "LOAD_OPTIONS", "OPTIONS", "PRESET_LANGUAGES", "PRESET_SEXES", "language_names",
    "narrowed", "speaking_options",
]  # fmt: skip

AUTO = "auto"  # the model decides
DESIGN = "design"  # the built-in speaker of VoiceDesign: a voice that the instructions describe
CHINESE = "zh"  # which speakers of a dialect speak as that
MOST_CHUNK_FRAMES = 64

# Names in `codec_language_id` of the released Base models, and their ISO 639-1 codes. A name that is not here is its own code.
NAMES = {
    "zh": "chinese", "en": "english", "ja": "japanese", "ko": "korean", "de": "german",
    "fr": "french", "ru": "russian", "pt": "portuguese", "es": "spanish", "it": "italian",
}  # fmt: skip
CODES = tuple(NAMES)

# The speakers of the released CustomVoice models, the one that speaks unasked first; languages and sexes as their makers describe them.
PRESET_LANGUAGES = {
    "vivian": "zh", "serena": "zh", "uncle_fu": "zh", "dylan": "zh", "eric": "zh", "ryan": "en", "aiden": "en", "ono_anna": "ja",
    "sohee": "ko",
}  # fmt: skip
_WOMEN = ("vivian", "serena", "ono_anna", "sohee")
PRESET_SEXES = {name: "female" if name in _WOMEN else "male" for name in PRESET_LANGUAGES}

MOST_INSTRUCTIONS = 1_000  # characters; the makers' longest example of a described voice has some 350
INSTRUCTIONS = Option(
    "instructions", "text", "", "How to speak, or who speaks: a young woman, gentle and slow. In any of the languages.",
    maximum=MOST_INSTRUCTIONS,
)  # fmt: skip

# Names are those of the official package's generate_voice_clone and of vLLM-Omni's speech API; defaults those of the former. runaway_guard
# is ours: the package speaks to max_new_tokens.
OPTIONS = (
    Option("language", "choice", AUTO, "Language of the text; the model tells by itself when it is auto.", choices=(AUTO, *CODES)),
    Option("seed", "int", 0, "Draws the choices: the same seed speaks the same way.", minimum=0, maximum=2**63 - 1),
    Option("temperature", "float", 0.9, "Liveliness of the delivery; 0 always takes the likeliest.", minimum=0.0, maximum=2.0),
    Option("top_k", "int", 50, "Choose among this many codes; 0 for all.", minimum=0, maximum=3072),
    Option("top_p", "float", 1.0, "Choose among the likeliest codes that reach this probability.", minimum=0.01, maximum=1.0),
    Option("repetition_penalty", "float", 1.05, "Makes codes that were used before less likely.", minimum=1.0, maximum=2.0),
    Option("subtalker_temperature", "float", 0.9, "Temperature of the fine codes of a frame.", minimum=0.0, maximum=2.0),
    Option("subtalker_top_k", "int", 50, "top_k of the fine codes.", minimum=0, maximum=2048),
    Option("subtalker_top_p", "float", 1.0, "top_p of the fine codes.", minimum=0.01, maximum=1.0),
    Option("max_new_tokens", "int", 8192, "Longest speech, 12.5 a second; the last one is not heard.", minimum=2, maximum=8192),
    Option("runaway_guard", "bool", True, "End speech that loops, falls silent, or is longer than its text can be."),
    Option("non_streaming_mode", "bool", False, "Read the whole text before speaking, instead of along with it."),
    Option("x_vector_only_mode", "bool", False, "Clone from the speaker embedding alone, even where the words of the clip are known."),
    Option(
        "initial_codec_chunk_frames", "int", 1, "Frames in the first block; 0 for 1.", minimum=0, maximum=MOST_CHUNK_FRAMES, unit="80 ms"
    ),
    Option("codec_chunk_frames", "int", 8, "Frames in the largest block.", minimum=1, maximum=MOST_CHUNK_FRAMES, unit="80 ms"),
)

# With half a second of silence behind the clip less of its last sound is heard where speech begins; the official package adds none.
LOAD_OPTIONS = (
    Option(
        "trailing_silence_seconds", "float", 0.0, "Silence put behind every clip; part of all keys.", minimum=0.0, maximum=2.0, unit="s"
    ),
    Option("compile", "bool", False, "Let torch.compile fuse the layers of talker and predictor; opening takes a minute longer."),
    *FUSING_OPTIONS,
    CODEC_BESIDE,
    Option(
        "width", "int", 0, "Streams that one step serves; 0: 8 or 16 on a GPU, as its free memory says, 1 on a CPU.", minimum=0, maximum=64
    ),
)


def speaking_options(*, instructed: bool) -> tuple[Option, ...]:
    """Of models with voices of their own, which read the whole text first unless they are told otherwise, as generate_custom_voice does.

    instructed: they obey instructions.
    """
    options = tuple(option for option in OPTIONS if option.name != "x_vector_only_mode")
    options = tuple(replace(option, default=True) if option.name == "non_streaming_mode" else option for option in options)
    return (INSTRUCTIONS, *options) if instructed else options


def language_names(config: Qwen3Config) -> dict[str, str]:
    """Code -> name in the checkpoint, of every language that can be asked for, the known ones in their order first; dialects cannot."""
    spoken = {name.casefold(): name for name in config.talker.codec_language_id if DIALECT not in name.casefold()}
    known = {code: spoken.pop(name) for code, name in NAMES.items() if name in spoken}
    return known | spoken


def narrowed(info: EngineInfo, config: Qwen3Config, trailing_silence_seconds: float, *, learns: bool) -> EngineInfo:
    """What the engine declares once its checkpoint is known: who speaks, languages, width of embeddings, the makers' own defaults.

    learns: the checkpoint has what learns a voice. Silence added behind a clip changes what is extracted from it, so that it belongs to the
    extractor's revision and to all keys.
    """
    codes, is_base = tuple(language_names(config)), config.kind == "base"
    revision = info.extractor_revision + (f"+silence-{trailing_silence_seconds}s" if trailing_silence_seconds else "")
    presets = _presets(config)
    return replace(
        info,
        title="Qwen3-TTS" + {"0b6": " 0.6B", "1b7": " 1.7B"}.get(config.size, "") + TITLES[config.kind],
        languages=codes,
        options=_options(config, codes),
        clones_clips=learns,
        presets=presets,
        default_preset=next((name for name in presets if name != DESIGN), None),
        designed_preset=DESIGN if DESIGN in presets else None,
        preset_languages={name: PRESET_LANGUAGES[name] for name in presets if PRESET_LANGUAGES.get(name) in codes},
        preset_sexes={name: PRESET_SEXES[name] for name in presets if name in PRESET_SEXES},
        embedding_size=config.talker.hidden_size if learns else None,
        extractor_revision=revision,
        reads_along=is_base,
        best_at=BEST_AT[config.kind],
    )


BEST_AT: dict[str, tuple[Strength, ...]] = {
    "base": ("cloning", "text_along"),
    "custom_voice": ("built_in_voices", "directed_speech"),
    "voice_design": ("described_voices",),
}
TITLES = {"base": "", "custom_voice": " CustomVoice", "voice_design": " VoiceDesign"}


def _presets(config: Qwen3Config) -> tuple[str, ...]:
    """The released ones in our order, others as the file has them, the described voice last."""
    names = [speaker.name for speaker in config.speakers]
    known = [name for name in PRESET_LANGUAGES if name in names]
    return (*known, *(name for name in names if name not in known), *([DESIGN] if config.kind == "voice_design" else []))


def _options(config: Qwen3Config, codes: tuple[str, ...]) -> tuple[Option, ...]:
    """instructions where they are obeyed, and the makers' own defaults."""
    own = OPTIONS if config.kind == "base" else speaking_options(instructed=config.obeys_instructions)
    defaults = _defaults(config.generation)
    own = tuple(replace(option, default=defaults.get(option.name, option.default)) for option in own)
    return tuple(replace(option, choices=(AUTO, *codes)) if option.name == "language" else option for option in own)


def _defaults(generation: GenerationConfig) -> dict[str, float | int]:
    """Options that generation_config.json decides; where it says not to sample, the likeliest is taken."""
    return {
        "temperature": generation.temperature if generation.do_sample else 0.0,
        "top_k": generation.top_k,
        "top_p": generation.top_p,
        "repetition_penalty": generation.repetition_penalty,
        "subtalker_temperature": generation.subtalker_temperature if generation.subtalker_dosample else 0.0,
        "subtalker_top_k": generation.subtalker_top_k,
        "subtalker_top_p": generation.subtalker_top_p,
        "max_new_tokens": generation.max_new_tokens,
    }
