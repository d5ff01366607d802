"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, streams from the first 80 ms. Importing this loads no torch."""

from dataclasses import replace

from engines.contract import Engine, EngineInfo
from engines.layers.weights import HubWeights
from engines.options import resolve_options
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
)


def _open(
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    progress: Progress | None = None,
    *,
    trailing_silence_seconds: float = 0.0,
    compile: bool = False,
    width: int = 0,
) -> Engine:
    """The engine with the weights of a local folder or a hub id, 0.6B or 1.7B; the default is the 0.6B in the hub's local cache.

    device: a GPU where there is one, else the CPU. dtype: of talker and predictor, "bfloat16" (default on a GPU) or "float32" (on a CPU).
    The others are its load_options. Raises OptionInvalid, EngineUnavailable, CheckpointInvalid.
    """
    resolve_options(LOAD_OPTIONS, {"trailing_silence_seconds": trailing_silence_seconds, "width": width})
    folder = _WEIGHTS.resolve(checkpoint, progress)

    from engines.layers.device import choose_device, choose_dtype
    from engines.qwen3_tts.engine import Qwen3TtsEngine
    from engines.qwen3_tts.networks import read_networks

    where = choose_device(device)
    networks = read_networks(folder, where, choose_dtype(dtype, where))
    info = replace(_INFO, weights_bytes=_WEIGHTS.n_bytes(str(folder)))
    return Qwen3TtsEngine(info, networks, trailing_silence_seconds=trailing_silence_seconds, compiled=compile, width=width)


PACKAGE = EnginePackage(_INFO, _open, _WEIGHTS)
