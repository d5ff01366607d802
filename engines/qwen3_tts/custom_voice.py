"""Qwen3-TTS 12Hz CustomVoice: nine speakers of its own in ten languages and two dialects, told how to speak. No torch here.

A fine-tune of one speaker, as the makers' own script writes it, is a checkpoint of this kind.
"""

from dataclasses import replace

from engines.contract.release import Release
from engines.qwen3_tts.family import FAMILY, qwen_package
from engines.qwen3_tts.options import PRESET_LANGUAGES, PRESET_SEXES, speaking_options

__all__ = ["PACKAGE"]

_RELEASES = (  # bytes: those of Base without the speaker encoder
    Release("Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice", "1.7B", 4_520_000_000, "directed"),
    Release("Qwen/Qwen3-TTS-12Hz-0.6B-CustomVoice", "0.6B", 2_498_388_000, "undirected"),
)

_INFO = replace(
    FAMILY,
    id="qwen3_tts_custom",
    options=speaking_options(instructed=True),
    title="Qwen3-TTS CustomVoice",
    summary="Nine voices of its own, told in words how to speak. Opens fine-tunes of one voice, too. Wants a GPU.",
    best_at=("built_in_voices", "directed_speech"),
    clones_clips=False,
    presets=tuple(PRESET_LANGUAGES),
    default_preset=next(iter(PRESET_LANGUAGES)),
    preset_languages=PRESET_LANGUAGES,
    preset_sexes=PRESET_SEXES,
)

PACKAGE = qwen_package(_INFO, "custom_voice", _RELEASES)
