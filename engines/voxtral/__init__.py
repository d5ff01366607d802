"""Voxtral 4B TTS: twenty voices in nine languages at 24 kHz, in packets of 80 ms. Importing this loads no torch."""

from collections.abc import Mapping
from dataclasses import replace

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.kit.decode.hub_package import hub_package
from engines.kit.weights.weights import HubWeights
from engines.voxtral.options import DEFAULT_PRESET, LANGUAGES, LOAD_OPTIONS, OPTIONS, PRESET_LANGUAGES, PRESETS, prompt_forms

__all__ = ["PACKAGE"]

_DEFAULT, _SIZE = "mistralai/Voxtral-4B-TTS-2603", "4B"
_RELEASED_BYTES = {_DEFAULT: 8_037_623_041}  # of the files below, as published

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=("params.json", "tekken.json", "consolidated.safetensors", "voice_embedding/*.pt", "LICENSE*"),
    needed=("params.json", "tekken.json", "consolidated.safetensors"),
    optional=("voice_embedding/*.pt",),  # a voice whose file is not there is no preset of the engine that is opened
    released_bytes=_RELEASED_BYTES,
    notice="Voxtral-4B-TTS-2603 and its voices, by Mistral AI, are licensed under CC BY-NC 4.0: https://creativecommons.org/licenses/by-nc/4.0/",
)

_CLONING = "Twenty built-in voices, or that of a recording, a packet of 80 ms at a time. Wants a GPU."

_INFO = EngineInfo(
    id="voxtral",
    title="Voxtral 4B TTS",
    summary="Twenty built-in voices, a packet of 80 ms at a time. These weights clone no voice. Wants a GPU.",
    best_at=("quick_sound", "built_in_voices"),
    licenses=(License("CC BY-NC 4.0", "https://huggingface.co/mistralai/Voxtral-4B-TTS-2603"),),
    attribution="Voxtral TTS by Mistral AI, CC BY-NC 4.0",
    restriction="commercial use",
    sample_rate=24_000,
    streams="frame",
    transcript="unused",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=LANGUAGES,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_RELEASED_BYTES[_DEFAULT],
    clones_clips=False,
    presets=PRESETS,
    default_preset=DEFAULT_PRESET,
    preset_languages=PRESET_LANGUAGES,
    prompt_forms=prompt_forms(3072, (8192,) + (21,) * 36),
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _info_of(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
    """Weights that hold what learns a voice clone recordings, which the released ones do not. Looks at names in a file that is here."""
    from engines.voxtral.encoder_names import holds_encoder

    here = _WEIGHTS.is_here(checkpoint) and holds_encoder(_WEIGHTS.resolve(checkpoint))
    return replace(info, clones_clips=True, summary=_CLONING) if here else info


PACKAGE = hub_package(_INFO, _WEIGHTS, (_SIZE,), "engines.voxtral.opening", info_of=_info_of)
