"""Disturbance: what is heard beside the voice, told apart: mains hum, hiss, music, and the room's own sound.

No weights: NumPy alone. The first minute is heard, as SpeechActivity levels it.

* Hum: lines at multiples of 50 or 60 Hz that stand out of a spectrum which a tenth of all moments stays below. Speech pauses and glides;
  hum does neither. One line alone may be anything: several at once decide.
* Hiss: what the same spectrum has above 1 kHz. Noise has a tenth of its moments below 0.105 of its mean (its power is exponential).
* Music: moments with at least two tones that keep their pitch to a quarter of a line for a fifth of a second, hum aside. Counted in the
  pauses of the speech, or everywhere where the speech has hardly any: the lines of a voice glide.
* Room: how fast sound dies away after it stopped, in three octaves, fitted from 3 dB under its beginning. Half of the decays are at most
  that long: in a dry room the voice's own ends, of about 0.15 s, otherwise the room's (as in Ratnam et al., "Blind estimation of
  reverberation time", JASA 2003). Background that hides the ends leaves too few of them to tell.
"""

from dataclasses import dataclass

import numpy as np

from engines.clips.clip import FRAMES_PER_SECOND
from engines.clips.speech_activity import RATE_HZ

__all__ = ["MOST_RATIO_DB", "Disturbance"]

MOST_RATIO_DB = 60.0  # digital silence between words says no more than that
_MOST_SAMPLES = 60 * RATE_HZ
_TINY = 1e-12  # -120 dBFS
_QUIET_PERCENT, _QUIET_OF_MEAN = 10, 0.105  # of exponentially distributed power

_HUM_FFT, _HUM_HOP = 8192, 2048  # lines 2 Hz apart
_MAINS_HZ, _MAINS_DRIFT, _HARMONICS = (50, 60), 0.005, np.arange(1, 11)
_LINE_BINS, _BESIDE_BINS = 1, (4, 12)
_LEAST_LINES, _LEAST_LINE_DB, _MOST_LINE_DB = 3, 10.0, 30.0
_LEAST_COMB_DB = 85.0  # of all lines together: voices have up to 70, music up to 100 with most of it in two lines
_HISS_HZ = 1000.0

_TONE_FFT, _TONE_HOP = 2048, 512  # lines 8 Hz apart, every 32 ms
_TONE_BINS = slice(20, 512)  # 150 Hz to 4 kHz
_FLOOR_BINS, _TONE_DB = 25, 8.0
_TONE_LEAST = 1e-3  # of the power of a full line, so that what only a codec leaves in the pauses is none
_STEADY_BINS, _STEADY_FRAMES, _LEAST_TONES = 0.25, 4, 2
_LEAST_PAUSE_SECONDS = 0.6

_ROOM_FFT, _ROOM_HOP, _OCTAVES_HZ = 512, 160, (500, 1000, 2000)
_RISE_DB = 0.3  # within a decay, since reverberation is noise
_FLOOR_DB, _BELOW_LOUD_DB, _LEAST_FALL_DB, _DIRECT_DB = 6.0, 20.0, 12.0, 3.0
_LEAST_DECAY_FRAMES, _LEAST_DECAYS = 5, 8


