"""ClipQuality: the quality of a recording, in numbers that hold for any model. clip_advice says what the numbers mean.

* Speech: what stands out of the background (ClipSound) and sounds like speech (speech_activity). Level, ratio and bandwidth are those
  of the speech; of whatever stands out, where none of it is speech.
* Clipping: samples in flat runs at an extreme where the histogram of amplitudes has a spike (the sign used by Aleinik and Matveev,
  "Detection of clipped fragments in speech signals", 2014). Resampling and lossy codecs round flat tops off: clipping before them is
  not seen.
* Bandwidth: Welch's averaged periodogram (IEEE Trans. AU 15(2), 1967) of the speech against that of the background.
* Voices: how many a recording has, one or more than one, from how its sounds differ from part to part. No weights: NumPy alone. A part is
  what is said between two pauses, cut to about 0.7 s of voiced sound; its mark is the mean of its mel cepstra and pitch. How far apart
  two parts of one voice lie is known from the recording itself: sounds within the parts vary, too (the pooled covariance, as in Gish, Siu
  and Rohlicek, "Segregation of speakers for speech recognition and speaker identification", ICASSP 1991). The parts are put into two
  groups (two means), and how clearly these differ decides. A cut between two microphones looks like a second voice; two voices that are
  alike, or that take turns quickly in one room, look like one. studio/measure/DIARY.md has the figures.
* Hum, hiss, music and room: disturbance.py tells them apart.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound, Span, decibels, hop_samples
from engines.clips.disturbance import MOST_RATIO_DB, Disturbance
from engines.clips.speech_activity import RATE_HZ, SpeechActivity

__all__ = ["ClipQuality", "clipped_share", "count_speakers", "measure_clip", "speaker_contrast"]

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
    other_percent: 0 to 100 of what is heard, which is no speech: music or noise. n_speakers: 0 without speech, 2 where there are signs of
    more than one. second_speaker: where the rarer of two voices seems to be; none where nothing says where.
    The other members are those of Disturbance.
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
    hum_hz: int = 0
    hum_db: float = MOST_RATIO_DB
    hiss_db: float = MOST_RATIO_DB
    music_percent: float = 0.0
    reverberation_seconds: float = 0.0
    second_speaker: tuple[Span, ...] = ()


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
        **vars(Disturbance.of(activity.samples, speech)),
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


# --- voices


# Of 388 recordings of one voice each none has more than 7.0; of 170 splices of two takes of one voice none more than 9.4.
MOST_CONTRAST_OF_ONE = 9.5
_HOP_FRAMES = 2  # every 20 ms is enough
_WINDOW_SAMPLES, _FFT_SAMPLES = 640, 1024  # 40 ms: two periods of a voice of 50 Hz
_LAGS = np.arange(40, 267)  # 60 to 400 Hz
_OCTAVE_COST = 0.05  # of the peak, so that of a period and its double the shorter is taken
_LEAST_REPEATED = 0.6  # of the autocorrelation's peak
_MOST_SEMITONES = 9.0  # from the median: what is farther was tracked wrongly
_MEL_BANDS, _MEL_HZ = 40, (60.0, 7600.0)
_CEPSTRA = 20
_PART_FRAMES, _LEAST_PART_FRAMES = 35, 20  # voiced, 20 ms each
_BRIDGED_PAUSE_FRAMES = 50  # of 10 ms: a part may go on after a shorter one
_LEAST_GROUP_FRAMES, _LEAST_FRAMES = 75, 150  # 1.5 s of one voice, 3 s of all
_SECOND_FRAMES = 50
_MOST_ROUNDS = 10
_MOST_FRAMES = 60 * FRAMES_PER_SECOND  # twice what an engine is given; what it costs grows with the square
_RIDGE, _LEAST_SPREAD = 1e-3, 1e-9


def count_speakers(samples: np.ndarray, speech: np.ndarray) -> int:
    """2 where there is probably more than one voice in the first minute, 1 otherwise.

    samples: (T,) at 16 kHz. speech: (F,) bool, frames of 10 ms.
    """
    return 2 if speaker_contrast(samples, speech[:_MOST_FRAMES]) > MOST_CONTRAST_OF_ONE else 1


def speaker_contrast(samples: np.ndarray, speech: np.ndarray) -> float:
    """How clearly the parts fall into two groups: T squared in seconds, over the root of all seconds. 0 for what is too short to tell."""
    features, places = _pitched_features(samples, speech)
    parts = _parts(places, speech)
    sizes = np.array([len(part) for part in parts])
    if len(parts) < 2 or sizes.sum() < _LEAST_FRAMES:
        return 0.0
    means = np.stack([features[part].mean(0) for part in parts])
    within = sum(np.cov(features[part].T, bias=True) * len(part) for part in parts) / sizes.sum()
    spread, axes = np.linalg.eigh(within + _RIDGE * np.trace(within) / len(within) * np.eye(len(within)))
    marks = means @ axes / np.sqrt(np.maximum(spread, _LEAST_SPREAD))
    return _clearest_split(marks, sizes) / _SECOND_FRAMES / np.sqrt(sizes.sum() / _SECOND_FRAMES)


def _pitched_features(samples: np.ndarray, speech: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V, CEPSTRA + 1) of the voiced frames of the speech, and where they are: (V,) numbers of frames of 10 ms."""
    frames = np.nonzero(speech)[0]
    hop = RATE_HZ // FRAMES_PER_SECOND
    padded = np.pad(samples, _WINDOW_SAMPLES // 2)
    frames = frames[(frames % _HOP_FRAMES == 0) & (frames * hop + _WINDOW_SAMPLES <= len(padded))]
    window = np.hanning(_WINDOW_SAMPLES).astype(np.float32)
    pieces = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW_SAMPLES)[frames * hop]
    power = np.square(np.abs(np.fft.rfft((pieces - pieces.mean(1, keepdims=True)) * window, _FFT_SAMPLES)))
    pitched, semitones = _pitch(power, window)
    if not pitched.any():
        return np.zeros((0, _CEPSTRA + 1)), frames[pitched]
    cepstra = np.log(power[pitched] @ _mel_filters().T + 1e-8) @ _cosines().T
    pitch = np.clip(semitones[pitched] - np.median(semitones[pitched]), -_MOST_SEMITONES, _MOST_SEMITONES)
    return np.column_stack([cepstra, pitch]), frames[pitched]


