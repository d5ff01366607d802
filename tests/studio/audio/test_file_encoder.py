"""A file that is encoded as its samples come is the file of the whole, and holds little memory."""

import errno
import io
import tempfile
from contextlib import closing
from itertools import product

import numpy as np
import pytest

from studio.audio import file_encoder
from studio.audio.decode import decode_clip
from studio.audio.encode import encode
from studio.audio.file_encoder import FileEncoder
from studio.audio.formats import MEDIA_TYPES
from studio.errors import DiskFull
from tests.studio.audio.test_audio_files import sine


def encoded(samples: np.ndarray, sample_rate: int, format: str, *, step: int) -> bytes:
    encoder = FileEncoder(format, sample_rate)
    for start in range(0, len(samples), step):
        encoder.push(samples[start : start + step])
    with closing(encoder.finish()) as file:
        data = b"".join(file.blocks(1_000))
        assert len(file) == len(data)
    return data


@pytest.mark.parametrize("most_memory_bytes", [file_encoder.MOST_MEMORY_BYTES, 100])
@pytest.mark.slow
def test_pieces_give_the_file_of_the_whole_in_memory_and_on_disk(monkeypatch, most_memory_bytes):
    monkeypatch.setattr(file_encoder, "MOST_MEMORY_BYTES", most_memory_bytes)
    for sample_rate, format in product((24_000, 37_000), MEDIA_TYPES):
        samples = sine(sample_rate)
        pieces, whole = encoded(samples, sample_rate, format, step=1_777), encode(samples, sample_rate, format)
        if format == "opus":  # an Ogg stream has a random number
            pieces, whole = decode_clip(pieces).samples.tobytes(), decode_clip(whole).samples.tobytes()
        assert pieces == whole, (format, sample_rate)


@pytest.mark.parametrize("format", MEDIA_TYPES)
def test_an_encoder_may_be_closed_in_the_middle_and_then_takes_nothing(format):
    encoder = FileEncoder(format, 24_000)
    encoder.push(sine(24_000))
    encoder.close()
    encoder.close()
    encoder.push(sine(24_000))


def test_a_file_outlives_the_closing_of_its_encoder():
    with closing(FileEncoder("pcm", 24_000)) as encoder:
        encoder.push(np.zeros(10, np.float32))
        file = encoder.finish()
    assert file.read() == bytes(20)
    file.close()


class FilledDisk(io.RawIOBase):
    """A file of a disk that has room for so many bytes more."""

    def __init__(self, n_bytes: int):
        self._written, self._n_bytes = io.BytesIO(), n_bytes

    def readable(self) -> bool:
        return True

    writable = seekable = readable

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._written.seek(offset, whence)

    def readinto(self, buffer) -> int:
        return self._written.readinto(buffer)

    def write(self, data) -> int:
        if self._written.tell() + len(data) > self._n_bytes:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._written.write(data)


@pytest.mark.parametrize("format", MEDIA_TYPES)
def test_a_disk_that_fills_on_the_way_says_so_up_to_the_last_byte_and_nothing_is_left_open(monkeypatch, format):
    samples = sine(24_000)
    n_bytes = len(encode(samples, 24_000, format))
    monkeypatch.setattr(file_encoder, "MOST_MEMORY_BYTES", 100)
    for room in (n_bytes - 1, n_bytes // 2):
        files = []
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda files=files, room=room, **_how: files.append(one_of(room)) or files[-1])
        with closing(FileEncoder(format, 24_000)) as encoder, pytest.raises(DiskFull) as caught:
            for start in range(0, len(samples), 500):
                encoder.push(samples[start : start + 500])
            encoder.finish()
        assert caught.value.values["setting"] == "TMPDIR"
        assert all(file.closed for file in files)


def one_of(room: int) -> io.BufferedRandom:
    return io.BufferedRandom(FilledDisk(room))
