"""Pocket TTS: clones a voice from a clip without its words, and speaks in real time on one core of a CPU. Importing this loads no torch."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Value, int_option, text_option
from engines.kit.decode.hub_package import EngineParts, hub_package
from engines.pocket_tts.languages import limit_of
from engines.pocket_tts.options import LOAD_OPTIONS, OPTIONS, SIZES
from engines.pocket_tts.released import OPEN, released_model
from engines.pocket_tts.weights import PRESETS, PocketFiles, PocketWeights

if TYPE_CHECKING:
    import torch

    from engines.pocket_tts.networks import PocketNetworks

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
    language = released_model(text_option(settings, "variant")).language
    spoken = dict.fromkeys(info.presets, language)
    info = replace(info, languages=(language,), language_limits=(limit_of(language),), preset_languages=spoken)
    if checkpoint != OPEN:
        return info
    return replace(info, clones_clips=False, summary=_WITHOUT_CLONING, best_at=("cpu_speech", "built_in_voices"))


def _where(device: str | None, dtype: str | None) -> "tuple[torch.device, torch.dtype | None]":
    from engines.pocket_tts.placement import choose_place

    return choose_place(device, dtype)


def _read(files: PocketFiles, device: "torch.device", dtype: "torch.dtype | None", settings: Mapping[str, Value]) -> "PocketNetworks":
    """device: the CPU. dtype: of the language model's layers; None for the one that suits them."""
    from engines.pocket_tts.config_file import read_config
    from engines.pocket_tts.networks import read_networks
    from engines.pocket_tts.placement import suiting_dtype

    config = read_config(files.config) if files.config else released_model(text_option(settings, "variant")).config
    return read_networks(files, config, dtype or suiting_dtype(config))


def _draw(size: str, device: "torch.device", dtype: "torch.dtype | None") -> "PocketNetworks":
    from engines.pocket_tts.placement import suiting_dtype
    from engines.pocket_tts.random_networks import random_networks

    return random_networks(size, dtype or suiting_dtype(released_model(SIZES[size]).config))


def _engine(info: EngineInfo, networks: "PocketNetworks", settings: Mapping[str, Value]) -> Engine:
    from engines.pocket_tts.engine import PocketEngine

    return PocketEngine(info, networks, width=int_option(settings, "width"))


PACKAGE = hub_package(_INFO, _WEIGHTS, tuple(SIZES), EngineParts(_read, _draw, _engine, _where, _info_of))
