"""Qwen3-TTS 12Hz VoiceDesign: speaks in a voice that is described in words. No torch here."""

from engines.qwen3_tts.family import qwen_package
from engines.qwen3_tts.options import DESIGN, speaking_options

__all__ = ["PACKAGE"]

_RELEASED_BYTES = {"Qwen/Qwen3-TTS-12Hz-1.7B-VoiceDesign": 4_520_000_000}  # those of Base without the speaker encoder

PACKAGE = qwen_package(
    "qwen3_tts_design",
    "voice_design",
    _RELEASED_BYTES,
    speaking_options(instructed=True),
    title="Qwen3-TTS VoiceDesign",
    summary="A voice that you describe in words: age, timbre, mood, pace. Wants a GPU.",
    best_at=("described_voices",),
    clones_clips=False,
    presets=(DESIGN,),
    designed_preset=DESIGN,
)
