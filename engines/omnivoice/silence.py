"""Silence removal as in pydub 0.25.1, without pydub, on samples of 16 bits. For whole sounds and for sounds that come piece by piece.

Upstream (omnivoice/utils/audio.py, remove_silence @ 468e927) has pydub split the sound at its silences and cut both ends; codes of a
recording are read from what that leaves, so this is the same bit for bit. What pydub does, in milliseconds:

* It counts in whole milliseconds: a begun last one is completed with zeros from its half on, and left out below (round, half to even).
* The root mean square of a slice is cut to a whole number before it is compared (audioop.rms), so that -50 dBFS, 103.6 of 32768, means: at
  most 103.
* Silent slices of `middle_ms`, looked for every 10 ms and once more at the very end, that overlap or touch are one silence. `middle_ms` of
  it are kept on each side, so that what is up to twice as long stays whole; nothing is kept of one at the very beginning but the
  `middle_ms` before the sound, and of one at the very end but the `middle_ms` behind it.
* Then both ends are cut by chunks of 10 ms, counted from that end, down to `leading_ms` and `trailing_ms`. The end is looked at once the
  beginning is cut.
"""

from typing import overload

import numpy as np

__all__ = ["SilenceRemover", "remove_silence"]

STEP_MS = 10  # upstream's seek_step, and the chunk_size of pydub's detect_leading_silence
SILENT_DBFS = -50.0  # upstream
FULL_SCALE = 32768.0
LEAST_SAMPLE_RATE = 11_025  # of pydub's AudioSegment.silent, which pieces are joined to: at lower rates it resamples them to that


def remove_silence(samples: np.ndarray, rate: int, middle_ms: int, leading_ms: int, trailing_ms: int) -> np.ndarray:
    """(T,) float32 -> (T',) float32 of 16 bits. Of what SilenceRemover takes, and with its errors."""
    remover = SilenceRemover(rate, middle_ms, leading_ms, trailing_ms)
    return np.concatenate([remover.feed(samples), remover.finish()])


