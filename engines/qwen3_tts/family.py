"""The packages of Qwen3-TTS 12Hz: how any checkpoint of the family is found and opened, whatever it was trained for. No torch here."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Option, Value, bool_option, float_option, int_option
from engines.contract.package import EnginePackage
from engines.contract.release import Release
from engines.errors import CheckpointInvalid
from engines.kit.decode.hub_package import EngineParts, hub_package
from engines.kit.weights.checkpoint_files import tensor_names
from engines.kit.weights.weights import HubWeights
from engines.qwen3_tts.config import Kind, Qwen3Config
from engines.qwen3_tts.options import CODES, LOAD_OPTIONS, OPTIONS, narrowed

if TYPE_CHECKING:
    import torch

    from engines.qwen3_tts.networks import Networks

__all__ = ["qwen_package"]


def qwen_package(
    engine_id: str, kind: Kind, releases: tuple[Release, ...], options: tuple[Option, ...] = OPTIONS, **declared: object
) -> EnginePackage:
    """The package of one kind, which opens what the others are, too: the checkpoint says what it can do.

    releases: of that kind, the first of which is the default. declared: of EngineInfo, where it is not the same for all of the family.
    """
    weights = _weights(releases)
    info = EngineInfo(
        id=engine_id,
        licenses=(License("Apache-2.0"),),
        sample_rate=24_000,
        streams="frame",
        transcript="optional",
        transcript_shapes_prompt=False,
        extractor_revision="1",
        languages=CODES,
        options=options,
        weights_command=weights.command(),
        weights_bytes=releases[0].weights_bytes,
        least_clip_seconds=1.0,
        most_clip_seconds=30.0,
        most_text_characters=2_000,
        reads=("numbers",),
        load_options=LOAD_OPTIONS,
        wants_gpu=True,
        hub_id=weights.hub_id(),
        **declared,
    )
    package = hub_package(info, weights, tuple(sorted(release.size for release in releases)), _parts(kind, weights))
    return replace(package, releases=releases if len(releases) > 1 else ())


def _weights(releases: tuple[Release, ...]) -> HubWeights:
    return HubWeights(
        repository=releases[0].repository,
        patterns=("*.json", "*.safetensors", "merges.txt", "speech_tokenizer/*"),
        needed=(
            "config.json",
            "vocab.json",
            "merges.txt",
            "model.safetensors|model.safetensors.index.json",
            "speech_tokenizer/config.json",
            "speech_tokenizer/model.safetensors|speech_tokenizer/model.safetensors.index.json",
        ),
        released_bytes={release.repository: release.weights_bytes for release in releases},
    )


def _parts(kind: Kind, weights: HubWeights) -> EngineParts:
    def draw(size: str, device: "torch.device", dtype: "torch.dtype") -> "Networks":
        from engines.qwen3_tts.random_networks import random_networks

        return random_networks(size, device, dtype, kind)

    def info_of(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
        """What its configuration says, where the checkpoint is here: who speaks is known, and asked for, before it is opened."""
        if checkpoint is None:
            return info
        folder = weights.resolve(checkpoint) if weights.is_here(checkpoint) else Path(checkpoint)
        return _known(info, folder)

    return EngineParts(_read, draw, _engine, info_of=info_of)


def _known(info: EngineInfo, folder: Path) -> EngineInfo:
    """As the checkpoint's configuration and the names of its tensors have it, before any is read."""
    try:
        config, names = Qwen3Config.read(folder), tensor_names(folder)
    except CheckpointInvalid:  # which is said where it is opened
        return info
    return narrowed(info, config, 0.0, learns=config.learns(names))  # silence is added when it opens


def _read(folder: Path, device: "torch.device", dtype: "torch.dtype", settings: Mapping[str, Value]) -> "Networks":
    """dtype: of talker and predictor."""
    from engines.qwen3_tts.networks import read_networks

    return read_networks(folder, device, dtype)


def _engine(info: EngineInfo, networks: "Networks", settings: Mapping[str, Value]) -> Engine:
    from engines.qwen3_tts.engine import Qwen3TtsEngine

    return Qwen3TtsEngine(
        info,
        networks,
        trailing_silence_seconds=float_option(settings, "trailing_silence_seconds"),
        compiled=bool_option(settings, "compile"),
        fused=bool_option(settings, "fused"),
        width=int_option(settings, "width"),
    )
