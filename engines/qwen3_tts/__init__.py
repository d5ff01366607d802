"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, and streams from the first 80 ms. Importing this loads no torch."""

from engines.qwen3_tts.family import qwen_package

__all__ = ["PACKAGE"]

_RELEASED_BYTES = {  # of all files, as published: talker in bfloat16, codec in float32 (682,293,092), vocabulary
    "Qwen/Qwen3-TTS-12Hz-0.6B-Base": 2_516_100_892,
    "Qwen/Qwen3-TTS-12Hz-1.7B-Base": 4_544_170_364,
}

PACKAGE = qwen_package(
    "qwen3_tts",
    "base",
    _RELEASED_BYTES,
    title="Qwen3-TTS",
    summary="Natural speech from a few seconds of a voice; sounds best with the words of the recording. Wants a GPU.",
    best_at=("cloning", "text_along"),
    embedding_size=1024,
    reads_along=True,
)