class SilenceRemover:
    """The same for sound that comes piece by piece: whatever the pieces, what they give is together the same.

    It holds back only what the sound that may follow decides: nothing within speech, pauses until it goes on.
    """

    def __init__(self, rate: int, middle_ms: int, leading_ms: int, trailing_ms: int):
        """rate: Hz, whole thousands from 12,000 on: of others, pydub's milliseconds are of unequal numbers of samples.

        middle_ms: 0 where silences between are kept, otherwise whole steps of 10 ms. Raises ValueError for anything else.
        """
        if rate % 1000 or rate < LEAST_SAMPLE_RATE:
            raise ValueError(f"silence is removed at whole thousands of Hz from 12,000 on, not at {rate}")
        if middle_ms % STEP_MS or min(middle_ms, leading_ms, trailing_ms) < 0:
            raise ValueError(f"silences have whole steps of {STEP_MS} ms, not {middle_ms}, {leading_ms} and {trailing_ms} ms")
        self._rate = rate
        self._n_samples = 0
        self._begun = np.zeros(0, np.int16)  # of a millisecond that is not complete
        scale = rate // 1000
        self._cuts = [_LeadingCut(leading_ms, scale), _TrailingCut(trailing_ms, scale)]
        if middle_ms:
            self._cuts.insert(0, _MiddleCut(middle_ms, scale))

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """samples: (T,) float32, full scale 1. returns: (T',) float32, what is certain now."""
        arrived = np.concatenate([self._begun, _sixteen_bits(samples)])
        self._n_samples += len(samples)
        n_whole = len(arrived) - len(arrived) % (self._rate // 1000)
        self._begun = arrived[n_whole:]
        return self._cut(arrived[:n_whole])

    def finish(self) -> np.ndarray:
        """(T',) float32, the rest. Nothing may be fed behind it."""
        size = self._rate // 1000
        n_missing = round(1000 * (self._n_samples / self._rate)) * size - (self._n_samples - len(self._begun))
        last = np.pad(self._begun, (0, size - len(self._begun)))[: max(n_missing, 0)]
        sounds = [self._cut(last)]
        for index, cut in enumerate(self._cuts):
            rest = cut.finish()
            for following in self._cuts[index + 1 :]:
                rest = following.feed(rest)
            sounds.append(_floats(rest))
        return np.concatenate(sounds)

    def _cut(self, samples: np.ndarray) -> np.ndarray:
        """(N * size,) int16 -> (T',) float32."""
        sound = samples.reshape(-1, self._rate // 1000)
        for cut in self._cuts:
            sound = cut.feed(sound)
        return _floats(sound)


class _MiddleCut:
    """Silences between, and what of those at both ends is longer than window_ms. Sound is (N, size) int16, a row per millisecond.

    A silence is known by the first and the last of its silent slices: everything between the end of the first and the beginning of the
    last is left out. One at the very beginning lacks all up to the beginning of its last slice, one at the very end all from the end of
    its first.
    """

    def __init__(self, window_ms: int, size: int):
        self._window = window_ms
        self._least_energy = _least_energy(window_ms * size)
        self._n = 0  # milliseconds that have come
        self._next_start = 0  # of the slice that is looked at next
        self._energies = np.zeros(0, np.int64)  # of the last milliseconds
        self._held = np.zeros((0, size), np.int16)  # what is neither given out nor left out
        self._held_from = 0
        # The silence that may still grow, by its last slice. It begins before everything, as if there had been one.
        self._last_start: int | None = -window_ms

    def feed(self, sound: np.ndarray) -> np.ndarray:
        self._n += len(sound)
        self._held = np.concatenate([self._held, sound])
        self._energies = np.concatenate([self._energies, _energies(sound)])
        given = [self._silence(run) for run in self._silent_runs()]
        if self._last_start is not None and self._energy_from(self._last_start + self._window) >= self._least_energy:
            self._last_start = None  # whatever follows, no slice that would make this silence longer is silent
        if self._last_start is None:
            given.append(self._given_to(self._n))
        # from the slice before the next on: the last of all may begin behind it, and a silence that may still grow ends there or later
        self._energies = self._energies[-(self._n - max(self._next_start - STEP_MS, 0)) :]
        return np.concatenate(given) if given else self._held[:0]

    def finish(self) -> np.ndarray:
        """The rest: nothing where the last slice is silent, which may lie between two steps."""
        start = self._n - self._window  # nothing is held but of a silence that the last slice would be of
        return self._held[:0] if start >= 0 and self._energy_from(start) < self._least_energy else self._held

    def _silent_runs(self) -> list[np.ndarray]:
        """Beginnings of the silent slices that are complete now, a run per silence."""
        starts = np.arange(self._next_start, self._n - self._window + 1, STEP_MS)
        if not len(starts):
            return []
        sums = np.concatenate([[0], np.cumsum(self._energies)])
        first = starts - (self._n - len(self._energies))
        silent = starts[sums[first + self._window] - sums[first] < self._least_energy]
        self._next_start = int(starts[-1]) + STEP_MS
        return np.split(silent, np.flatnonzero(np.diff(silent) > self._window) + 1) if len(silent) else []

    def _silence(self, run: np.ndarray) -> np.ndarray:
        """What is given out before a silence, which begins here or goes on."""
        first, last = int(run[0]), int(run[-1])
        given = self._held[:0]
        if self._last_start is None or first > self._last_start + self._window:
            given = self._given_to(first + self._window)
        self._given_to(last)
        self._last_start = last
        return given

    def _given_to(self, end: int) -> np.ndarray:
        n_given = max(end - self._held_from, 0)
        given, self._held = self._held[:n_given], self._held[n_given:]
        self._held_from += len(given)
        return given

    def _energy_from(self, start: int) -> int:
        return int(self._energies[len(self._energies) - (self._n - start) :].sum()) if start < self._n else 0


class _LeadingCut:
    """What is before the first chunk that is not silent, but for leading_ms of it. Sound as in _MiddleCut."""

    def __init__(self, leading_ms: int, size: int):
        self._leading = leading_ms
        self._size = size
        self._held: np.ndarray | None = np.zeros((0, size), np.int16)  # None from the first sound on
        self._n_silent = 0  # rows of it that are known to be silent: whole chunks

    def feed(self, sound: np.ndarray) -> np.ndarray:
        if self._held is None:
            return sound
        self._held = np.concatenate([self._held, sound])
        loud, n_chunks = _loud_chunks(self._held[self._n_silent :], _least_energy(STEP_MS * self._size))
        if not len(loud):
            self._n_silent += n_chunks * STEP_MS
            self._held = self._kept(self._held, self._n_silent)
            return self._held[:0]
        given, self._held = self._kept(self._held, self._n_silent + int(loud[0]) * STEP_MS), None
        return given

    def finish(self) -> np.ndarray:
        if self._held is None:
            return np.zeros((0, self._size), np.int16)
        rest = len(self._held) - self._n_silent
        is_loud = int(_energies(self._held[self._n_silent :]).sum()) >= _least_energy(max(rest, 1) * self._size)
        self._held = self._kept(self._held, self._n_silent if is_loud else len(self._held))
        return self._held

    def _kept(self, held: np.ndarray, silent: int) -> np.ndarray:
        """What is held without what is not kept of so many silent rows."""
        n_dropped = max(silent - self._leading, 0)
        self._n_silent = max(self._n_silent - n_dropped, 0)
        return held[n_dropped:]


def _loud_chunks(sound: np.ndarray, least_energy: int) -> tuple[np.ndarray, int]:
    """Which chunks are loud already, the last even if it is begun only; and how many are complete."""
    energies = _energies(sound)
    n_chunks = len(energies) // STEP_MS
    chunks = np.pad(energies, (0, -len(energies) % STEP_MS)).reshape(-1, STEP_MS).sum(1)
    return np.flatnonzero(chunks >= least_energy), n_chunks


class _TrailingCut:
    """What is behind the last chunk that is not silent, but for trailing_ms of it. Sound as in _MiddleCut.

    Chunks are counted from the end, which is not known before it is there: so they are looked at with all ten grids that it may give. The
    first chunk of a grid may be shorter than the others.
    """

    def __init__(self, trailing_ms: int, size: int):
        self._trailing = trailing_ms
        self._size = size
        self._n = 0  # milliseconds that have come
        self._energies = np.zeros(STEP_MS - 1, np.int64)  # of the last of them
        self._loud_ends = np.zeros(STEP_MS, np.int64)  # where the last loud chunk of a grid ends, by that place modulo 10
        self._held = np.zeros((0, size), np.int16)

    def feed(self, sound: np.ndarray) -> np.ndarray:
        energies = np.concatenate([self._energies, _energies(sound), np.zeros(STEP_MS - 1, np.int64)])
        chunks = np.convolve(energies, np.ones(STEP_MS, np.int64), "valid")  # by their ends, the last of them begun only
        ends = np.arange(self._n + 1, self._n + len(chunks) + 1)
        loud = ends[chunks >= _least_energy(np.minimum(ends, STEP_MS) * self._size)]
        self._n += len(sound)
        self._held = np.concatenate([self._held, sound])
        self._energies = energies[len(sound) : len(sound) + STEP_MS - 1]
        known = loud[loud <= self._n]
        np.maximum.at(self._loud_ends, known % STEP_MS, known)
        ahead = self._loud_ends.copy()
        np.maximum.at(ahead, loud % STEP_MS, loud)
        return self._given_to(int(ahead.min()) + self._trailing)

    def finish(self) -> np.ndarray:
        return self._given_to(int(self._loud_ends[self._n % STEP_MS]) + self._trailing)

    def _given_to(self, end: int) -> np.ndarray:
        n_given = max(end - (self._n - len(self._held)), 0)
        given, self._held = self._held[:n_given], self._held[n_given:]
        return given


def _sixteen_bits(samples: np.ndarray) -> np.ndarray:
    """Towards zero, as upstream (numpy_to_audiosegment)."""
    return (samples * FULL_SCALE).clip(-FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def _floats(sound: np.ndarray) -> np.ndarray:
    """(N, size) int16 -> (N * size,) float32."""
    return sound.reshape(-1).astype(np.float32) / np.float32(FULL_SCALE)


def _energies(sound: np.ndarray) -> np.ndarray:
    """(N, size) int16 -> (N,) int64, sums of squares."""
    wide = sound.astype(np.int64)
    return np.einsum("ns,ns->n", wide, wide)


@overload
def _least_energy(n_samples: int) -> int: ...
@overload
def _least_energy(n_samples: np.ndarray) -> np.ndarray: ...
def _least_energy(n_samples: int | np.ndarray) -> int | np.ndarray:
    """Sum of squares from which so many samples are not silent: the root of its mean is at least the first whole number above -50 dBFS."""
    least_rms = int(FULL_SCALE * 10 ** (SILENT_DBFS / 20)) + 1  # 104
    return least_rms**2 * n_samples
