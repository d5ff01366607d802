"""SoundFile: what a finished sound file really holds. It is read from the file itself."""

import hashlib
import math
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.audio.formats import wav_header
from studio.listening.plan.materials import SAMPLE_RATE, loudness_of

__all__ = ["SoundFile", "read_sound_file"]

HEADER_BYTES = 44
_FORMAT = slice(20, 36)  # of the header: PCM, channels, rate, bits
MOST_KEPT = 2048
_KNOWN: OrderedDict[tuple[str, int], "SoundFile"] = OrderedDict()  # by hash and length of the sound; the oldest go
_HOP_SECONDS, _RUN_HOPS = 0.005, 4
# Speech stands out of the loudest of what is before it (or behind it) by 6 dB, and is at most 45 dB below the loudest there is; that
# counts for no more than 15 dB below, or speech itself would be taken for what is before it.
_ABOVE_DB, _RANGE_DB, _MOST_DB = 6.0, 45.0, 15.0
_BEFORE_SECONDS = 0.14
_SILENT_DB = -200.0


@dataclass(frozen=True)
class SoundFile:
    """n_bytes, sha256: of the file. is_plain: whether it is 48 kHz, 16 bit, mono. is_bare: whether it holds nothing beside samples and the
    44 bytes that say that.

    The rest is of its samples, and of none where it is not plain and bare. peak_db: of full scale. before, after: silence at both ends of
    the sound, seconds; None where nothing stands out.
    """

    n_bytes: int
    sha256: str
    is_plain: bool
    is_bare: bool
    lufs: float | None = None
    peak_db: float = _SILENT_DB
    before: float | None = None
    after: float | None = None

    @property
    def padded_seconds(self) -> float:
        return (self.n_bytes - HEADER_BYTES) / 2 / SAMPLE_RATE


def read_sound_file(path: Path, seconds: float) -> SoundFile | None:
    """seconds: of the sound, without the padding behind it. None where there is no file. Raises OSError where it cannot be read.

    The file is read each time; what is measured of it is kept by its hash, of the last 2,048 sounds.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    digest, n_samples = hashlib.sha256(data).hexdigest(), round(seconds * SAMPLE_RATE)
    known = _KNOWN.get((digest, n_samples))
    if known is None:
        known = _KNOWN[digest, n_samples] = _measured(data, digest, n_samples)
        while len(_KNOWN) > MOST_KEPT:
            _KNOWN.popitem(last=False)
    return known


def _measured(data: bytes, digest: str, n_samples: int) -> SoundFile:
    header = wav_header(SAMPLE_RATE, len(data) - HEADER_BYTES) if len(data) >= HEADER_BYTES else b""
    is_plain = bool(header) and data[_FORMAT] == header[_FORMAT] and data[8:16] == header[8:16]
    is_bare = is_plain and data[:HEADER_BYTES] == header
    if not is_bare:
        return SoundFile(len(data), digest, is_plain, is_bare)
    samples = np.frombuffer(data, "<i2", offset=HEADER_BYTES).astype(np.float32) / np.float32(32768)
    peak = float(np.abs(samples).max(initial=0.0))
    sound = samples[:n_samples]
    return SoundFile(
        len(data),
        digest,
        is_plain,
        is_bare,
        loudness_of(samples),
        20 * math.log10(peak) if peak else _SILENT_DB,
        _silence(sound),
        _silence(sound[::-1]),
    )


def _silence(samples: np.ndarray) -> float | None:
    """Seconds before something stands out that lasts 20 ms."""
    hop = round(_HOP_SECONDS * SAMPLE_RATE)
    n_hops = len(samples) // hop
    n_before = round(_BEFORE_SECONDS / _HOP_SECONDS)
    if n_hops <= n_before:
        return None
    power = np.square(samples[: n_hops * hop].reshape(n_hops, hop), dtype=np.float64).mean(axis=1)
    runs = np.convolve(power, np.ones(_RUN_HOPS) / _RUN_HOPS, "valid")
    loud = runs.max()
    noise = min(runs[: n_before - _RUN_HOPS].max() * 10 ** (_ABOVE_DB / 10), loud * 10 ** (-_MOST_DB / 10))
    heard = power > max(noise, loud * 10 ** (-_RANGE_DB / 10))
    lasting = np.nonzero(np.convolve(heard, np.ones(_RUN_HOPS), "valid") == _RUN_HOPS)[0]
    return float(lasting[0] * _HOP_SECONDS) if len(lasting) else None
