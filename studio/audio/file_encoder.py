"""FileEncoder: encodes samples into a whole file, piece by piece.

It keeps a small part in memory, and the rest in a temporary file without a name.

No model. Pieces of a file that is not over yet, for who streams it: stream_encoder.py.
"""

import io
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import SpooledTemporaryFile
from typing import IO, Any, BinaryIO, cast

import numpy as np
import soundfile
import soxr

from studio.audio.formats import Format, check_finite, file_rate, to_pcm16, wav_header
from studio.audio.stream_encoder import open_stream_encoder
from studio.errors import disk_error

__all__ = ["EncodedFile", "FileEncoder"]

MOST_MEMORY_BYTES = 2 << 20  # 45 s at 24 kHz; a batch of 32 files then has 64 MiB in memory at most
TEMPORARY = "TMPDIR"  # the setting of the folder of temporary files
_BLOCK_SAMPLES = 1 << 16


class EncodedFile:
    """A whole file, read from its beginning to its end, once. Must be closed; it is gone then. len: bytes."""

    def __init__(self, spool: IO[bytes]):
        self._spool = spool
        self._n_bytes = spool.seek(0, os.SEEK_END)
        spool.seek(0)

    def __len__(self) -> int:
        return self._n_bytes

    def read(self, n_bytes: int = -1) -> bytes:
        """The next n_bytes, or all that are left; b"" at the end. May read from disk."""
        return self._spool.read(n_bytes)

    def blocks(self, n_bytes: int) -> Iterator[bytes]:
        """What is left, n_bytes at a time; the last may be shorter."""
        return iter(lambda: self.read(n_bytes), b"")

    def close(self) -> None:
        """Idempotent."""
        self._spool.close()


