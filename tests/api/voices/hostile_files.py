"""Hostile files, made here: what lies about its size, its rate, its length or its kind, and what is no sound at all."""

import io
import struct
import zlib
from functools import cache

import av
import numpy as np
import soundfile

from tests.api.door import wav

__all__ = ["HARMLESS", "HOSTILE", "playlist"]

RATE = 24_000


def riff(*, channels: int = 1, rate: int = RATE, bits: int = 16, kind: int = 1, claims: int | None = None, data: bytes = b"") -> bytes:
    """A WAV whose header says what it is told. claims: bytes of data that it has; kind: 1 PCM, 3 float."""
    claimed = len(data) if claims is None else claims
    block = min(channels * bits // 8, 65_535)
    rates = (min(rate, 2**32 - 1), min(rate * block, 2**32 - 1))
    head = struct.pack("<4sI8sIHHIIHH", b"RIFF", min(36 + claimed, 2**32 - 1), b"WAVEfmt ", 16, kind, channels, *rates, block, bits)
    return head + struct.pack("<4sI", b"data", claimed) + data


def samples(*values: float, seconds: float = 2.0, dtype: str = "<f4") -> bytes:
    """These values over and over."""
    return np.resize(np.array(values, dtype), round(seconds * RATE)).tobytes()


def part_of(data: bytes, share: float) -> bytes:
    return data[: int(len(data) * share)]


def patched(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]


def silent_flac(hours: float) -> bytes:
    """Small: silence compresses well."""
    buffer = io.BytesIO()
    with soundfile.SoundFile(buffer, "w", 8_000, 1, format="FLAC") as file:
        for _ in range(round(hours * 60)):
            file.write(np.zeros(8_000 * 60, np.int16))
    return buffer.getvalue()


def silent(minutes: int, container: str, codec: str, **options: str) -> bytes:
    minute = av.AudioFrame.from_ndarray(np.zeros((1, 8_000 * 60), np.float32), format="fltp", layout="mono")
    minute.sample_rate = 8_000
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream = output.add_stream(codec, rate=8_000, layout="mono", options=options)
        resampler = av.AudioResampler(format=stream.format.name, layout="mono", rate=8_000)
        for frame in (frame for _ in range(minutes) for frame in resampler.resample(minute)):
            frame.pts = None
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return buffer.getvalue()


def with_ffmpeg(container: str, codec: str, seconds: float = 1.5) -> bytes:
    """A tone as browsers and phones record it."""
    tone = (0.4 * np.sin(2 * np.pi * 220 * np.arange(round(seconds * 48_000)) / 48_000)).astype(np.float32)
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream = output.add_stream(codec, rate=48_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(tone[None], format="fltp", layout="mono")
        frame.sample_rate = 48_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            output.mux(packet)
    return buffer.getvalue()


def video(container: str, codec: str) -> bytes:
    """Two seconds of a grey picture, without a sound track."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream = output.add_stream(codec, rate=10)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for _ in range(20):
            output.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((96, 64), 128, np.uint8), format="yuv420p")))
        output.mux(stream.encode(None))
    return buffer.getvalue()


def damaged_moov() -> bytes:
    """An MP4 whose index lies: each of its boxes claims to be larger than the file."""
    data = bytearray(with_ffmpeg("mp4", "aac"))
    for box in (b"moov", b"trak", b"stbl", b"stsz", b"stco"):
        place = data.find(box)
        data[place - 4 : place] = b"\x7f\xff\xff\xff"
    return bytes(data)


def chained_ogg() -> bytes:
    """Two streams one after the other, the second with another rate."""
    return wav(1.5, format="OGG", subtype="VORBIS", rate=24_000) + wav(1.5, format="OGG", subtype="VORBIS", rate=8_000)


def tone_as_integers() -> bytes:
    return (2**31 * np.sin(2 * np.pi * 220 * np.arange(2 * RATE) / RATE)).astype("<f4").tobytes()


def playlist(kind: str, target: str) -> bytes:
    """A text that asks its reader to open another file."""
    return {
        "hls": f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{target}\n#EXT-X-ENDLIST\n",
        "m3u": f"#EXTM3U\n{target}\n",
        "concat": f"ffconcat version 1.0\nfile '{target}'\n",
        "sdp": f"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\na=control:{target}\nm=audio 9 RTP/AVP 0\n",
        "pls": f"[playlist]\nFile1={target}\nNumberOfEntries=1\n",
        "dash": f'<?xml version="1.0"?><MPD><Period><AdaptationSet><Representation><BaseURL>{target}</BaseURL></Representation>'
        "</AdaptationSet></Period></MPD>",
    }[kind].encode()


TONE = wav(1.5, rate=RATE)
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s5I", 13, b"IHDR", 1, 1, 0x08020000, 0, 0) + zlib.compress(bytes(100))

# name -> the file, made when it is first wanted, and kept: the silent ones take longer to write than to refuse
HOSTILE = {
    # cut off
    "no bytes": lambda: b"",
    "one byte": lambda: b"R",
    "half a wav header": lambda: TONE[:22],
    "a wav header alone": lambda: TONE[:44],
    "a third of a wav": lambda: part_of(TONE, 0.33),
    "a third of a flac": lambda: part_of(wav(1.5, format="FLAC"), 0.33),
    "a third of an mp3": lambda: part_of(wav(1.5, format="MP3", subtype="MPEG_LAYER_III"), 0.33),
    "a third of an ogg": lambda: part_of(wav(1.5, format="OGG", subtype="VORBIS"), 0.33),
    "a third of a webm": lambda: part_of(with_ffmpeg("webm", "libopus"), 0.33),
    "an mp4 without its index": lambda: part_of(with_ffmpeg("mp4", "aac"), 0.8),
    # claims
    "a riff of 4 GiB": lambda: riff(claims=2**32 - 1, data=bytes(1_000)),
    "2^31 frames": lambda: riff(bits=8, claims=2**31, data=bytes(1_000)),
    "an rf64 of 2^63 bytes": lambda: patched(wav(0.1, format="RF64"), 20, b"\xff" * 7 + b"\x7f"),
    "a flac of 2^36 samples": lambda: patched(wav(0.1, format="FLAC"), 21, b"\xff\xff\xff\xff\xff"),
    "an aiff of 2^32 frames": lambda: patched(wav(0.1, format="AIFF"), 22, b"\xff\xff\xff\xff"),
    "an id3 tag of 256 MiB": lambda: b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f" + bytes(1_000),
    "no channels": lambda: riff(channels=0, data=bytes(100_000)),
    "33 channels": lambda: wav(1.5, channels=33),
    "65535 channels": lambda: riff(channels=65_535, data=bytes(500_000)),
    "no rate": lambda: riff(rate=0, data=bytes(100_000)),
    "1 Hz": lambda: riff(rate=1, data=bytes(100)),
    "10 MHz": lambda: riff(rate=10_000_000, data=bytes(1_000_000)),
    "4 GHz": lambda: riff(rate=2**32 - 1, data=bytes(1_000_000)),
    "no bits": lambda: riff(bits=0, data=bytes(100_000)),
    "255 bits": lambda: riff(bits=255, data=bytes(100_000)),
    "a codec that is none": lambda: riff(kind=0x9999, data=bytes(100_000)),
    "no samples": riff,
    # lengths
    "too short": lambda: wav(0.9),
    "30.1 s": lambda: wav(30.1, rate=8_000),
    "600 s": lambda: wav(600, rate=4_000, subtype="PCM_U8"),
    "601 s": lambda: wav(601, rate=4_000, subtype="PCM_U8"),
    "eleven minutes of silence in a small opus": lambda: silent(11, "ogg", "libopus", compression_level="0", frame_duration="60"),
    "eleven minutes of silence in an mp3": lambda: silent(11, "mp3", "libmp3lame", b="8000"),
    "eleven minutes of silence in a small flac": lambda: silent_flac(11 / 60),
    # numbers
    "nan": lambda: riff(kind=3, bits=32, data=samples(0.1, np.nan)),
    "louder than sound": lambda: riff(kind=3, bits=32, data=samples(1e38, -1e38)),
    "infinite": lambda: riff(kind=3, bits=32, data=samples(0.1, np.inf)),
    "both infinities": lambda: riff(kind=3, bits=32, channels=2, data=samples(np.inf, -np.inf, seconds=4)),
    "doubles beyond floats": lambda: riff(kind=3, bits=64, data=samples(0.1, 1e300, dtype="<f8")),
    # something else
    "text": lambda: b"This is a text that somebody called a recording.\n" * 1_000,
    "html": lambda: b"<!doctype html><html><body><audio src='/etc/passwd'></audio></body></html>",
    "svg": lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
    "elf": lambda: b"\x7fELF\x02\x01\x01" + bytes(9) + np.random.default_rng(1).bytes(20_000),
    "png": lambda: PNG,
    "zip": lambda: b"PK\x03\x04" + np.random.default_rng(2).bytes(20_000),
    "noise": lambda: np.random.default_rng(3).bytes(100_000),
    "zeros": lambda: bytes(1_000_000),
    "ones": lambda: b"\xff" * 1_000_000,
    "a film without sound": lambda: video("mp4", "mpeg4"),
    "a webm without sound": lambda: video("webm", "libvpx"),
    "an mp4 with a damaged index": damaged_moov,
    "two streams of different rates": chained_ogg,
}
HOSTILE = {name: cache(make) for name, make in HOSTILE.items()}
# Odd, and good speech all the same.
HARMLESS = {
    "eight channels": lambda: wav(1.5, channels=8),
    "mp3 called wav": lambda: wav(1.5, format="MP3", subtype="MPEG_LAYER_III"),
    "webm called wav": lambda: with_ffmpeg("webm", "libopus"),
    "floats of the size of integers": lambda: riff(kind=3, bits=32, data=tone_as_integers()),
    "exactly 30 s": lambda: wav(30, rate=8_000),
    "a wav of unknown length": lambda: patched(patched(TONE, 4, b"\xff" * 4), 40, b"\xff" * 4),
    "a wav that claims more than it has": lambda: patched(TONE, 40, b"\x00\x00\x00\x70"),
}
