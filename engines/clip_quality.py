"""ClipQuality: how good a recording is, in numbers that hold for any model. NumPy only; what the numbers mean is in clip_advice.

The clip is looked at in frames of 20 ms, one every 10 ms; a constant part (DC) is no sound.

* Background: frames up to 3 dB above the quietest 60 ms. Speech leaves gaps, so what is quietest is what else is in the room (the
  idea of Martin, "Noise power spectral density estimation based on optimal smoothing and minimum statistics", IEEE Trans. SAP 9(5), 2001).
* Speech: frames above the background that lie less than 15.9 dB under the speech's own level, gaps up to 200 ms closed: margin and
  hangover of the active speech level in ITU-T P.56, method B.
* Clipping: samples in flat runs at an extreme where the histogram of amplitudes has a spike (the sign used by Aleinik and Matveev,
  "Detection of clipped fragments in speech signals", 2014). Resampling and lossy codecs round flat tops off: clipping before them is
  not seen.
* Bandwidth: Welch's averaged periodogram (IEEE Trans. AU 15(2), 1967) of the speech against that of the background.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.clip import Clip
from engines.errors import ClipUnusable

__all__ = ["FLOOR_DB", "SILENT_DBFS", "ClipQuality", "check_audible", "loudest_dbfs", "measure_clip", "speech_span"]

SILENT_DBFS = -70.0  # a muted input gives less; the quietest room through a microphone gives more
FLOOR_DB = -120.0  # stands for digital silence
MOST_SNR_DB = 60.0  # digital silence between words says no more than that
_FRAMES_PER_SECOND = 100
_SMOOTH_FRAMES = 5  # 60 ms
_BACKGROUND_DB = 3.0
_SPEECH_ABOVE_DB = 5.0
_QUIETEST_PERCENT = 5
_ACTIVE_MARGIN_DB = 15.9
_CLOSED_GAP_FRAMES = 20
_LEAST_RUN_SAMPLES = 3  # a natural peak is one or two samples wide
_FLAT_SHARE = 0.002  # of half the range: how far the samples of a flat top may lie apart ...
_FLAT_LEAST = 1.75 / 32768  # ... and at least two values of 16 bits
_SPIKE = 4.0  # a sine, which dwells at its peaks, has 2.4 times as many samples in that band as in the next one
_ROUNDING_POWER = 2e-14  # of equal samples near full scale; -137 dBFS
_SPECTRUM_HZ = 50.0  # resolution, at least
_SMOOTH_HZ = 250.0
_MOST_SPECTRA = 256
_BAND_END_DB = 60.0  # under the strongest band; speech itself falls by 45 dB up to 16 kHz
_ABOVE_BACKGROUND = 2.0  # in power


@dataclass(frozen=True)
class ClipQuality:
    """seconds: of the clip. speech_seconds: of them with speech, gaps up to 200 ms included.

    silence_percent: 0 to 100 of the clip's time, without speech; 0 where nothing stands out of a background that can be heard.
    level_dbfs: RMS of the speech less the background's (of the whole clip where there is no speech). peak_dbfs: of the largest sample.
    snr_db: power of the speech over that of the background, 0 to 60. clipping_percent: 0 to 100 of all samples.
    bandwidth_hz: up to where speech is heard above the background, 0 for silence. Levels are at least -120.
    """

    seconds: float
    speech_seconds: float
    silence_percent: float
    level_dbfs: float
    peak_dbfs: float
    snr_db: float
    clipping_percent: float
    bandwidth_hz: float


def measure_clip(clip: Clip) -> ClipQuality:
    """The clip's quality. Raises nothing: an empty or silent clip has one, too."""
    power = _frame_power(clip.samples, clip.sample_rate)
    peak_dbfs = _decibels(float(np.abs(clip.samples).max(initial=0.0)) ** 2)
    if _decibels(power.max()) < SILENT_DBFS:
        return ClipQuality(clip.seconds, 0.0, 100.0, _decibels(power.mean()), peak_dbfs, 0.0, 0.0, 0.0)
    background = _background(power)
    noise = float(power[background].mean())
    speech = _speech_frames(power, noise)
    speech_power = max(float(power[speech].mean()) - noise, 0.0) if speech.any() else 0.0
    return ClipQuality(
        seconds=clip.seconds,
        speech_seconds=clip.seconds * float(speech.mean()),
        silence_percent=100 * float(1 - speech.mean()) if speech.any() else 0.0,
        level_dbfs=_decibels(speech_power or float(power.mean())),
        peak_dbfs=peak_dbfs,
        snr_db=_ratio_db(speech_power, noise),
        clipping_percent=100 * _clipped_share(clip.samples),
        bandwidth_hz=_bandwidth_hz(clip, speech, background),
    )


