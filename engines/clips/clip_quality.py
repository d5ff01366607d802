"""ClipQuality: how good a recording is, in numbers that hold for any model. What the numbers mean is in clip_advice.

* Speech: what stands out of the background (clip_sound) and sounds like speech (speech_activity). Level, ratio and bandwidth are those
  of the speech; of whatever stands out, where none of it is speech.
* Clipping: samples in flat runs at an extreme where the histogram of amplitudes has a spike (the sign used by Aleinik and Matveev,
  "Detection of clipped fragments in speech signals", 2014). Resampling and lossy codecs round flat tops off: clipping before them is
  not seen.
* Bandwidth: Welch's averaged periodogram (IEEE Trans. AU 15(2), 1967) of the speech against that of the background.
"""

from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Clip
from engines.clips.clip_sound import ClipSound, decibels, hop_samples
from engines.clips.speaker_count import count_speakers
from engines.clips.speech_activity import SpeechActivity

__all__ = ["ClipQuality", "clipped_share", "measure_clip"]

_LEAST_RUN_SAMPLES = 3  # a natural peak is one or two samples wide
_FLAT_SHARE = 0.002  # of half the range: how far the samples of a flat top may lie apart ...
_FLAT_LEAST = 1.75 / 32768  # ... and at least two values of 16 bits
_SPIKE = 4.0  # a sine, which dwells at its peaks, has 2.4 times as many samples in that band as in the next one
_SPECTRUM_HZ = 50.0  # resolution, at least
_SMOOTH_HZ = 250.0
_MOST_SPECTRA = 256
_BAND_END_DB = 60.0  # under the strongest band; speech itself falls by 45 dB up to 16 kHz
_ABOVE_BACKGROUND = 2.0  # in power


@dataclass(frozen=True)
class ClipQuality:
    """seconds: of the clip. speech_seconds, sound_seconds: of them with speech, and with anything that stands out, gaps to 200 ms included.

    silence_percent: 0 to 100 of the clip's time, in which nothing stands out; 0 where nothing at all does of a background that can be
    heard. level_dbfs: RMS of the speech less the background's (of whatever stands out where there is no speech; of the whole clip where
    nothing does). peak_dbfs: of the largest sample. snr_db: power of the same over that of the background, 0 to 60. clipping_percent: 0 to
    100 of all samples. bandwidth_hz: up to where it is heard above the background, 0 for silence. Levels are at least -120.
    other_percent: 0 to 100 of what is heard, which is no speech: music or noise. n_speakers: 0 without speech, 2 for more than one.
    """

    seconds: float
    speech_seconds: float
    sound_seconds: float
    silence_percent: float
    level_dbfs: float
    peak_dbfs: float
    snr_db: float
    clipping_percent: float
    bandwidth_hz: float
    other_percent: float
    n_speakers: int


def measure_clip(clip: Clip, activity: SpeechActivity | None = None) -> ClipQuality:
    """The clip's quality. Raises nothing: an empty or silent clip has one, too. activity: of the clip, where it is known already."""
    sound = ClipSound.of(clip)
    peak_dbfs = decibels(float(np.abs(clip.samples).max(initial=0.0)) ** 2)
    if sound.is_silent:
        return ClipQuality(clip.seconds, 0.0, 0.0, 100.0, decibels(sound.power.mean()), peak_dbfs, 0.0, 0.0, 0.0, 0.0, 0)
    activity = activity or SpeechActivity.of(clip, sound)
    active, speech = sound.active, activity.speech(sound)
    measured = speech if speech.any() else active
    return ClipQuality(
        seconds=clip.seconds,
        speech_seconds=clip.seconds * float(speech.mean()),
        sound_seconds=clip.seconds * float(active.mean()),
        silence_percent=100 * float(1 - active.mean()) if active.any() else 0.0,
        level_dbfs=decibels(sound.power_of(measured) or float(sound.power.mean())),
        peak_dbfs=peak_dbfs,
        snr_db=sound.snr_db(measured),
        clipping_percent=100 * clipped_share(clip.samples),
        bandwidth_hz=_bandwidth_hz(clip, measured, sound.background),
        other_percent=100 * float(1 - speech.sum() / active.sum()) if active.any() else 100.0,
        n_speakers=count_speakers(activity.samples, speech) if speech.any() else 0,
    )


def clipped_share(samples: np.ndarray) -> float:
    """0 to 1 of all samples; each polarity by itself, since inputs clip where their own zero lies."""
    highest, lowest = float(samples.max()), float(samples.min())
    flat = max(_FLAT_SHARE * (highest - lowest) / 2, _FLAT_LEAST)
    return (_flat_samples(samples, highest, -flat) + _flat_samples(samples, lowest, flat)) / len(samples)


def _flat_samples(samples: np.ndarray, extreme: float, inwards: float) -> int:
    """How many samples lie in flat runs within `inwards` of the extreme; 0 without a spike of the histogram there."""
    top = samples >= extreme + inwards if inwards < 0 else samples <= extreme + inwards
    wider = samples >= extreme + 2 * inwards if inwards < 0 else samples <= extreme + 2 * inwards
    n_top = int(np.count_nonzero(top))
    if n_top < _SPIKE * (int(np.count_nonzero(wider)) - n_top):
        return 0
    places = np.nonzero(top)[0]
    starts = np.concatenate([[0], np.nonzero(np.diff(places) > 1)[0] + 1, [len(places)]])
    lengths = np.diff(starts)
    return int(lengths[lengths >= _LEAST_RUN_SAMPLES].sum())


def _bandwidth_hz(clip: Clip, speech: np.ndarray, background: np.ndarray) -> float:
    """The top of the highest band that speech fills. Of everything, where nothing stands out."""
    sound = speech if speech.any() else np.ones_like(speech)
    samples = clip.samples - clip.samples.mean(dtype=np.float64).astype(np.float32)
    density = _density(samples, clip.sample_rate, np.nonzero(sound)[0])
    heard = density > density.max() * 10 ** (-_BAND_END_DB / 10)
    if speech.any() and background.any():
        heard &= density > _ABOVE_BACKGROUND * _density(samples, clip.sample_rate, np.nonzero(background & ~speech)[0])
    bands = np.nonzero(heard)[0]
    return float(bands[-1] / (len(density) - 1) * clip.sample_rate / 2) if len(bands) else 0.0


def _density(samples: np.ndarray, sample_rate: int, frames: np.ndarray) -> np.ndarray:
    """(N / 2 + 1,) power per line over frames spread evenly, smoothed over 250 Hz; zeros where there are none."""
    n_fft = 1 << int(np.ceil(np.log2(sample_rate / _SPECTRUM_HZ)))
    starts = np.minimum(frames * hop_samples(sample_rate), len(samples) - n_fft)
    starts = starts[starts >= 0]
    if not len(starts):
        return np.zeros(n_fft // 2 + 1)
    starts = starts[np.unique(np.linspace(0, len(starts) - 1, _MOST_SPECTRA).astype(np.int64))]
    pieces = np.lib.stride_tricks.sliding_window_view(samples, n_fft)[starts] * np.hanning(n_fft).astype(np.float32)
    power = np.square(np.abs(np.fft.rfft(pieces, axis=1))).mean(0, dtype=np.float64)
    n_lines = max(1, round(_SMOOTH_HZ * n_fft / sample_rate)) | 1
    return np.convolve(np.pad(power, n_lines // 2, mode="edge"), np.ones(n_lines) / n_lines, "valid")
