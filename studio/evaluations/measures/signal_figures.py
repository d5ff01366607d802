"""Figures of a sound alone: its level, its flat tops, its silence."""

from engines.clips.clip import Clip
from engines.clips.clip_quality import clipped_share
from studio.audio.loudness import BLOCK_SECONDS, integrated_loudness
from studio.audio.true_peak import TruePeakMeter
from studio.evaluations.measures import lacking
from studio.evaluations.measures.judged_sound import FamilyFigures
from studio.evaluations.measures.sound_timing import SoundTiming

__all__ = ["loudness_figures", "signal_figures"]


def loudness_figures(clip: Clip) -> FamilyFigures:
    """ITU-R BS.1770-4: integrated loudness, which a sound shorter than one block has none of, and true peak."""
    meter = TruePeakMeter(clip.sample_rate)
    meter.push(clip.samples)
    lufs = integrated_loudness(clip.samples, clip.sample_rate)
    if lufs is None:
        lack = lacking.NO_LUFS if clip.seconds < BLOCK_SECONDS else lacking.QUIETER_THAN_LUFS
        return FamilyFigures({"peak_db": meter.dbtp}, lack)
    return FamilyFigures({"lufs": lufs, "peak_db": meter.dbtp})


def signal_figures(clip: Clip) -> FamilyFigures:
    """A silent sound has neither start nor end."""
    timing = SoundTiming.of(clip)
    if timing.is_silent:
        return FamilyFigures({"clipped": 0.0, "silence": 100.0}, lacking.NOTHING_HEARD)
    figures = {
        "clipped": 100 * clipped_share(clip.samples),
        "start_silence_ms": 1000 * timing.start_silence_seconds,
        "end_silence_ms": 1000 * timing.end_silence_seconds,
        "longest_pause_ms": 1000 * timing.longest_pause_seconds,
        "silence": 100 * timing.silence,
    }
    return FamilyFigures(figures if timing.noise_dbfs is None else figures | {"noise_db": timing.noise_dbfs})
