"""A clip on the frame grid: 24 kHz samples, F0, envelope, harmonicity, and which frames are speech."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import soxr

from engines.clips.clip import SILENT_DBFS, Clip, ClipSound, loudest_dbfs
from engines.clips.clip_quality import clipped_share
from engines.errors import ClipUnusable
from engines.kit.signal import pitch
from engines.kit.signal.spectrum import (
    FRAMES_PER_SECOND,
    HOP_SAMPLES,
    MEL_HZ,
    SAMPLE_RATE,
    aperiodicity,
    envelope_and_harmonicity,
    level_db,
)

__all__ = ["ClipAnalysis", "SpeakerQuality", "check_voice", "inspect_clip", "measure", "refuse_unusable", "speech_frames"]

_PEAK = 0.7
_NOISE_LEVEL = 1e-5  # instead of digital silence
_SPEECH_DB = 40  # below the loudest
_CLOSED_GAP_SECONDS = 0.12
_DROP_DB = 45  # the band ends where the mean spectrum lies this far below that of 1.5 to 3.5 kHz
_MEASURED_SECONDS = 30.0


@dataclass(frozen=True, eq=False)
class ClipAnalysis:
    """samples: (T,) at SAMPLE_RATE, peak 0.7, no DC. f0, voicing_strength: (F,). log_envelope: (F, N_MELS). aperiodicity: (F, N_BANDS)."""

    samples: np.ndarray
    f0: np.ndarray
    voicing_strength: np.ndarray
    log_envelope: np.ndarray
    aperiodicity: np.ndarray

    @classmethod
    def of(cls, clip: Clip) -> "ClipAnalysis":
        """The first half minute of the clip, analyzed. The clip must not be empty or silent."""
        samples = clip.samples[: int(_MEASURED_SECONDS * clip.sample_rate)]
        if clip.sample_rate != SAMPLE_RATE:
            samples = soxr.resample(samples, clip.sample_rate, SAMPLE_RATE)
        samples = samples - samples.mean()
        samples = (samples * (_PEAK / np.abs(samples).max())).astype(np.float32)
        samples += (_NOISE_LEVEL * np.random.default_rng(0).standard_normal(len(samples))).astype(np.float32)
        f0, strength = pitch.track(samples, len(samples) // HOP_SAMPLES + 1)
        log_envelope, harmonicity = envelope_and_harmonicity(samples, f0)
        return cls(samples, f0, strength, log_envelope, aperiodicity(harmonicity))

    @cached_property
    def level(self) -> np.ndarray:
        """(F,) dB."""
        return level_db(self.log_envelope)

    @cached_property
    def speech(self) -> np.ndarray:
        """(F,) whether the frame belongs to speech, short gaps included."""
        return speech_frames(self.level)

    @cached_property
    def bandwidth_hz(self) -> float:
        """Where the recording's spectrum ends, at most half the engine's rate."""
        mean_db = 10 / np.log(10) * self.log_envelope[self.speech].mean(0)
        middle = mean_db[(MEL_HZ > 1500) & (MEL_HZ < 3500)].mean()
        above = np.nonzero(mean_db > middle - _DROP_DB)[0]
        return float(MEL_HZ[above[-1]])


def speech_frames(level: np.ndarray) -> np.ndarray:
    """(F,) bool: frames within 40 dB of the loudest and clear of the floor, gaps up to 120 ms closed, 15 ms added either side."""
    top, floor = np.percentile(level, 95), np.percentile(level, 5)
    active = level > max(top - _SPEECH_DB, floor + min(8, (top - floor) * 0.3))
    gap = int(_CLOSED_GAP_SECONDS * FRAMES_PER_SECOND)
    frames = np.nonzero(active)[0]
    for before, after in pairwise(frames):
        if 1 < after - before <= gap:
            active[before:after] = True
    return np.convolve(active, np.ones(7), "same") > 0


# --- whether it is fit to learn a speaker from, by what a pitch tracker can know; engines/clips/clip_quality.py has what any model asks

LEAST_VOICED_SECONDS, LEAST_VOICED_SHARE = 0.5, 0.1
MOST_STILL_SHARE = 0.5  # human and synthetic speech has up to 0.13, also in noise; tones, chords and melodies have 0.88 to 1
LEAST_SNR_DB = 5.0
MOST_CLIPPED_SHARE = 0.2  # speech driven 8 times over full scale has 0.09, 16 times 0.25
_MEASURABLE_SECONDS = 0.1
_STILL_FRAMES, _STILL_SEMITONES = 10, 0.1  # a pitch is still that moves less within 50 ms


@dataclass(frozen=True)
class SpeakerQuality:
    """snr_db: of all that stands out, as engines.clips.clip has it. clipped_share: 0 to 1 of all samples. level_dbfs: RMS of all, too.

    speech_seconds: frames that the engine learns from, short gaps included. voiced_seconds: frames with a pitch. bandwidth_hz: where the
    spectrum ends, at the engine's rate. f0_hz: median, 0 without a pitch. still_pitch_share: of the voiced time, during which the pitch
    stands still as a note's does; 0 without voice.
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


