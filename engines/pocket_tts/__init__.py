"""Pocket TTS: clones a voice from a clip without its words, and speaks in real time on one core of a CPU. Importing this loads no torch."""

from collections.abc import Mapping
from dataclasses import replace

from engines.contract.contract import EngineInfo
from engines.contract.language_limit import LanguageLimit
from engines.contract.license import License
from engines.contract.options import Value, text_option
from engines.kit.decode.hub_package import hub_package
from engines.pocket_tts.options import LOAD_OPTIONS, OPTIONS, SIZES
from engines.pocket_tts.released import OPEN, released_model
from engines.pocket_tts.weights import PRESETS, PocketWeights

__all__ = ["PACKAGE"]

_WEIGHTS = PocketWeights()
_WITHOUT_CLONING = "Natural speech in built-in voices, on one core of a CPU. These weights clone no voice; those of kyutai/pocket-tts do."

# Letters of Unicode's scripts beyond Latin, from Greek to Hangul and in the planes behind; neither punctuation nor emoji.
OTHER_LETTERS = (
    "[\u0370-\u1cff\u2c00-\u2c5f\u2c80-\u2dff\u3041-\u318f\u31a0-\u31ff\u3400-\ud7ff\uf900-\ufaff"
    "\U00010000-\U0001cfff\U00020000-\U000323af]"
)

_INFO = EngineInfo(
    id="pocket_tts",
    title="Pocket TTS",
    summary="Natural speech in the voice of a recording, without its words, on one core of a CPU, in the language of the chosen variant.",
    best_at=("cpu_speech", "cloning"),
    licenses=(License("CC-BY-4.0", "https://huggingface.co/kyutai/pocket-tts"),),
    attribution="Pocket TTS by Kyutai, CC BY 4.0; the voice alba is Alba MacKenna's, CC BY 4.0",
    restriction="cloning a voice without its owner's explicit and lawful consent, and deception",
    sample_rate=24_000,
    streams="frame",
    transcript="unused",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=("en", "fr", "de", "it", "es", "pt", "nl"),
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_WEIGHTS.released_bytes(),
    presets=PRESETS,
    default_preset="alba",
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    load_options=LOAD_OPTIONS,
    suits_cpu=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _info_of(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
    """Every model speaks one language; the open weights come without what learns a voice."""
    language = released_model(text_option(settings, "variant")).language
    spoken = dict.fromkeys(info.presets, language)
    info = replace(info, languages=(language,), language_limits=(_limit_of(language),), preset_languages=spoken)
    if checkpoint != OPEN:
        return info
    return replace(info, clones_clips=False, summary=_WITHOUT_CLONING, best_at=("cpu_speech", "built_in_voices"))


def _limit_of(language: str) -> LanguageLimit:
    """language: the code of the one that the model speaks. Its tokens are those of Latin texts; of others it reads single bytes."""
    return LanguageLimit(
        language,
        "other scripts",
        "letters of other scripts are no words to this model, and become noise.",
        "Write them in Latin letters, or choose another engine.",
        concerns=OTHER_LETTERS,
        unasked=OTHER_LETTERS,
    )


PACKAGE = hub_package(_INFO, _WEIGHTS, tuple(SIZES), "engines.pocket_tts.opening", info_of=_info_of)
