"""Mastering: turns all takes of a test into the files that listeners hear.

They are alike in rate, ends, loudness and length, and in bandwidth where the plan asks for it.

What is alike is settled over the whole test, so sounds are gone through twice (three times with bandwidth), one at a time: no more than
one text's are ever in memory.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.durable import put_file, sync_directory
from studio.audio.lowpass import STOP_RATIO, bandwidth_hz, lowpassed
from studio.listening.plan.design import Item
from studio.listening.plan.gold import gold_of
from studio.listening.plan.materials import SAMPLE_RATE, Level, as_heard, lowered_db, shaped, wav_bytes
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import SoundKey
from studio.listening.plan.render_steps import LOWPASS_HZ, RECORDED, original_of, sounds_of
from studio.listening.render.takes import Take, TakeFacts

__all__ = ["LEAST_BANDWIDTH_HZ", "SAME_BANDWIDTH", "Mastering", "cut_in_two"]

SAME_BANDWIDTH = 1.15  # systems whose reach differs by less are taken for equal: so much it varies with what is said
LEAST_BANDWIDTH_HZ = 3500.0  # of speech; what reaches less far is limited by what is said, not by an engine
MOST_REFERENCE_SECONDS = 12.0  # of an open reference that is a recording; BS.1534-3 has about 10 s, and 12 at most
_PAUSE_SECONDS = 0.05  # where a recording is cut, it is cut in the softest so long
_CUT_SHARE = 0.6  # no earlier than there


@dataclass(frozen=True)
class _Measured:
    level: Level
    n_samples: int


class Mastering:
    """take_of(job's key): what was made of it, None where it was not. Sounds without a take are left out."""

    def __init__(self, plan: Plan, take_of: Callable[[SoundKey], Take | None]):
        self._plan, self._take_of = plan, take_of
        self._keys: dict[int, list[SoundKey]] = {}
        for key in sounds_of(plan):
            self._keys.setdefault(key.text, []).append(key)

    def items(self, folder: Path, is_stopped: Callable[[], bool] = lambda: False) -> tuple[Item, ...]:
        """Written to `folder` as `<item id>.wav`, on disk when it returns; () where it was stopped. Raises OSError."""
        limit = self._limit_hz() if self._plan.equalise_bandwidth else None
        measured: dict[SoundKey, _Measured] = {}
        for text in self._keys:
            if is_stopped():
                return ()
            measured |= {key: _Measured(Level.of(samples), len(samples)) for key, (samples, _) in self._made(text, limit)}
        lowered = lowered_db([each.level for each in measured.values()], self._plan)
        items: list[Item] = []
        for text in self._keys:
            if is_stopped():
                return ()
            items += self._written(text, limit, measured, lowered, folder)
        sync_directory(folder)
        return tuple(items)

    def _written(
        self, text: int, limit: float | None, measured: Mapping[SoundKey, _Measured], lowered: float, folder: Path
    ) -> Iterator[Item]:
        longest = max((measured[key].n_samples for key in self._keys[text] if key in measured and not self._is_alone(key)), default=0)
        for key, (samples, facts) in self._made(text, limit):
            sound = as_heard(samples, measured[key].level, self._plan, lowered)
            n_samples = len(samples) if self._is_alone(key) else longest
            data = wav_bytes(np.pad(sound.samples, (0, n_samples - len(samples))))
            yield Item(
                id=_written(data, folder),
                system=key.system,
                role=key.role,
                text=key.text,
                sha256=hashlib.sha256(data).hexdigest(),
                seconds=sound.seconds,
                padded_seconds=n_samples / SAMPLE_RATE,
                gain_db=round(sound.gain_db, 3),
                lufs=None if sound.lufs is None else round(sound.lufs, 3),
                bandwidth_hz=sound.bandwidth_hz,
                ttfp_ms=facts.ttfp_ms,
                rtf=facts.rtf,
                cache=facts.cache,
                build=facts.build,
            )

    def _is_alone(self, key: SoundKey) -> bool:
        """The open reference that is a recording says another text, and is as long as that takes."""
        reference = self._plan.reference
        return key.role == "reference" and reference is not None and reference.source == RECORDED

    def _limit_hz(self) -> float | None:
        """The least of what systems reach; None where they reach equally far."""
        reach: dict[str, float] = {}
        for key in (key for keys in self._keys.values() for key in keys if key.role == "system"):
            take = self._take_of(key)
            if take is not None:
                reach[key.system] = max(reach.get(key.system, LEAST_BANDWIDTH_HZ), bandwidth_hz(self._shaped(take), SAMPLE_RATE))
        least, most = min(reach.values(), default=0.0), max(reach.values(), default=0.0)
        return least if most > SAME_BANDWIDTH * least else None

    def _made(self, text: int, limit: float | None) -> Iterator[tuple[SoundKey, tuple[np.ndarray, TakeFacts]]]:
        """(sound, samples and how they were made) of one text, before any gain. Recordings come last: they are as long as the longest."""
        longest = 0
        for key in sorted(self._keys[text], key=lambda key: key.role == RECORDED):
            original = original_of(self._plan, key)
            take = self._take_of(original) if original else None
            if take is None:
                continue
            samples = self._filtered(key, self._shaped(take), limit)
            if self._is_alone(key):
                samples = _cut(samples, round(MOST_REFERENCE_SECONDS * SAMPLE_RATE))
            elif key.role == RECORDED and longest:
                samples = _cut(samples, longest)
            else:
                longest = max(longest, len(samples))
            yield key, (samples, take.facts if original == key else TakeFacts())

    def _shaped(self, take: Take) -> np.ndarray:
        return shaped(take.samples, take.sample_rate, self._plan)

    def _filtered(self, key: SoundKey, samples: np.ndarray, limit: float | None) -> np.ndarray:
        if limit is not None:
            samples = lowpassed(samples, SAMPLE_RATE, limit / STOP_RATIO)  # the same slope for all, and nothing above the limit
        if key.role in LOWPASS_HZ:
            return lowpassed(samples, SAMPLE_RATE, LOWPASS_HZ[key.role])
        return gold_of(samples, self._plan.method) if key.role == "gold" else samples


def cut_in_two(samples: np.ndarray, sample_rate: int) -> tuple[np.ndarray, np.ndarray]:
    """A recording as two, parted in a pause near its middle."""
    low, high = int(0.35 * len(samples)), int(0.65 * len(samples))
    middle = low + _softest(samples[low:high], sample_rate)
    return samples[:middle], samples[middle:]


def _cut(samples: np.ndarray, most_samples: int) -> np.ndarray:
    """As much as fits, ended in a pause."""
    if len(samples) <= most_samples:
        return samples
    first = int(_CUT_SHARE * most_samples)
    kept = samples[: first + _softest(samples[first:most_samples], SAMPLE_RATE)].copy()
    n = min(len(kept), round(_PAUSE_SECONDS * SAMPLE_RATE) // 2)
    if n:
        kept[-n:] *= np.linspace(1, 0, n, dtype=np.float32)
    return kept


def _softest(samples: np.ndarray, sample_rate: int) -> int:
    """The middle of the softest _PAUSE_SECONDS."""
    n = min(len(samples), round(_PAUSE_SECONDS * sample_rate))
    if not n:
        return 0
    total = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    return int(np.argmin(total[n:] - total[:-n])) + n // 2


def _written(data: bytes, folder: Path) -> str:
    """The id of a new file."""
    item_id = secrets.token_hex(16)
    put_file(folder / f"{item_id}.wav", [data])
    return item_id
