"""The packages of Qwen3-TTS 12Hz: how any checkpoint of the family is found and opened, whatever it was trained for. No torch here."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.contract.package import EnginePackage
from engines.contract.release import Release
from engines.errors import CheckpointInvalid
from engines.kit.decode.hub_package import InfoOf, hub_package
from engines.kit.weights.checkpoint_files import tensor_names
from engines.kit.weights.weights import HubWeights
from engines.qwen3_tts.config import Kind, Qwen3Config
from engines.qwen3_tts.options import CODES, LOAD_OPTIONS, OPTIONS, narrowed

__all__ = ["FAMILY", "qwen_package"]


# What all of them declare. An engine says more: replace(FAMILY, id=...).
FAMILY = EngineInfo(
    id="",
    title="",
    summary="",
    licenses=(License("Apache-2.0"),),
    sample_rate=24_000,
    streams="frame",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=CODES,
    options=OPTIONS,
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    most_text_characters=2_000,
    reads=("numbers",),
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
)


def qwen_package(info: EngineInfo, kind: Kind, releases: tuple[Release, ...]) -> EnginePackage:
    """The package of one kind, which opens what the others are, too: the checkpoint says what it can do.

    releases: of that kind, the first of which is the default.
    """
    weights, sizes = _weights(releases), tuple(sorted(release.size for release in releases))
    info = replace(info, weights_command=weights.command(), weights_bytes=releases[0].weights_bytes, hub_id=weights.hub_id())
    package = hub_package(info, weights, sizes, "engines.qwen3_tts.opening", info_of=_info_of(weights), drawn={"kind": kind})
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


def _info_of(weights: HubWeights) -> InfoOf:
    def info_of(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
        """What its configuration says, where the checkpoint is here: who speaks is known, and asked for, before it is opened."""
        if checkpoint is None:
            return info
        folder = weights.resolve(checkpoint) if weights.is_here(checkpoint) else Path(checkpoint)
        return _known(info, folder)

    return info_of


def _known(info: EngineInfo, folder: Path) -> EngineInfo:
    """As the checkpoint's configuration and the names of its tensors have it, before any is read."""
    try:
        config, names = Qwen3Config.read(folder), tensor_names(folder)
    except CheckpointInvalid:  # which is said where it is opened
        return info
    return narrowed(info, config, 0.0, learns=config.learns(names))  # silence is added when it opens
