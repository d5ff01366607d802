"""Is a clip fit to learn a voice from? Measured as numbers, refused with a reason."""

from dataclasses import dataclass

import numpy as np

from engines.clip import Clip
from engines.errors import ClipUnusable
from engines.espeak.recording import Recording
from engines.espeak.spectrum import FRAMES_PER_SECOND, HOP_SAMPLES

__all__ = ["LEAST_SECONDS", "MOST_SECONDS", "ClipQuality", "check_length", "inspect_clip", "measure", "refuse_unusable"]

LEAST_SECONDS, MOST_SECONDS = 1.0, 30.0
SILENT_DBFS = -70.0
LEAST_VOICED_SECONDS, LEAST_VOICED_SHARE = 0.5, 0.1
MOST_STILL_SHARE = 0.5  # human and synthetic speech has up to 0.13, also in noise; tones, chords and melodies have 0.88 to 1
LEAST_SNR_DB = 5.0
MOST_CLIPPED_SHARE = 0.2  # speech driven 8 times over full scale has 0.09, 16 times 0.25
_MEASURABLE_SECONDS = 0.1
_STILL_FRAMES, _STILL_SEMITONES = 10, 0.1  # a pitch is still that moves less within 50 ms
_POWER_SAMPLES = 4 * HOP_SAMPLES
_CEILING_DB = 60.0  # of the signal-to-noise estimate: digital silence between words says no more than that
_SPEAK = "Record 5 to 15 seconds of one person speaking, without music."
_CLIPPED_NEAR_PEAK = 0.985
_CLIPPED_RUN = 3  # samples: a natural peak passes the ceiling in one or two


@dataclass(frozen=True)
class ClipQuality:
    """speech_seconds: frames of speech, short gaps included. voiced_seconds: frames with a pitch. snr_db: mean power over the floor's.

    clipped_share: 0 to 1 of all samples. bandwidth_hz: where the spectrum ends. level_dbfs: RMS. f0_hz: median, 0 without a pitch.
    still_pitch_share: of the voiced time, during which the pitch stands still as a note's does; 0 without voice.
    """

    seconds: float
    speech_seconds: float
    voiced_seconds: float
    snr_db: float
    clipped_share: float
    bandwidth_hz: float
    level_dbfs: float
    f0_hz: float
    still_pitch_share: float


def inspect_clip(clip: Clip) -> ClipQuality:
    """The clip's quality in numbers (of its first half minute); raises nothing."""
    if _is_silent(clip) or clip.seconds < _MEASURABLE_SECONDS:
        return ClipQuality(clip.seconds, 0.0, 0.0, 0.0, 0.0, 0.0, max(_level_dbfs(clip), -120.0), 0.0, 0.0)
    return measure(clip, Recording.of(clip))


def measure(clip: Clip, recording: Recording) -> ClipQuality:
    """The same, of a clip that is analysed already."""
    voiced = recording.f0 > 0
    return ClipQuality(
        seconds=clip.seconds,
        speech_seconds=float(recording.speech.sum() / FRAMES_PER_SECOND),
        voiced_seconds=float(voiced.sum() / FRAMES_PER_SECOND),
        snr_db=_snr_db(recording.samples),
        clipped_share=_clipped_share(clip.samples),
        bandwidth_hz=recording.bandwidth_hz,
        level_dbfs=_level_dbfs(clip),
        f0_hz=float(np.median(recording.f0[voiced])) if voiced.any() else 0.0,
        still_pitch_share=_still_pitch_share(recording.f0),
    )


