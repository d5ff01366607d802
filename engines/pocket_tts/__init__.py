"""Pocket TTS: clones a voice from a clip without its words, and speaks in real time on one core of a CPU. Importing this loads no torch."""

from collections.abc import Mapping
from dataclasses import replace

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.kit.decode.hub_package import hub_package
from engines.pocket_tts.languages import limit_of
from engines.pocket_tts.options import LOAD_OPTIONS, OPTIONS, SIZES
from engines.pocket_tts.released import OPEN, released_model
from engines.pocket_tts.weights import PRESETS, PocketWeights

__all__ = ["PACKAGE"]

_WEIGHTS = PocketWeights()
_WITHOUT_CLONING = "Natural speech in built-in voices, on one core of a CPU. These weights clone no voice; those of kyutai/pocket-tts do."

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
    language = released_model(str(settings["variant"])).language
    spoken = dict.fromkeys(info.presets, language)
    info = replace(info, languages=(language,), language_limits=(limit_of(language),), preset_languages=spoken)
    if checkpoint != OPEN:
        return info
    return replace(info, clones_clips=False, summary=_WITHOUT_CLONING, best_at=("cpu_speech", "built_in_voices"))


PACKAGE = hub_package(_INFO, _WEIGHTS, tuple(SIZES), "engines.pocket_tts.opening", info_of=_info_of)
