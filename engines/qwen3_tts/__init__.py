"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, streams from the first 80 ms. Importing this loads no torch."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from engines.contract import Engine, EngineInfo
from engines.layers.weights import HubWeights
from engines.options import Value, resolve_options
from engines.package import EnginePackage, Progress
from engines.qwen3_tts.options import CODES, LOAD_OPTIONS, OPTIONS

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
    summary="Natural speech in ten languages from a few seconds of a voice; sounds best with the words of the recording. Wants a GPU.",
    licence="Apache-2.0",
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
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _open(
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    progress: Progress | None = None,
    **options: Value,
) -> Engine:
    """The engine with the weights of a local folder or a hub id, 0.6B or 1.7B; the default is the 0.6B in the hub's local cache.

    device: a GPU where there is one, else the CPU. dtype: of talker and predictor, "bfloat16" (default on a GPU) or "float32" (on a CPU).
    options: of LOAD_OPTIONS. Raises OptionInvalid, EngineUnavailable, CheckpointInvalid.
    """
    settings = resolve_options(LOAD_OPTIONS, options)
    folder = _WEIGHTS.resolve(checkpoint, progress)

    from engines.qwen3_tts.networks import read_networks

    info = replace(_INFO, weights_bytes=_WEIGHTS.n_bytes(str(folder)), hub_id=_WEIGHTS.hub_id(checkpoint))
    return _engine(info, partial(read_networks, folder), (device, dtype), settings)


def _open_random(size: str, device: str | None = None, dtype: str | None = None, **options: Value) -> Engine:
    """The engine of that size, 0.6B or 1.7B, with weights that are drawn. Raises OptionInvalid, EngineUnavailable."""
    from engines.qwen3_tts.random_networks import random_networks

    return _engine(_INFO, partial(random_networks, size), (device, dtype), resolve_options(LOAD_OPTIONS, options))


def _engine(info: EngineInfo, load: Callable, where: tuple[str | None, str | None], settings: Mapping[str, Value]) -> Engine:
    """load: from torch's device and dtype to Networks. where: names of both, as they were asked for."""
    from engines.layers.device import choose_device, choose_dtype
    from engines.qwen3_tts.engine import Qwen3TtsEngine

    device = choose_device(where[0])
    networks = load(device, choose_dtype(where[1], device))
    return Qwen3TtsEngine(
        info,
        networks,
        trailing_silence_seconds=settings["trailing_silence_seconds"],
        compiled=settings["compile"],
        fused=settings["fused"],
        width=settings["width"],
    )


PACKAGE = EnginePackage(_INFO, _open, _WEIGHTS, ("0.6B", "1.7B"), _open_random)