@dataclass(frozen=True)
class Disturbance:
    """hum_hz: 50 or 60, 0 without hum. hum_db, hiss_db: power of the speech over that of the hum, and of the hiss, 0 to 60.

    music_percent: 0 to 100 of the pauses (of everything, where there are hardly any). reverberation_seconds: until a sound has died away by
    60 dB; 0 where it cannot be told.
    """

    hum_hz: int = 0
    hum_db: float = MOST_RATIO_DB
    hiss_db: float = MOST_RATIO_DB
    music_percent: float = 0.0
    reverberation_seconds: float = 0.0

    @classmethod
    def of(cls, samples: np.ndarray, speech: np.ndarray) -> "Disturbance":
        """samples: (T,) at 16 kHz. speech: (F,) bool, frames of 10 ms. Of a clip without speech nothing is told."""
        heard = samples[:_MOST_SAMPLES]
        if not speech.any() or len(heard) < _HUM_FFT:
            return cls()
        spectra = _spectra(heard, _HUM_FFT, _HUM_HOP)
        quiet = np.percentile(spectra, _QUIET_PERCENT, axis=0)
        spoken = spectra[_at(speech, len(spectra), _HUM_HOP)]
        loudness = float(spoken.mean(0).sum()) if len(spoken) else float(spectra.mean(0).sum())
        hum_hz, mains_hz, hum = _hum(quiet)
        hiss = float(quiet[round(_HISS_HZ * _HUM_FFT / RATE_HZ) :].sum()) / _QUIET_OF_MEAN
        return cls(
            hum_hz,
            _ratio_db(loudness, hum) if hum_hz else MOST_RATIO_DB,
            _ratio_db(loudness, hiss),
            _music_percent(heard, speech, mains_hz),
            _reverberation_seconds(heard),
        )