def speech_span(clip: Clip) -> tuple[float, float] | None:
    """(start, end) in seconds from the first speech to the last, as `measure_clip` counts it; None where there is none."""
    power = _frame_power(clip.samples, clip.sample_rate)
    if _decibels(power.max()) < SILENT_DBFS:
        return None
    frames = np.nonzero(_speech_frames(power, float(power[_background(power)].mean())))[0]
    if not len(frames):
        return None
    hop_seconds = _hop_samples(clip.sample_rate) / clip.sample_rate
    return float(frames[0]) * hop_seconds, min(clip.seconds, float(frames[-1] + 2) * hop_seconds)  # a frame is two hops


def check_audible(clip: Clip) -> None:
    """Raises ClipUnusable (clip_silent) where no 20 ms of the clip reach -70 dBFS."""
    level_dbfs = loudest_dbfs(clip)
    if level_dbfs < SILENT_DBFS:
        fact = f"Reference audio is silent ({level_dbfs:.0f} dBFS). Its level must be above {SILENT_DBFS:.0f} dBFS."
        raise ClipUnusable("clip_silent", fact, "Check the microphone and record again.")


def loudest_dbfs(clip: Clip) -> float:
    """RMS of the loudest 20 ms, without DC; -120 for digital silence."""
    return _decibels(_frame_power(clip.samples, clip.sample_rate).max())


def _decibels(power: float) -> float:
    return max(10 * float(np.log10(max(float(power), 1e-30))), FLOOR_DB)


def _ratio_db(speech: float, noise: float) -> float:
    ratio_db = 10 * np.log10(max(speech, 1e-30) / max(noise, 1e-30))
    return float(np.clip(ratio_db, 0.0, MOST_SNR_DB))


def _hop_samples(sample_rate: int) -> int:
    return round(sample_rate / _FRAMES_PER_SECOND)


def _frame_power(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """(F,) variance of 20 ms frames, F at least 1: a constant counts as nothing, so that digital silence is exactly 0."""
    hop = _hop_samples(sample_rate)
    n_hops = len(samples) // hop
    if n_hops < 2:
        return np.array([np.var(samples, dtype=np.float64) if len(samples) else 0.0])
    hops = samples[: n_hops * hop].reshape(n_hops, hop).astype(np.float64)
    total, energy = hops.sum(1), np.einsum("fs,fs->f", hops, hops)
    mean = (total[1:] + total[:-1]) / (2 * hop)
    power = (energy[1:] + energy[:-1]) / (2 * hop) - np.square(mean)
    return np.where(power < _ROUNDING_POWER, 0.0, power)


def _background(power: np.ndarray) -> np.ndarray:
    """(F,) bool: frames in whose 60 ms little more is heard than in the quietest. Never none.

    Digital silence before and after is padding, and tells nothing of the room.
    """
    sounding = np.nonzero(power)[0]
    inner = slice(sounding[0], sounding[-1] + 1)
    n_smooth = min(_SMOOTH_FRAMES, inner.stop - inner.start)
    smooth = np.convolve(power[inner], np.ones(n_smooth) / n_smooth, "valid")
    quiet = smooth <= np.percentile(smooth, _QUIETEST_PERCENT) * 10 ** (_BACKGROUND_DB / 10)
    background = np.zeros(len(power), bool)
    background[inner.start + n_smooth // 2 :][: len(quiet)] = quiet
    return background


def _speech_frames(power: np.ndarray, noise: float) -> np.ndarray:
    """(F,) bool. The level of speech and the threshold under it define each other: it rises from the background until both fit."""
    speech = power > noise * 10 ** (_SPEECH_ABOVE_DB / 10)
    while speech.any():
        threshold = power[speech].mean() * 10 ** (-_ACTIVE_MARGIN_DB / 10)
        louder = speech & (power > threshold)
        if louder.sum() == speech.sum():
            break
        speech = louder
    return _gaps_closed(speech)


def _gaps_closed(speech: np.ndarray) -> np.ndarray:
    frames = np.nonzero(speech)[0]
    closed = speech.copy()
    for before, after in pairwise(frames):
        if 1 < after - before <= _CLOSED_GAP_FRAMES:
            closed[before:after] = True
    return closed


def _clipped_share(samples: np.ndarray) -> float:
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
    starts = np.minimum(frames * _hop_samples(sample_rate), len(samples) - n_fft)
    starts = starts[starts >= 0]
    if not len(starts):
        return np.zeros(n_fft // 2 + 1)
    starts = starts[np.unique(np.linspace(0, len(starts) - 1, _MOST_SPECTRA).astype(np.int64))]
    pieces = np.lib.stride_tricks.sliding_window_view(samples, n_fft)[starts] * np.hanning(n_fft).astype(np.float32)
    power = np.square(np.abs(np.fft.rfft(pieces, axis=1))).mean(0, dtype=np.float64)
    n_lines = max(1, round(_SMOOTH_HZ * n_fft / sample_rate)) | 1
    return np.convolve(np.pad(power, n_lines // 2, mode="edge"), np.ones(n_lines) / n_lines, "valid")
