"""Audio decoder: turns the bytes of a file into Clips. No disk, no model.

It trusts no length and no shape in a file before it has decoded it.

Turns: large recordings are decoded one at a time. Threads that compute in Python share one processor's time: the event loop, which sends
to listeners, would wait for each of them in turn. Base64 of recordings is read in steps: decoding one of 10 MiB at once would let no other
thread run for 20 ms. Several recordings of one person become one clip, at the highest of their rates.
"""

import base64
import binascii
import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import soundfile
import soxr

from engines.clips.clip import Clip
from engines.errors import ClipUnusable
from studio.audio.file_type import unreadable
from studio.errors import AudioTooLarge, AudioUndecodable, ClipTooLong

__all__ = [
    "MOST_UPLOAD_BYTES",
    "decode_base64",
    "decode_beginning",
    "decode_clip",
    "joined",
    "large_decode_lock",
]

MOST_UPLOAD_BYTES = 10 * 1024 * 1024
MOST_DECODED_SECONDS = 600
MOST_DECODED_BYTES = 256 << 20
MOST_CHANNELS = 32
RATES_HZ = range(1_000, 768_001)  # the bounds of Clip
LOUDEST = 2.0**32  # of full scale: integers of 32 bits that somebody wrote as floats; beyond it squares and spectra overflow

_BLOCK_FRAMES = 1 << 16
# libsndfile knows 25 containers; these carry speech, the others only widen what a stranger can reach.
_SOUNDFILE_CONTAINERS = ("AIFF", "AU", "CAF", "FLAC", "MP3", "OGG", "RF64", "W64", "WAV", "WAVEX")
_OGG_BEGINNING = b"OggS\0\x02"  # the first page of a stream (RFC 3533)
# Likewise for FFmpeg, where a playlist (concat, hls, dash) would moreover open other files of this machine, or addresses.
_FFMPEG_CONTAINERS = "aac,aiff,amr,asf,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,w64,wav,webm"


def decode_clip(
    data: bytes,
    *,
    filename: str = "",
    mime_type: str = "",
    most_bytes: int = MOST_UPLOAD_BYTES,
    most_seconds: float = MOST_DECODED_SECONDS,
) -> Clip:
    """The audio in a file: channels averaged, own rate kept, float peaks over 1 kept. The content decides what it is, not its label.

    filename, mime_type: what the sender calls it; neither is believed. most_bytes: of the file. most_seconds: what is longer is counted
    and not kept, since a small file can hold much silence.
    Raises AudioTooLarge, AudioUndecodable, ClipTooLong, ClipUnusable (clip_too_long, clip_not_finite, clip_out_of_range).
    """
    return _decoded(data, most_bytes, lambda rate, n_channels: _Mono(rate, n_channels, most_seconds)).clip()


def decode_beginning(data: bytes, *, most_bytes: int, most_seconds: float) -> tuple[Clip, bool]:
    """What `decode_clip` gives, of the first so many seconds, and whether the file goes on. Nothing behind them is decoded.

    A file of such a rate that these seconds would not fit MOST_DECODED_BYTES is cut there. Raises what decode_clip does, but ClipTooLong.
    """
    mono = _decoded(data, most_bytes, lambda rate, n_channels: _BeginningOfMono(rate, n_channels, most_seconds))
    return mono.clip(), mono.is_full


