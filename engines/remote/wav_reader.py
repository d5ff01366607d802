"""WavReader: turns 16-bit mono WAV from a connection into samples. The bytes may be cut anywhere."""

from collections.abc import Generator

import numpy as np

__all__ = ["WavReader", "WavUnreadable"]

PCM, EXTENSIBLE = 1, 0xFFFE
PCM_SUBTYPE = bytes.fromhex("0100000000001000800000aa00389b71")  # KSDATAFORMAT_SUBTYPE_PCM
UNKNOWN_BYTES = 0x7FFF_0000  # of sound: whoever knows no length writes this or more, mostly 0xFFFFFFFF
MOST_BYTES_BEFORE = 1024 * 1024  # of all that stands before the sound, pictures and notes included
LEAST_FORMAT_BYTES, EXTENSIBLE_BYTES, MOST_FORMAT_BYTES = 16, 40, 4_096
LEAST_RATE, MOST_RATE = 1_000, 768_000


class WavUnreadable(Exception):
    """What was sent is no sound that is understood; its text says why, as in "What the server sent ..."."""


class WavReader:
    """Bytes in, samples out. A length of 0 or of at least UNKNOWN_BYTES stands for none that was known.

    sample_rate: Hz; 0 until it was read. Chunks that are not sound are passed over, before and behind it.
    """

    def __init__(self):
        self.sample_rate = 0
        self._held = b""
        self._is_sound = False
        self._n_left: int | None = None  # bytes of sound that are promised and have not come; None where no length was known
        self._n_before = 0
        self._n_wanted = 0  # bytes without which the header is not read on
        self._header = self._read_header()
        self._n_wanted = next(self._header)

    def push(self, data: bytes) -> np.ndarray:
        """(T,) float32 in [-1, 1], T sometimes 0. Raises WavUnreadable."""
        self._held += data
        while not self._is_sound and len(self._held) >= self._n_wanted:
            taken, self._held = self._held[: self._n_wanted], self._held[self._n_wanted :]
            self._n_before += len(taken)
            self._n_wanted = self._header.send(taken)
        if self._is_sound:
            return self._samples()
        if self._n_before + self._n_wanted > MOST_BYTES_BEFORE:
            raise WavUnreadable("has no sound in its first megabyte")
        return np.zeros(0, np.float32)

    @property
    def is_whole(self) -> bool:
        """Whether all of the sound that was promised is here; False where no length was known."""
        return self._is_sound and self._n_left == 0

    def is_short(self) -> bool:
        """Whether there would be less than was promised, if it ended here."""
        return not self._is_sound or bool(self._n_left)

    def _read_header(self) -> Generator[int, bytes, None]:
        """Yields how many bytes it wants, is sent them, and ends with a yield of 0 when the sound begins."""
        begin = yield 12
        if begin[:4] != b"RIFF" or begin[8:] != b"WAVE":
            raise WavUnreadable("is no WAV")
        while True:
            head = yield 8
            name, n_bytes = head[:4], int.from_bytes(head[4:], "little")
            if name == b"data":
                break
            if name == b"fmt " and not LEAST_FORMAT_BYTES <= n_bytes <= MOST_FORMAT_BYTES:
                raise WavUnreadable("is no WAV")
            body = yield n_bytes + n_bytes % 2  # a chunk of an odd length has a byte behind it
            if name == b"fmt ":
                self._read_format(body)
        if not self.sample_rate:
            raise WavUnreadable("is a WAV that does not say how it is written")
        self._n_left = n_bytes if 0 < n_bytes < UNKNOWN_BYTES else None
        self._is_sound = True
        yield 0

    def _read_format(self, body: bytes) -> None:
        code, n_channels, rate = (int.from_bytes(body[a:b], "little") for a, b in ((0, 2), (2, 4), (4, 8)))
        n_bits = int.from_bytes(body[14:16], "little")
        is_pcm = code == PCM or (code == EXTENSIBLE and body[24:EXTENSIBLE_BYTES] == PCM_SUBTYPE)
        if not is_pcm or n_bits != 16:
            raise WavUnreadable(f"is WAV of format {code} with {n_bits} bits, and only PCM of 16 bits is read")
        if n_channels != 1:
            raise WavUnreadable(f"has {n_channels} channels, and speech has one")
        if not LEAST_RATE <= rate <= MOST_RATE:
            raise WavUnreadable(f"has a rate of {rate} Hz")
        self.sample_rate = rate

    def _samples(self) -> np.ndarray:
        n_bytes = len(self._held) if self._n_left is None else min(len(self._held), self._n_left)
        n_bytes -= n_bytes % 2
        samples = np.frombuffer(self._held, "<i2", count=n_bytes // 2).astype(np.float32) / 32_768
        self._held = self._held[n_bytes:]
        if self._n_left is not None:
            self._n_left -= n_bytes
            self._held = self._held if self._n_left > 1 else b""  # what stands behind the sound
            self._n_left = 0 if self._n_left == 1 else self._n_left
        return samples