def _pitch(power: np.ndarray, window: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V,) bool, whether the autocorrelation, freed of the window's own (Boersma, 1993), has a peak at a voice's period; (V,) semitones."""
    own = np.fft.irfft(np.square(np.abs(np.fft.rfft(window, _FFT_SAMPLES))))
    repeats = np.fft.irfft(power)
    peaks = repeats[:, _LAGS] / own[_LAGS] * own[0]
    is_pitched = peaks.max(1, initial=0.0) >= _LEAST_REPEATED * np.maximum(repeats[:, 0], 1e-9)
    lags = _LAGS[(peaks * (1 - _OCTAVE_COST * np.log2(_LAGS / _LAGS[0]))).argmax(1)]
    return is_pitched, -12 * np.log2(lags)


def _parts(places: np.ndarray, speech: np.ndarray) -> list[np.ndarray]:
    """Indices of the voiced frames of each part. What is too short for one waits for the next words, if they come soon."""
    edges = np.flatnonzero(np.diff(speech, prepend=False, append=False))
    parts, waiting, last_end = [], np.zeros(0, np.int64), 0
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        new = np.arange(*np.searchsorted(places, (start, end)))
        if start - last_end <= _BRIDGED_PAUSE_FRAMES:
            new = np.concatenate([waiting, new])
        waiting, last_end = new, end
        if len(new) >= _LEAST_PART_FRAMES:
            parts += np.array_split(new, max(1, round(len(new) / _PART_FRAMES)))
            waiting = new[:0]
    return parts


def _clearest_split(marks: np.ndarray, sizes: np.ndarray) -> float:
    """The most of T squared, in frames, over two-means begun from the farthest pairs and from every cut in time. 0 without two groups."""
    distance = np.square(marks[:, None] - marks).sum(-1)
    farthest = [divmod(int(at), len(marks)) for at in np.argsort(-distance, axis=None)[::2][:5]]
    begins = [marks[list(pair)] for pair in farthest]
    begins += [_centers(marks, sizes, np.arange(len(marks)) >= cut) for cut in range(1, len(marks))]
    return max(_split(marks, sizes, centers) for centers in begins)


def _split(marks: np.ndarray, sizes: np.ndarray, centers: np.ndarray) -> float:
    group = np.zeros(len(marks), bool)
    for n_rounds in range(_MOST_ROUNDS):
        new = np.square(marks[:, None] - centers).sum(-1).argmin(1).astype(bool)
        is_settled = n_rounds and (new == group).all()
        group = new
        if is_settled or group.all() or not group.any():
            break
        centers = _centers(marks, sizes, group)
    n_one, n_all = int(sizes[group].sum()), int(sizes.sum())
    if min(n_one, n_all - n_one) < _LEAST_GROUP_FRAMES:
        return 0.0
    one, other = _centers(marks, sizes, group)
    return float(np.square(one - other).sum()) * n_one * (n_all - n_one) / n_all


def _centers(marks: np.ndarray, sizes: np.ndarray, group: np.ndarray) -> np.ndarray:
    return np.stack([np.average(marks[which], axis=0, weights=sizes[which]) for which in (~group, group)])


@cache
def _mel_filters() -> np.ndarray:
    """(MEL_BANDS, FFT_SAMPLES / 2 + 1) triangles."""
    low, high = (2595 * np.log10(1 + hertz / 700) for hertz in _MEL_HZ)
    edges = 700 * (10 ** (np.linspace(low, high, _MEL_BANDS + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(_FFT_SAMPLES, 1 / RATE_HZ)
    rise = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rise, fall))


@cache
def _cosines() -> np.ndarray:
    """(CEPSTRA, MEL_BANDS) of the DCT-II; the first, which is the level, is left out."""
    return np.cos(np.pi * np.outer(np.arange(1, _CEPSTRA + 1), np.arange(_MEL_BANDS) + 0.5) / _MEL_BANDS) * np.sqrt(2 / _MEL_BANDS)
