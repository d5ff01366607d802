"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, and streams from the first 80 ms. Importing this loads no torch."""

from dataclasses import replace

from engines.contract.release import Release
from engines.qwen3_tts.family import FAMILY, qwen_package

__all__ = ["PACKAGE"]

_RELEASES = (  # bytes of all files, as published: talker in bfloat16, codec in float32 (682,293,092), vocabulary
    Release("Qwen/Qwen3-TTS-12Hz-0.6B-Base", "0.6B", 2_516_100_892, "quick"),
    Release("Qwen/Qwen3-TTS-12Hz-1.7B-Base", "1.7B", 4_544_170_364, "better"),
)

_INFO = replace(
    FAMILY,
    id="qwen3_tts",
    title="Qwen3-TTS",
    summary="Natural speech from a few seconds of a voice; sounds best with the words of the recording. Wants a GPU.",
    best_at=("cloning", "text_along"),
    embedding_size=1024,
    reads_along=True,
)

PACKAGE = qwen_package(_INFO, "base", _RELEASES)
