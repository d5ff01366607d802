"""Pocket TTS: clones a voice from a clip without its words and speaks in real time on one core of a CPU. Importing this loads no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract import Engine, EngineInfo
from engines.layers.hub_package import EngineParts, hub_package
from engines.layers.weights import HubWeights
from engines.licence import Licence
from engines.options import Value
from engines.pocket_tts.options import LOAD_OPTIONS, OPTIONS, SIZES

if TYPE_CHECKING:
    import torch

    from engines.pocket_tts.networks import PocketNetworks

__all__ = ["PACKAGE"]

_DEFAULT = "kyutai/pocket-tts"
_WEIGHTS = HubWeights(repository=_DEFAULT, patterns=("model.safetensors",), needed=("model.safetensors",))

_INFO = EngineInfo(
    id="pocket_tts",
    title="Pocket TTS",
    summary="Natural speech in the voice of a recording, without its words, on one core of a CPU; in English or one of six languages.",
    licences=(Licence("CC-BY-4.0", "https://huggingface.co/kyutai/pocket-tts"),),
    sample_rate=24_000,
    streams="frame",
    transcript="unused",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=("en", "fr", "de", "it", "es", "pt", "nl"),
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=219_029_196,
    presets=("alba", "caro_davy", "bill_boerst", "peter_yearsley", "stuart_bell", "marius", "javert"),
    default_preset="alba",
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    load_options=LOAD_OPTIONS,
    suits_cpu=True,
    attribution="Pocket TTS by Kyutai, CC BY 4.0",
    restriction="cloning a voice without its owner's explicit and lawful consent, and deception",
    hub_id=_WEIGHTS.hub_id(),
)


def _read(folder: Path, device: "torch.device", dtype: "torch.dtype", settings: Mapping[str, Value]) -> "PocketNetworks":
    from engines.pocket_tts.networks import read_networks

    return read_networks(folder, device, dtype)


def _draw(size: str, device: "torch.device", dtype: "torch.dtype") -> "PocketNetworks":
    from engines.pocket_tts.random_networks import random_networks

    return random_networks(size, device, dtype)


def _engine(info: EngineInfo, networks: "PocketNetworks", settings: Mapping[str, Value]) -> Engine:
    from engines.pocket_tts.engine import PocketEngine

    return PocketEngine(info, networks, width=settings["width"])


PACKAGE = hub_package(_INFO, _WEIGHTS, tuple(SIZES), EngineParts(_read, _draw, _engine))