def check_length(clip: Clip) -> None:
    """Raises ClipUnusable for a clip too short, too long or silent: what can be said before any analysis."""
    if clip.seconds < LEAST_SECONDS:
        fact = f"Reference audio too short ({clip.seconds:.1f} s). At least {LEAST_SECONDS:.0f} second is required."
        raise ClipUnusable("clip_too_short", fact, "Record 5 to 15 seconds of speech.")
    if clip.seconds > MOST_SECONDS:
        fact = f"Reference audio too long ({clip.seconds:.1f} s). At most {MOST_SECONDS:.0f} seconds are allowed."
        raise ClipUnusable("clip_too_long", fact, "Cut 5 to 15 seconds of clear speech out of it.")
    if _is_silent(clip):
        fact = f"Reference audio is silent ({max(_level_dbfs(clip), -120.0):.0f} dBFS). Its level must be above {SILENT_DBFS:.0f} dBFS."
        raise ClipUnusable("clip_silent", fact, "Check the microphone and record again.")


def refuse_unusable(quality: ClipQuality) -> None:
    """Raises ClipUnusable for a clip from which no voice can be learned."""
    speech = max(quality.speech_seconds, 1e-3)
    if quality.voiced_seconds < max(LEAST_VOICED_SECONDS, LEAST_VOICED_SHARE * speech):
        fact = (
            f"Reference audio holds no speech: {quality.voiced_seconds:.1f} s of it have a voice, at least {LEAST_VOICED_SECONDS} s "
            f"and {LEAST_VOICED_SHARE:.0%} are needed."
        )
        raise ClipUnusable("clip_no_speech", fact, _SPEAK)
    if quality.still_pitch_share > MOST_STILL_SHARE:
        fact = (
            f"Reference audio sounds like tones or music, not speech: its pitch stands still {quality.still_pitch_share:.0%} of the time, "
            f"at most {MOST_STILL_SHARE:.0%} is allowed."
        )
        raise ClipUnusable("clip_no_speech", fact, _SPEAK)
    if quality.snr_db < LEAST_SNR_DB:
        fact = f"Reference audio is too noisy (speech {quality.snr_db:.0f} dB above the noise). At least {LEAST_SNR_DB:.0f} dB are needed."
        raise ClipUnusable("clip_noisy", fact, "Record in a quiet room, close to the microphone.")
    if quality.clipped_share > MOST_CLIPPED_SHARE:
        fact = f"Reference audio is clipped ({quality.clipped_share:.0%} of the samples). At most {MOST_CLIPPED_SHARE:.0%} may be."
        raise ClipUnusable("clip_clipped", fact, "Lower the recording level and record again.")


def _snr_db(samples: np.ndarray) -> float:
    """Mean power above the floor over the power of the floor, which is the quietest twentieth of 20 ms stretches."""
    running = np.convolve(np.square(samples, dtype=np.float64), np.ones(_POWER_SAMPLES) / _POWER_SAMPLES, "same")[::HOP_SAMPLES]
    floor = np.percentile(running, 5)
    return min(10 * float(np.log10(max(running.mean() - floor, 1e-12) / floor)), _CEILING_DB)


def _still_pitch_share(f0: np.ndarray) -> float:
    now, later = f0[:-_STILL_FRAMES], f0[_STILL_FRAMES:]
    both = (now > 0) & (later > 0)
    semitones = 12 * np.abs(np.log2(later[both] / now[both]))
    return float((semitones < _STILL_SEMITONES).mean()) if both.any() else 0.0


def _level_dbfs(clip: Clip) -> float:
    power = float(np.mean(np.square(clip.samples, dtype=np.float64))) if len(clip.samples) else 0.0
    return 10 * float(np.log10(power + 1e-30))


def _is_silent(clip: Clip) -> bool:
    return _level_dbfs(clip) < SILENT_DBFS


def _clipped_share(samples: np.ndarray) -> float:
    """Share of samples that stand in runs at the peak."""
    at_peak = np.abs(samples) >= _CLIPPED_NEAR_PEAK * np.abs(samples).max()
    edges = np.diff(np.concatenate([[0], at_peak.astype(np.int8), [0]]))
    lengths = np.nonzero(edges < 0)[0] - np.nonzero(edges > 0)[0]
    return float(lengths[lengths >= _CLIPPED_RUN].sum() / len(samples))
