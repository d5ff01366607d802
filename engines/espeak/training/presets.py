"""The prompts of the built-in speakers: training voices and their trained heads."""

from collections.abc import Iterator

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.espeak.prior.prior import Prior
from engines.espeak.speaker.enrollment import Pool, match_head, speaker_tensors
from engines.espeak.training.corpus import VOICES, head_of
from engines.espeak.transcript_fit import fit_transcript
from engines.kit.signal.clip_analysis import ClipAnalysis

__all__ = ["PRESETS", "preset_tensors"]

PRESETS = ("heart", "slt", "rms", "awb", "nsh")
_SECONDS = 25.0
_GAP_SECONDS = 0.3


def preset_tensors(prior: Prior) -> dict[str, np.ndarray]:
    """Tensors of all of them, by the names that the asset gives them."""
    tensors, pool = {}, Pool.of(prior)
    for name in PRESETS:
        voice = VOICES[name]
        text, clip = _joined(voice.read())
        recording, head = ClipAnalysis.of(clip), head_of(prior, name)
        spoken = fit_transcript(prior, recording, Transcript(text, voice.language), head)
        made = speaker_tensors(prior, recording, match_head(prior, pool, recording, head), spoken.rate)
        tensors |= {f"preset.{name}.{key}": tensor for key, tensor in made.items()}
    return tensors


def _joined(readings: Iterator[tuple[str, Clip]]) -> tuple[str, Clip]:
    """The first of them, as one recording of about _SECONDS."""
    texts, parts, seconds, sample_rate = [], [], 0.0, 0
    for text, clip in readings:
        sample_rate = clip.sample_rate
        if seconds + clip.seconds > _SECONDS:
            break
        texts.append(text)
        parts += [clip.samples, np.zeros(int(_GAP_SECONDS * sample_rate), np.float32)]
        seconds += clip.seconds + _GAP_SECONDS
    return " ".join(texts), Clip(np.concatenate(parts[:-1]), sample_rate)
