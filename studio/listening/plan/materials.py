"""Materials: prepares a sound for blind listening: rate, silence at the ends, loudness, length. Its file gives nothing away.

A file is 48 kHz, 16 bit, mono, with a header of 44 bytes and nothing else. Dither lies over all of it, the silence at the end included, so
that the digital silence of one engine, or of what was added, is the same noise as everywhere: 96 dB below full scale, and not heard.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.audio.formats import to_pcm16, wav_header
from studio.audio.loudness import BLOCK_SECONDS, integrated_loudness
from studio.audio.lowpass import bandwidth_hz
from studio.listening.plan.plan import Plan
from studio.listening.plan.speech_bounds import speech_bounds

__all__ = [
    "MOST_LOWERED_DB", "MOST_PEAK_DB", "SAMPLE_RATE", "SILENCE_SECONDS", "Level", "PreparedSound", "as_heard", "loudness_of", "lowered_db",
    "shaped", "wav_bytes",
]  # fmt: skip

SAMPLE_RATE = 48_000  # Hz
SILENCE_SECONDS = 0.15  # before and behind speech
MOST_PEAK_DB = -1.0  # of full scale, after the gain: EBU R 128 has it for true peaks
# Speech peaks some 15 to 20 dB above its loudness. What peaks higher takes the whole test down with it, so that all sounds are equally
# loud; by no more than this, so that one broken sound does not make the test inaudible.
MOST_LOWERED_DB = 6.0
_FADE_SECONDS = 0.005
MOST_OFFSET = 1e-3  # -60 dB of full scale, which nobody hears come or go
_LEAST_PEAK_DB = -200.0  # of silence
SILENT_PEAK_DB = -70.0  # a sound that stays below is noise, which no gain should make speech


@dataclass(frozen=True, eq=False)
class PreparedSound:
    """samples: (T,) float32 at SAMPLE_RATE. gain_db: what was done to its loudness; lufs: what that came to, None of silence.

    bandwidth_hz: up to where there is sound.
    """

    samples: np.ndarray
    gain_db: float
    lufs: float | None
    bandwidth_hz: float

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE


@dataclass(frozen=True)
class Level:
    """Of a sound before its gain. lufs: None of silence. peak_db: of full scale."""

    lufs: float | None
    peak_db: float

    @classmethod
    def of(cls, samples: np.ndarray) -> "Level":
        """samples: (T,) float32 at SAMPLE_RATE."""
        peak = float(np.abs(samples).max(initial=0.0))
        peak_db = 20 * math.log10(peak) if peak else _LEAST_PEAK_DB
        if peak_db < SILENT_PEAK_DB:
            return cls(None, peak_db)
        at_full_scale = loudness_of(samples / np.float32(peak))  # or what is soft would lose parts to the absolute gate of -70 LUFS
        return cls(None if at_full_scale is None else at_full_scale + peak_db, peak_db)

    def gain_db(self, plan: Plan) -> float:
        """What it takes to be as loud as the plan says, whether or not it clips."""
        return plan.lufs - self.lufs if plan.match_loudness and self.lufs is not None else 0.0


def shaped(samples: np.ndarray, sample_rate: int, plan: Plan) -> np.ndarray:
    """At SAMPLE_RATE, and with SILENCE_SECONDS before and behind speech where the plan wants that; (T',) float32.

    Where there was less silence, there is digital silence; where there was more, what is left of it comes and goes within 5 ms. Sound in
    which nothing stands out keeps its length. An offset goes: speech would not stand out from it, and it clicks where silence begins.
    """
    offset = float(samples.mean()) if len(samples) else 0.0
    if abs(offset) > MOST_OFFSET:
        samples = samples - np.float32(offset)
    if sample_rate != SAMPLE_RATE:
        import soxr

        samples = soxr.resample(samples, sample_rate, SAMPLE_RATE, quality="VHQ")
    bounds = speech_bounds(samples, SAMPLE_RATE) if plan.trim_silence else None
    if bounds is None:
        return samples
    silence = round(SILENCE_SECONDS * SAMPLE_RATE)
    first, last = bounds[0] - silence, bounds[1] + silence
    kept = _faded(samples[max(0, first) : last], begins=first > 0, ends=last < len(samples))
    return np.pad(kept, (max(0, -first), max(0, last - len(samples))))


def lowered_db(levels: Sequence[Level], plan: Plan) -> float:
    """By how much all sounds of a test are softer than the plan says, so that none of them clips: 0 to MOST_LOWERED_DB."""
    over = max((level.peak_db + level.gain_db(plan) - MOST_PEAK_DB for level in levels), default=0.0)
    return min(max(over, 0.0), MOST_LOWERED_DB)


def as_heard(samples: np.ndarray, level: Level, plan: Plan, lowered: float = 0.0) -> PreparedSound:
    """A sound with its gain. lowered: dB, of all sounds of the test. One that would clip even so is softer than the others, and a check
    tells of it."""
    gain = min(level.gain_db(plan) - lowered, MOST_PEAK_DB - level.peak_db)
    louder = (samples * np.float32(10 ** (gain / 20))).astype(np.float32) if gain else samples
    return PreparedSound(louder, gain, None if level.lufs is None else level.lufs + gain, bandwidth_hz(samples, SAMPLE_RATE))


def loudness_of(samples: np.ndarray) -> float | None:
    """LUFS of a sound with silence behind it, as it is in its file: the same, however much of that there is."""
    return integrated_loudness(np.pad(samples, (0, round(BLOCK_SECONDS * SAMPLE_RATE))), SAMPLE_RATE)


def wav_bytes(samples: np.ndarray) -> bytes:
    """A WAV of (T,) float32 at SAMPLE_RATE: RIFF, fmt, data, and nothing else; 16 bits with triangular dither of two steps' width
    (Lipshitz, Wannamaker, Vanderkooy, "Quantization and dither", JAES 40, 1992), drawn from the sound: the same one gives the same file.
    """
    chance = np.random.default_rng(np.frombuffer(hashlib.sha256(samples.tobytes()).digest(), np.uint32))
    dither = chance.random(len(samples), np.float32) - chance.random(len(samples), np.float32)
    data = to_pcm16(samples + dither / np.float32(32768))
    return wav_header(SAMPLE_RATE, len(data)) + data


def _faded(samples: np.ndarray, *, begins: bool, ends: bool) -> np.ndarray:
    """Where it was cut out of a longer sound it comes, or goes, by half a cosine."""
    n = min(round(_FADE_SECONDS * SAMPLE_RATE), len(samples) // 2)
    fade = (0.5 - 0.5 * np.cos(np.pi * (np.arange(n) + 0.5) / n)).astype(np.float32) if n else np.zeros(0, np.float32)
    faded = samples.copy()
    if begins:
        faded[:n] *= fade
    if ends and n:
        faded[-n:] *= fade[::-1]
    return faded