class FileEncoder:
    """`push` samples, then `finish` for the file, by one thread at a time; `close` in the middle, from any. Must be finished or closed.

    16 bits where the format counts bits. opus, mp3 and aac know few rates: others are resampled (opus to 48 kHz, the others to the next
    higher one). The same samples make the same file, however they are cut, but for the random number of an Ogg stream.
    """

    def __init__(self, format: Format, sample_rate: int):
        """sample_rate: Hz of the samples. Raises OSError, as `push` and `finish` do, where no temporary file can be written."""
        rate = file_rate(sample_rate, format)
        self._lock = threading.Lock()
        spool = _Spool(MOST_MEMORY_BYTES)
        self._spool: _Spool | None = spool
        self._resampler = soxr.ResampleStream(sample_rate, rate, 1, dtype="float32", quality="HQ") if rate != sample_rate else None
        self._writer = _writer(format, spool, rate)

    def push(self, samples: np.ndarray) -> None:
        """samples: (T,) float32, clipped to [-1, 1]. Raises NoAudio for what is no number."""
        check_finite(samples)
        with self._lock:
            if self._spool is not None:
                self._write(self._spool, samples if self._resampler is None else self._resampler.resample_chunk(samples))

    def finish(self) -> EncodedFile:
        """The file, which is the caller's to close. Not after `close`."""
        with self._lock:
            spool = self._spool
            assert spool is not None
            if self._resampler is not None:
                self._write(spool, self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
            with spool.refusals_told():
                self._writer.close(whole=True)
            self._spool = None
            return EncodedFile(spool)

    def close(self) -> None:
        """Nothing is left of it; nothing happens once it is finished. Idempotent."""
        with self._lock:
            spool, self._spool = self._spool, None
            if spool is not None:
                self._writer.close(whole=False)
                spool.close()

    def _write(self, spool: "_Spool", samples: np.ndarray) -> None:
        with spool.refusals_told():
            for start in range(0, len(samples), _BLOCK_SAMPLES):  # libsndfile's Ogg encoders put a whole write on the stack
                self._writer.write(samples[start : start + _BLOCK_SAMPLES])


class _Spool(SpooledTemporaryFile[bytes]):
    """Stays in memory where the disk has no room for it when it grows, which the seconds of an answer bound."""

    def __init__(self, most_memory_bytes: int):
        super().__init__(most_memory_bytes)
        self._refusal: OSError | None = None

    def rollover(self) -> None:
        in_memory = self._file
        try:
            super().rollover()
        except OSError:
            if self._file is not in_memory:
                with suppress(OSError):  # of what it could not write
                    self._file.close()
            self._file, self._max_size = in_memory, 0  # which asks no more

    def write(self, s: Any) -> int:
        """s: bytes, or what holds some. What the disk refuses is told by `refusals_told`: libsndfile, which writes by a callback, could not
        pass it on."""
        if self._refusal is None:
            try:
                super().write(s)
                self.flush()  # else a seek, or the end, would be the first to know
            except OSError as error:
                self._give_up(error)
        return memoryview(s).nbytes

    @contextmanager
    def refusals_told(self) -> Iterator[None]:
        """Raises what the disk refused of all that was written within, whatever the encoder makes of it."""
        try:
            yield
        finally:
            if self._refusal is not None:
                raise disk_error(self._refusal, TEMPORARY) or self._refusal

    def _give_up(self, error: OSError) -> None:
        """Keep nothing: what could not be written would be tried again at every seek, and when the file is closed."""
        self._refusal = error
        with suppress(OSError):
            self._file.close()
        self._file = io.BytesIO()


class _Writer(ABC):
    @abstractmethod
    def write(self, samples: np.ndarray) -> None: ...

    @abstractmethod
    def close(self, *, whole: bool) -> None:
        """whole: write what comes last."""


class _PcmWriter(_Writer):
    def __init__(self, spool: IO[bytes]):
        self._spool = spool

    def write(self, samples: np.ndarray) -> None:
        self._spool.write(to_pcm16(samples))

    def close(self, *, whole: bool) -> None:
        pass


class _WavWriter(_PcmWriter):
    """Its header states sizes: room is left for it, and it is written last."""

    def __init__(self, spool: IO[bytes], sample_rate: int):
        super().__init__(spool)
        self._sample_rate = sample_rate
        self._header_bytes = spool.write(wav_header(sample_rate, 0))

    def close(self, *, whole: bool) -> None:
        if whole:
            n_data_bytes = self._spool.tell() - self._header_bytes
            self._spool.seek(0)
            self._spool.write(wav_header(self._sample_rate, n_data_bytes))


class _LibsndfileWriter(_Writer):
    def __init__(self, spool: IO[bytes], sample_rate: int, container: str, subtype: str):
        self._takes_words = subtype == "PCM_16"
        self._file = soundfile.SoundFile(cast(BinaryIO, spool), "w", sample_rate, 1, format=container, subtype=subtype)

    def write(self, samples: np.ndarray) -> None:
        self._file.write(np.frombuffer(to_pcm16(samples), "<i2") if self._takes_words else samples.clip(-1, 1))

    def close(self, *, whole: bool) -> None:
        self._file.close()


class _FfmpegWriter(_Writer):
    """For what libsndfile does not write."""

    def __init__(self, spool: IO[bytes], sample_rate: int, format: Format):
        self._spool = spool
        self._encoder = open_stream_encoder(format, sample_rate, exact=True)

    def write(self, samples: np.ndarray) -> None:
        self._spool.write(self._encoder.push(samples))

    def close(self, *, whole: bool) -> None:
        try:
            if whole:
                self._spool.write(self._encoder.finish())
        finally:
            self._encoder.close()


def _writer(format: Format, spool: IO[bytes], sample_rate: int) -> _Writer:
    match format:
        case "pcm":
            return _PcmWriter(spool)
        case "wav":
            return _WavWriter(spool, sample_rate)
        case "flac":
            return _LibsndfileWriter(spool, sample_rate, "FLAC", "PCM_16")
        case "mp3":
            return _LibsndfileWriter(spool, sample_rate, "MP3", "MPEG_LAYER_III")
        case "opus":
            return _LibsndfileWriter(spool, sample_rate, "OGG", "OPUS")
        case "aac":
            return _FfmpegWriter(spool, sample_rate, format)
