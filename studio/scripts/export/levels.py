"""Levels of a whole script by those of its takes. A take is measured once; gains, pauses and order are counted in afterwards."""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from studio.audio.loudness import HOP_SECONDS, LoudnessMeter, gated_loudness
from studio.audio.true_peak import LEAST_DB, TruePeakMeter, decibels
from studio.scripts.export.assembly import ReadTake
from studio.scripts.export.plan import ExportPlan
from studio.scripts.export.targets import Levels

__all__ = ["LevelsMeter", "PlanLevels", "TakeLevels", "TakeLevelsCache", "levels_of"]

MOST_TAKES = 20_000  # 1.2 kB for each ten seconds
WINDOW_SECONDS = 0.05
# The softest twentieth of a voice is what sounds between its words: pauses and closures are more than a tenth of fluent speech.
NOISE_SHARE = 0.05
_BIN_DB = 0.25


@dataclass(frozen=True, eq=False)
class TakeLevels:
    """hop_powers: (H,) float32, K-weighted, of 100 ms. window_powers: (W,) float32, of 50 ms, without digital silence at the ends.

    energy: sum of squares. peak: true peak, of full scale.
    """

    n_samples: int
    sample_rate: int
    energy: float
    peak: float
    hop_powers: np.ndarray
    window_powers: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray, sample_rate: int) -> "TakeLevels":
        """samples: (T,) int16."""
        sound = samples.astype(np.float32) / 32768
        loudness, peak = LoudnessMeter(sample_rate), TruePeakMeter(sample_rate)
        # The last hop is made whole by silence, as pauses do.
        loudness.push(np.pad(sound, (0, -len(sound) % round(HOP_SECONDS * sample_rate))))
        peak.push(sound)
        energy = float(np.square(sound, dtype=np.float64).sum())
        return cls(len(sound), sample_rate, energy, peak.linear, loudness.hop_powers.astype(np.float32), _windows(sound, sample_rate))


class TakeLevelsCache:
    """By the SHA-256 of the take; at most MOST_TAKES, the oldest use forgotten first. Thread-safe; two may measure the same take."""

    def __init__(self):
        self._lock = threading.Lock()
        self._levels: OrderedDict[str, TakeLevels] = OrderedDict()

    def of(self, sha256: str, read: ReadTake) -> TakeLevels:
        """Raises what `read` raises."""
        with self._lock:
            if found := self._levels.get(sha256):
                self._levels.move_to_end(sha256)
                return found
        measured = TakeLevels.of(*read(sha256))
        with self._lock:
            self._levels[sha256] = measured
            while len(self._levels) > MOST_TAKES:
                self._levels.popitem(last=False)
        return measured


@dataclass(frozen=True)
class PlanLevels:
    """noisiest: name in the cast of who has the most noise; None where nobody has any."""

    levels: Levels
    noisiest: str | None


def levels_of(plan: ExportPlan, take_levels: Callable[[str], TakeLevels]) -> PlanLevels:
    """Of the sound that the plan becomes, before any gain over the whole. Raises what `take_levels` raises.

    Hops begin anew with each take, so loudness is within 0.1 LU of that of the sound. What overlaps counts one after the other.
    """
    hops: list[np.ndarray] = []
    noise: dict[str, np.ndarray] = {}
    energy, peak, end = 0.0, 0.0, 0
    for line in plan.lines:
        take = take_levels(line.line.sha256)
        gain = 10 ** (line.gain_db / 20)
        hops += [_silent_hops(line.start - end, plan.sample_rate), take.hop_powers * gain**2]
        energy += take.energy * gain**2 * plan.sample_rate / take.sample_rate
        peak = max(peak, take.peak * gain)
        who = line.line.written.who
        noise[who] = noise.get(who, 0) + _histogram(take.window_powers * gain**2)
        end = line.end
    hops.append(_silent_hops(plan.n_samples - end, plan.sample_rate))
    rms = decibels(math.sqrt(energy / plan.n_samples)) if energy else None
    floors = {who: floor for who, found in noise.items() if (floor := _floor_db(found)) is not None}
    noisiest = max(floors, key=lambda who: floors[who], default=None)
    levels = Levels(gated_loudness(np.concatenate(hops)), rms, decibels(peak), _noise_db(floors))
    return PlanLevels(levels, noisiest)


class LevelsMeter:
    """Of a sound that comes block after block, as it is in a file. By one thread."""

    def __init__(self, sample_rate: int):
        self._loudness, self._peak = LoudnessMeter(sample_rate), TruePeakMeter(sample_rate)
        self._energy, self._n_samples = 0.0, 0

    def push(self, samples: np.ndarray) -> None:
        """samples: (T,) float32."""
        self._loudness.push(samples)
        self._peak.push(samples)
        self._energy += float(np.dot(samples, samples))
        self._n_samples += len(samples)

    def levels(self, noise_db: float | None) -> Levels:
        rms = decibels(math.sqrt(self._energy / self._n_samples)) if self._energy else None
        return Levels(self._loudness.integrated, rms, self._peak.dbtp, noise_db)


def _silent_hops(n_samples: int, sample_rate: int) -> np.ndarray:
    return np.zeros(max(0, round(n_samples / sample_rate / HOP_SECONDS)), np.float32)


def _windows(sound: np.ndarray, sample_rate: int) -> np.ndarray:
    n_window = round(WINDOW_SECONDS * sample_rate)
    n_whole = len(sound) // n_window * n_window
    powers = np.square(sound[:n_whole]).reshape(-1, n_window).mean(axis=1)
    heard = np.flatnonzero(powers)
    return powers[heard[0] : heard[-1] + 1] if len(heard) else powers[:0]


def _histogram(powers: np.ndarray) -> np.ndarray:
    """(N,) int64: how many in each _BIN_DB from LEAST_DB up; beyond full scale in the last."""
    n_bins = round(-LEAST_DB / _BIN_DB) + 1
    level = 10 * np.log10(np.maximum(powers.astype(np.float64), 10 ** (LEAST_DB / 10)))
    return np.bincount(np.clip((level - LEAST_DB) // _BIN_DB, 0, n_bins - 1).astype(np.int64), minlength=n_bins)


def _floor_db(found: np.ndarray) -> float | None:
    """Below which NOISE_SHARE of the windows lie; LEAST_DB of digital silence, None where there is no window."""
    if not found.sum():
        return None
    lowest = int(np.searchsorted(np.cumsum(found), NOISE_SHARE * found.sum()))
    return LEAST_DB + (lowest + 0.5) * _BIN_DB if lowest else LEAST_DB


def _noise_db(floors: Mapping[str, float]) -> float | None:
    highest = max(floors.values(), default=LEAST_DB)
    return None if highest == LEAST_DB else highest
