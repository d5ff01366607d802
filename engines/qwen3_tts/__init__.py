"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, streams from the first 80 ms. Importing this loads no torch."""

from collections.abc import Callable

from engines.contract import Engine, EngineInfo
from engines.errors import EngineUnavailable
from engines.layers.weights import HubWeights
from engines.options import resolve_options
from engines.qwen3_tts.options import CODES, LOAD_OPTIONS, OPTIONS

__all__ = ["INFO", "WEIGHTS", "availability", "fetch", "fetched", "open"]

WEIGHTS = HubWeights(
    repository="Qwen/Qwen3-TTS-12Hz-0.6B-Base",
    patterns=("*.json", "*.safetensors", "merges.txt", "speech_tokenizer/*"),
    needed=(
        "config.json",
        "vocab.json",
        "merges.txt",
        "model.safetensors|model.safetensors.index.json",
        "speech_tokenizer/config.json",
        "speech_tokenizer/model.safetensors|speech_tokenizer/model.safetensors.index.json",
    ),
)

INFO = EngineInfo(
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
    weights_command=WEIGHTS.command(),
    weights_bytes=2_516_000_000,  # of the 0.6B: 1.83 GB talker in bfloat16, 0.68 GB codec in float32, vocabulary
    embedding_size=1024,
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    most_text_characters=2_000,
    load_options=LOAD_OPTIONS,
)


def availability(checkpoint: str | None = None) -> EngineUnavailable | None:
    """Why the engine could not be opened now for want of weights, or None. Reads no weights, asks no network."""
    return WEIGHTS.availability(checkpoint)


def fetched(checkpoint: str | None = None) -> bool:
    """Whether all weights are on this machine."""
    return WEIGHTS.is_here(checkpoint)


def fetch(checkpoint: str | None, progress: Callable[[int, int | None], None], cancelled: Callable[[], bool]) -> None:
    """Download the weights: of the default, or of a hub id. Raises FetchCancelled, EngineUnavailable."""
    WEIGHTS.fetch(checkpoint, progress, cancelled)


def open(
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    *,
    trailing_silence_seconds: float = 0.0,
    compile: bool = False,
    width: int = 0,
) -> Engine:
    """The engine with the weights of a local folder or a hub id, 0.6B or 1.7B; the default is the 0.6B in the hub's local cache.

    device: a GPU where there is one, else the CPU. dtype: of talker and predictor, "bfloat16" (default on a GPU) or "float32" (on a CPU).
    The others are INFO.load_options. Raises OptionInvalid, EngineUnavailable, CheckpointInvalid.
    """
    resolve_options(LOAD_OPTIONS, {"trailing_silence_seconds": trailing_silence_seconds, "width": width})
    folder = WEIGHTS.resolve(checkpoint, progress)

    from engines.layers.device import choose_device, choose_dtype
    from engines.qwen3_tts.engine import Qwen3TtsEngine
    from engines.qwen3_tts.networks import read_networks

    where = choose_device(device)
    networks = read_networks(folder, where, choose_dtype(dtype, where))
    return Qwen3TtsEngine(INFO, networks, trailing_silence_seconds=trailing_silence_seconds, compiled=compile, width=width)
