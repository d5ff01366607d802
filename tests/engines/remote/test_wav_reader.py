"""Claims about WAV as it comes: any legal order of chunks, any cuts, any length that is promised."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.remote.wav_reader import PCM_SUBTYPE, WavReader, WavUnreadable
from tests.engines.remote.fake_server import wav_bytes

RATE = 16_000
KNOWN, STREAMED, ZERO = "known", "streamed", "zero"


def chunk(name: bytes, body: bytes) -> bytes:
    return name + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)


def form(*, code: int = 1, n_channels: int = 1, n_bits: int = 16, rate: int = RATE, rest: bytes = b"") -> bytes:
    numbers = ((code, 2), (n_channels, 2), (rate, 4), (2 * rate, 4), (2, 2), (n_bits, 2))
    return chunk(b"fmt ", b"".join(number.to_bytes(width, "little") for number, width in numbers) + rest)


def heard(reader: WavReader, data: bytes, sizes: list[int]) -> np.ndarray:
    parts, at = [], 0
    for size in [*sizes, len(data)]:
        parts.append(reader.push(data[at : at + size]))
        at += size
    return np.concatenate(parts)


@settings(max_examples=60, deadline=None, database=None)
@given(
    samples=st.lists(st.integers(-32_768, 32_767), max_size=40),
    others=st.lists(st.tuples(st.sampled_from([b"LIST", b"fact", b"bext", b"PAD "]), st.binary(max_size=9)), min_size=1, max_size=5),
    is_extensible=st.booleans(),
    length=st.sampled_from([KNOWN, STREAMED, ZERO]),
    sizes=st.lists(st.integers(0, 30), max_size=30),
)
def test_any_legal_file_gives_its_samples_however_it_is_cut(samples, others, is_extensible, length, sizes):
    sound = np.array(samples, "<i2")
    rest = (22).to_bytes(2, "little") + (16).to_bytes(2, "little") + (4).to_bytes(4, "little") + PCM_SUBTYPE
    written = form(code=0xFFFE, rest=rest) if is_extensible else form()
    at = len(others) // 2  # of the others some before the format, some behind it, one behind the sound
    parts = b"".join(chunk(*one) for one in others[1 : at + 1]) + written + b"".join(chunk(*one) for one in others[at + 1 :])
    promised = {KNOWN: 2 * len(sound), STREAMED: 0xFFFF_FFFF, ZERO: 0}[length]
    data = b"RIFF\xff\xff\xff\xffWAVE" + parts + b"data" + promised.to_bytes(4, "little") + sound.tobytes()
    is_known = length == KNOWN and samples
    reader = WavReader()
    got = heard(reader, data + (chunk(*others[0]) if is_known else b""), sizes)
    assert np.array_equal(got, sound.astype(np.float32) / 32_768) and reader.sample_rate == RATE
    assert not reader.is_short()
    if is_known:
        short = WavReader()
        heard(short, data[:-1], sizes)
        assert short.is_short()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"OggS" + bytes(20), "is no WAV"),
        (b"RIFF\0\0\0\0AVI " + bytes(20), "is no WAV"),
        (b"RIFF\0\0\0\0WAVE" + form(n_channels=2), "2 channels"),
        (b"RIFF\0\0\0\0WAVE" + form(code=3, n_bits=32), "format 3 with 32 bits"),
        (b"RIFF\0\0\0\0WAVE" + form(n_bits=8), "8 bits"),
        (b"RIFF\0\0\0\0WAVE" + form(rate=0), "rate of 0 Hz"),
        (b"RIFF\0\0\0\0WAVE" + chunk(b"fmt ", b"\1\0"), "is no WAV"),
        (b"RIFF\0\0\0\0WAVEdata\xff\xff\xff\xff" + bytes(8), "does not say"),
        (b"RIFF\0\0\0\0WAVELIST\xff\xff\xff\xff" + bytes(8), "first megabyte"),
    ],
)
def test_what_is_no_speech_is_refused_with_the_reason(data, why):
    with pytest.raises(WavUnreadable, match=why):
        heard(WavReader(), data, [5, 3])


def test_nothing_and_half_a_header_are_short_and_a_streams_header_is_not():
    assert WavReader().is_short()
    reader = WavReader()
    reader.push(wav_bytes(np.zeros(0, np.int16))[:40])
    assert reader.is_short()
    reader.push(wav_bytes(np.zeros(0, np.int16))[40:])
    assert not reader.is_short()