def inspect_clip(clip: Clip) -> SpeakerQuality:
    """The clip's quality in numbers (of its first half minute); raises nothing."""
    if clip.seconds < _MEASURABLE_SECONDS or loudest_dbfs(clip) < SILENT_DBFS:
        return SpeakerQuality(clip.seconds, 0.0, 0.0, 0.0, 0.0, 0.0, loudest_dbfs(clip), 0.0, 0.0)
    return measure(clip, ClipAnalysis.of(clip))


def measure(clip: Clip, recording: ClipAnalysis) -> SpeakerQuality:
    """The same, of a clip that is analyzed already."""
    voiced, sound = recording.f0 > 0, ClipSound.of(clip)
    return SpeakerQuality(
        seconds=clip.seconds,
        speech_seconds=float(recording.speech.sum() / FRAMES_PER_SECOND),
        voiced_seconds=float(voiced.sum() / FRAMES_PER_SECOND),
        snr_db=sound.snr_db(sound.active),
        clipped_share=clipped_share(clip.samples),
        bandwidth_hz=recording.bandwidth_hz,
        level_dbfs=10 * float(np.log10(np.mean(np.square(clip.samples, dtype=np.float64)))),
        f0_hz=float(np.median(recording.f0[voiced])) if voiced.any() else 0.0,
        still_pitch_share=_still_pitch_share(recording.f0),
    )


def refuse_unusable(quality: SpeakerQuality) -> None:
    """Raises ClipUnusable for a clip from which no voice can be learned."""
    seconds, least_of_all = quality.voiced_seconds, LEAST_VOICED_SHARE * max(quality.speech_seconds, 1e-3)
    if seconds < (least := max(LEAST_VOICED_SECONDS, least_of_all)):
        detail = f"at least {LEAST_VOICED_SHARE:.0%} of what is no silence must have a voice" if least == least_of_all else ""
        raise ClipUnusable("clip_no_speech", sentence="clip_little_speech", detail=detail, seconds=seconds, least_seconds=least)
    if quality.still_pitch_share > MOST_STILL_SHARE:
        percent, detail = round(100 * quality.still_pitch_share), f"at most {100 * MOST_STILL_SHARE:.0f} % are allowed"
        raise ClipUnusable("clip_no_speech", sentence="clip_music", detail=detail, percent=percent)
    if quality.snr_db < LEAST_SNR_DB:
        raise ClipUnusable("clip_noisy", snr_db=round(quality.snr_db), least_snr_db=round(LEAST_SNR_DB))
    if quality.clipped_share > MOST_CLIPPED_SHARE:
        percent, most = round(100 * quality.clipped_share), round(100 * MOST_CLIPPED_SHARE)
        raise ClipUnusable("clip_clipped", percent=percent, most_percent=most)


def check_voice(clip: Clip) -> None:
    """The sound_check of engines that learn from pitch: what they ask when they learn, without one of them open. Raises what
    `refuse_unusable` does."""
    refuse_unusable(inspect_clip(clip))


def _still_pitch_share(f0: np.ndarray) -> float:
    now, later = f0[:-_STILL_FRAMES], f0[_STILL_FRAMES:]
    both = (now > 0) & (later > 0)
    semitones = 12 * np.abs(np.log2(later[both] / now[both]))
    return float((semitones < _STILL_SEMITONES).mean()) if both.any() else 0.0