def _spectra(samples: np.ndarray, n_fft: int, hop: int) -> np.ndarray:
    """(N, n_fft / 2 + 1) power, the first window centered on the first sample."""
    pieces = np.lib.stride_tricks.sliding_window_view(np.pad(samples, n_fft // 2), n_fft)[::hop]
    return np.square(np.abs(np.fft.rfft(pieces * np.hanning(n_fft).astype(np.float32), axis=1)))


def _at(frames: np.ndarray, n: int, hop: int) -> np.ndarray:
    """What frames of 10 ms say at the middles of n windows."""
    middles = np.arange(n) * hop * FRAMES_PER_SECOND // RATE_HZ
    return frames[np.minimum(middles, len(frames) - 1)]


def _ratio_db(speech: float, other: float) -> float:
    return float(np.clip(10 * np.log10(max(speech, _TINY) / max(other, _TINY)), 0.0, MOST_RATIO_DB))


def _hum(quiet: np.ndarray) -> tuple[int, float, float]:
    """The mains' nominal frequency (0 for no hum), the one found, and the power of its lines."""
    found = []
    for nominal in _MAINS_HZ:
        for mains_hz in np.linspace(nominal * (1 - _MAINS_DRIFT), nominal * (1 + _MAINS_DRIFT), 11):
            lines = [_line(quiet, round(harmonic * mains_hz * _HUM_FFT / RATE_HZ)) for harmonic in _HARMONICS]
            heights = np.array([height for height, _ in lines])
            powers = np.array([power for _, power in lines])
            stands = heights > _LEAST_LINE_DB
            found.append((int(stands.sum()), float(np.clip(heights, 0, _MOST_LINE_DB).sum()), nominal, mains_hz, powers[stands].sum()))
    n_lines, comb_db, nominal, mains_hz, power = max(found)
    is_hum = n_lines >= _LEAST_LINES and comb_db >= _LEAST_COMB_DB
    return (nominal if is_hum else 0), float(mains_hz), float(power)


def _line(quiet: np.ndarray, at: int) -> tuple[float, float]:
    """How far a line stands above its neighborhood in decibels, and its power above that."""
    near, far = _BESIDE_BINS
    beside = float(np.median(np.concatenate([quiet[max(0, at - far) : max(0, at - near)], quiet[at + near : at + far + 1]])))
    line = quiet[at - _LINE_BINS : at + _LINE_BINS + 1]
    return 10 * float(np.log10((line.max() + _TINY) / (beside + _TINY))), max(float(line.sum()) - len(line) * beside, 0.0)


# --- music


def _music_percent(samples: np.ndarray, speech: np.ndarray, mains_hz: float) -> float:
    """mains_hz: whose lines are no tones, even where they are too weak to be called hum."""
    n_tones = _steady_tones(_tones(samples, mains_hz))
    near = np.convolve(speech, np.ones(2 * _TONE_FFT * FRAMES_PER_SECOND // RATE_HZ // 2 + 1), "same") > 0
    pauses = ~_at(near, len(n_tones), _TONE_HOP)
    listened = pauses if pauses.sum() * _TONE_HOP >= _LEAST_PAUSE_SECONDS * RATE_HZ else np.ones_like(pauses)
    return 100 * float((n_tones[listened] >= _LEAST_TONES).mean())


def _tones(samples: np.ndarray, mains_hz: float) -> np.ndarray:
    """(N, B) where in the spectrum's lines a tone is, to a fraction of a line; NaN where none is."""
    power = _spectra(samples, _TONE_FFT, _TONE_HOP)
    level = 10 * np.log10(power + _TINY)
    sums = np.cumsum(np.pad(level, ((0, 0), (_FLOOR_BINS // 2 + 1, _FLOOR_BINS // 2)), mode="edge"), axis=1)
    floor = (sums[:, _FLOOR_BINS:] - sums[:, :-_FLOOR_BINS]) / _FLOOR_BINS
    below, here, above = level[:, :-2], level[:, 1:-1], level[:, 2:]
    is_tone = (here >= below) & (here > above) & (here > floor[:, 1:-1] + _TONE_DB) & (power[:, 1:-1] > _TONE_LEAST)
    places = np.arange(1, level.shape[1] - 1) + (below - above) / np.minimum(2 * (below - 2 * here + above), -_TINY)
    turns = places * RATE_HZ / _TONE_FFT / mains_hz
    is_tone &= np.abs(turns - np.round(turns)) * mains_hz > RATE_HZ / _TONE_FFT / 2
    return np.where(is_tone, places, np.nan)[:, _TONE_BINS]


def _steady_tones(tones: np.ndarray) -> np.ndarray:
    """(N,) how many tones have kept their place over _STEADY_FRAMES."""
    lasted = np.zeros(tones.shape, np.int32)
    before, lasted_before = np.full(tones.shape[1], np.nan), np.zeros(tones.shape[1], np.int32)
    for index, now in enumerate(tones):
        kept = [np.where(np.abs(np.roll(before, by) - now) < _STEADY_BINS, np.roll(lasted_before, by), 0) for by in (-1, 0, 1)]
        lasted[index] = np.where(np.isnan(now), 0, np.max(kept, axis=0) + 1)
        before, lasted_before = now, lasted[index]
    return (lasted >= _STEADY_FRAMES).sum(1)


# --- room


def _reverberation_seconds(samples: np.ndarray) -> float:
    power = _spectra(samples, _ROOM_FFT, _ROOM_HOP)
    decays = [seconds for hertz in _OCTAVES_HZ for seconds in _decays(power, hertz)]
    return float(np.median(decays)) if len(decays) >= _LEAST_DECAYS else 0.0


def _decays(power: np.ndarray, hertz: int) -> list[float]:
    """Seconds per 60 dB of all falls of an octave that are long enough to be fitted."""
    first, last = (round(edge * _ROOM_FFT / RATE_HZ) for edge in (hertz, 2 * hertz))
    level = 10 * np.log10(np.convolve(power[:, first:last].sum(1), np.ones(3) / 3, "same") + _TINY)
    floor, loud = np.percentile(level, 5) + _FLOOR_DB, np.percentile(level, 90) - _BELOW_LOUD_DB
    falls = np.flatnonzero(np.diff(np.diff(level) < _RISE_DB, prepend=False, append=False)).reshape(-1, 2)
    seconds = []
    for start, end in falls:
        top = start + int(level[start : end + 1].argmax())
        fall = level[top : end + 1]
        fall = fall[fall > floor]
        fitted = fall[fall < fall[0] - _DIRECT_DB] if len(fall) else fall
        if len(fitted) < _LEAST_DECAY_FRAMES or fall[0] - fall[-1] < _LEAST_FALL_DB or fall[0] < loud:
            continue
        slope = np.polyfit(np.arange(len(fitted)), fitted, 1)[0]
        seconds += [-60 / slope / FRAMES_PER_SECOND] if slope < 0 else []
    return seconds
