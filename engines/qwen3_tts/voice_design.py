"""Qwen3-TTS 12Hz VoiceDesign: speaks in a voice that is described in words. No torch here."""

from dataclasses import replace

from engines.contract.release import Release
from engines.qwen3_tts.family import FAMILY, qwen_package
from engines.qwen3_tts.options import DESIGN, speaking_options

__all__ = ["PACKAGE"]

_RELEASES = (
    Release("Qwen/Qwen3-TTS-12Hz-1.7B-VoiceDesign", "1.7B", 4_520_000_000, "directed"),
)  # bytes: those of Base without the speaker encoder

_INFO = replace(
    FAMILY,
    id="qwen3_tts_design",
    options=speaking_options(instructed=True),
    title="Qwen3-TTS VoiceDesign",
    summary="A voice that you describe in words: age, timbre, mood, pace. Wants a GPU.",
    best_at=("described_voices",),
    clones_clips=False,
    presets=(DESIGN,),
    designed_preset=DESIGN,
)

PACKAGE = qwen_package(_INFO, "voice_design", _RELEASES)
