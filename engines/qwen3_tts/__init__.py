"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, and streams from the first 80 ms. Importing this loads no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.kit.decode.hub_package import EngineParts, hub_package
from engines.kit.weights.weights import HubWeights
from engines.qwen3_tts.options import CODES, LOAD_OPTIONS, OPTIONS

if TYPE_CHECKING:
    import torch

    from engines.qwen3_tts.networks import Networks

__all__ = ["PACKAGE"]

_RELEASED_BYTES = {  # of all files, as published: talker in bfloat16, codec in float32 (682,293,092), vocabulary
    "Qwen/Qwen3-TTS-12Hz-0.6B-Base": 2_516_100_892,
    "Qwen/Qwen3-TTS-12Hz-1.7B-Base": 4_544_170_364,
}
_DEFAULT = "Qwen/Qwen3-TTS-12Hz-0.6B-Base"

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=("*.json", "*.safetensors", "merges.txt", "speech_tokenizer/*"),
    needed=(
        "config.json",
        "vocab.json",
        "merges.txt",
        "model.safetensors|model.safetensors.index.json",
        "speech_tokenizer/config.json",
        "speech_tokenizer/model.safetensors|speech_tokenizer/model.safetensors.index.json",
    ),
    released_bytes=_RELEASED_BYTES,
)

_INFO = EngineInfo(
    id="qwen3_tts",
    title="Qwen3-TTS",
    summary="Natural speech from a few seconds of a voice; sounds best with the words of the recording. Wants a GPU.",
    best_at=("cloning", "text_along"),
    licenses=(License("Apache-2.0"),),
    sample_rate=24_000,
    streams="frame",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=CODES,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_RELEASED_BYTES[_DEFAULT],
    embedding_size=1024,
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    most_text_characters=2_000,
    reads=("numbers",),
    reads_along=True,
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _read(folder: Path, device: "torch.device", dtype: "torch.dtype", settings: Mapping[str, Value]) -> "Networks":
    """dtype: of talker and predictor."""
    from engines.qwen3_tts.networks import read_networks

    return read_networks(folder, device, dtype)


def _draw(size: str, device: "torch.device", dtype: "torch.dtype") -> "Networks":
    from engines.qwen3_tts.random_networks import random_networks

    return random_networks(size, device, dtype)


def _engine(info: EngineInfo, networks: "Networks", settings: Mapping[str, Value]) -> Engine:
    from engines.qwen3_tts.engine import Qwen3TtsEngine

    return Qwen3TtsEngine(
        info,
        networks,
        trailing_silence_seconds=settings["trailing_silence_seconds"],
        compiled=settings["compile"],
        fused=settings["fused"],
        width=settings["width"],
    )


PACKAGE = hub_package(_INFO, _WEIGHTS, ("0.6B", "1.7B"), EngineParts(_read, _draw, _engine))