class _Mono:
    """Collects decoded blocks as mono and refuses what exceeds the bounds, as soon as it does."""

    is_full = False

    def __init__(self, sample_rate: int, n_channels: int, most_seconds: float):
        if sample_rate not in RATES_HZ:
            raise AudioUndecodable(f"it claims a sample rate of {sample_rate} Hz", sentence="audio_rate_claimed", rate_hz=sample_rate)
        if not 1 <= n_channels <= MOST_CHANNELS:
            reason = f"it claims {n_channels} channels; the limit is {MOST_CHANNELS}"
            raise AudioUndecodable(reason, sentence="audio_of_many_channels", n=n_channels, most=MOST_CHANNELS)
        self.sample_rate = sample_rate
        self._most_frames = min(MOST_DECODED_SECONDS * sample_rate, MOST_DECODED_BYTES // (4 * n_channels))
        self._most_seconds = most_seconds
        self._blocks: list[np.ndarray] = []
        self._n_frames = 0

    def add(self, block: np.ndarray) -> None:
        """block: (frames, channels) float32."""
        self._n_frames += len(block)
        if self._n_frames > self._most_frames:
            seconds = self._most_frames // self.sample_rate
            taken = f"; at most {self._most_seconds:.0f} s are taken" if self._most_seconds < seconds else ""
            fact, hint = f"The recording is longer than {seconds} s{taken}.", "Cut it to 3 to 15 seconds of speech."
            raise ClipUnusable("clip_too_long", fact, hint, sentence="clip_endless", seconds=seconds)
        self._check(block)
        if self._is_too_long:
            self._blocks.clear()
        else:
            self._keep(block)

    def clip(self) -> Clip:
        if not self._n_frames:
            raise AudioUndecodable("it holds no audio samples", sentence="audio_without_sound")
        if self._is_too_long:
            raise ClipTooLong(self._n_frames / self.sample_rate, self._most_seconds)
        samples = np.concatenate(self._blocks)
        samples.flags.writeable = False  # so that the Clip shares them
        return Clip(samples, self.sample_rate)

    def _check(self, block: np.ndarray) -> None:
        if not np.isfinite(block).all():  # before averaging, where +inf and -inf would meet
            raise ClipUnusable("clip_not_finite", "The clip contains samples that are not numbers.", "Export the recording again.")
        if np.abs(block).max(initial=0.0) > LOUDEST:
            raise ClipUnusable("clip_out_of_range", "The clip is louder than sound can be.", "Export the recording again, with 16 bits.")

    def _keep(self, block: np.ndarray) -> None:
        alone = block.shape[1] == 1  # then nothing is computed, and even a zero keeps its sign
        self._blocks.append(block[:, 0].copy() if alone else block.mean(axis=1, dtype=np.float64).astype(np.float32))

    @property
    def _is_too_long(self) -> bool:
        return self._n_frames > self._most_seconds * self.sample_rate


class _BeginningOfMono(_Mono):
    """Takes what fits, and no more than that. is_full: there was more."""

    def add(self, block: np.ndarray) -> None:
        most_frames = min(int(self._most_seconds * self.sample_rate), MOST_DECODED_BYTES // 4)
        taken = block[: most_frames - self._n_frames]
        self.is_full = len(taken) < len(block)
        self._n_frames += len(taken)
        self._check(taken)
        self._keep(taken)


class _Upload(io.BytesIO):
    """Bytes in which a damaged header may send the reader to before the start: it then stays where it is, as in a file."""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        try:
            return super().seek(offset, whence)
        except ValueError:
            return self.tell()


def _decoded(data: bytes, most_bytes: int, begin: Callable[[int, int], _Mono]) -> _Mono:
    """begin: from the file's rate and number of channels. Raises AudioTooLarge, AudioUndecodable, and what adding a block does."""
    if len(data) > most_bytes:
        raise AudioTooLarge(len(data), most_bytes)
    if not data:
        raise AudioUndecodable("the file is empty", sentence="audio_empty")
    with large_decode_lock(len(data)):
        try:
            return _with_soundfile(data, begin)
        except soundfile.LibsndfileError:
            return _with_ffmpeg(data, begin)


def _with_soundfile(data: bytes, begin: Callable[[int, int], _Mono]) -> _Mono:
    """Raises soundfile.LibsndfileError where libsndfile cannot read it."""
    with soundfile.SoundFile(_Upload(data)) as file:
        if file.format not in _SOUNDFILE_CONTAINERS:
            raise AudioUndecodable(f"{file.format} files are not taken", sentence="audio_format_untaken", format=file.format)
        if file.format == "OGG" and data.count(_OGG_BEGINNING) > 1:
            reason = "it holds several streams, one after the other, of which only the first would be heard"
            raise AudioUndecodable(reason, sentence="audio_of_many_streams")
        mono = begin(file.samplerate, file.channels)
        while not mono.is_full and len(block := file.read(_BLOCK_FRAMES, dtype="float32", always_2d=True)):
            mono.add(block)
    return mono


def _with_ffmpeg(data: bytes, begin: Callable[[int, int], _Mono]) -> _Mono:
    import av

    options = {"protocol_whitelist": "none", "format_whitelist": _FFMPEG_CONTAINERS}
    try:
        with av.open(io.BytesIO(data), options=options, metadata_errors="replace") as container:
            if not container.streams.audio:
                raise AudioUndecodable("it holds no sound track", sentence="audio_without_sound")
            stream = container.streams.audio[0]
            stream.thread_type = "NONE"
            return _from_frames(container.decode(stream), begin)
    except (av.FFmpegError, ValueError) as error:
        raise unreadable(data) from error  # decoders say numbers of errors, which tell nobody what to do


def _from_frames(frames, begin: Callable[[int, int], _Mono]) -> _Mono:
    """frames: PyAV's, of one stream; rate and layout must not change on the way."""
    import av

    mono = resampler = None
    for frame in frames:
        if mono is None:
            mono = begin(frame.sample_rate, frame.layout.nb_channels)
            resampler = av.AudioResampler(format="fltp")  # of the sample type alone
        for converted in resampler.resample(frame):
            mono.add(converted.to_ndarray().T)
        if mono.is_full:
            break
    if mono is None:
        raise AudioUndecodable("it holds no audio samples", sentence="audio_without_sound")
    return mono


# --- turns


LARGE_BYTES = 1 << 20  # below it the work is over sooner than a turn of somebody else
_TURN = threading.Lock()


def large_decode_lock(n_bytes: int) -> AbstractContextManager:
    """To be held while so many bytes are worked on. Waits. Not to be asked for twice by one thread."""
    return _TURN if n_bytes >= LARGE_BYTES else nullcontext()


# --- base64


STEP_CHARACTERS = 1 << 18  # a multiple of 4; 0.4 ms


def decode_base64(text: str, begins: int = 0) -> bytes:
    """The bytes of standard base64, padded and without line breaks, from character `begins` of the text on. Raises ValueError."""
    if text.find("=", begins, -2) >= 0:  # a step would take it for its end
        raise binascii.Error("Padding in the middle")
    return b"".join(_steps(text, begins))


def _steps(text: str, begins: int) -> Iterator[bytes]:
    for start in range(begins, len(text), STEP_CHARACTERS):
        yield base64.b64decode(text[start : start + STEP_CHARACTERS], validate=True)
        time.sleep(0)  # whoever waits for the interpreter gets it now, and not after its 5 ms


# --- several recordings


def joined(clips: Sequence[Clip]) -> Clip:
    """One recording behind the other, as they are, with a joint where each but the first begins.

    clips: one at least, each with samples. Those of a lower rate are resampled; a single one is the result itself.
    """
    if len(clips) == 1:
        return clips[0]
    rate = max(clip.sample_rate for clip in clips)
    recordings = [_resampled(recording, rate) for clip in clips for recording in clip.recordings()]
    joints = np.cumsum([len(samples) for samples in recordings[:-1]])
    return Clip(np.concatenate(recordings), rate, tuple(map(int, joints)))


def _resampled(clip: Clip, rate: int) -> np.ndarray:
    """(T,) float32 at `rate`, Hz."""
    return clip.samples if clip.sample_rate == rate else soxr.resample(clip.samples, clip.sample_rate, rate, quality="HQ")
