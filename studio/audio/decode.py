"""Audio decoder: turns the bytes of a file into Clips. No disk, no model.

It trusts no length and no shape in a file before it has decoded it, and decodes no more than is taken. Which channels and which track are
the voice, channels.py says; a SoundSource tells.

Turns: large recordings are decoded one at a time, by turns of a block each. Threads that compute in Python share one processor's time: the
event loop, which sends to listeners, would wait for each of them. Base64 of recordings is read in steps: decoding one of 10 MiB at once
would let no other thread run for 20 ms. Several recordings of one person become one clip, at the highest of their rates.
"""

import base64
import binascii
import heapq
import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from types import TracebackType

import numpy as np
import soundfile
import soxr

from engines.clips.clip import SILENT_DBFS, Clip, loudest_dbfs
from studio.audio.channels import SoundSource, choose_channels, speech_seconds
from studio.audio.ffmpeg_tracks import count_tracks, open_track
from studio.errors import AudioTooLarge, AudioUndecodable, ChannelsDiffer, ClipTooLong, RecordingUnusable

__all__ = [
    "MOST_UPLOAD_BYTES",
    "DecodedSound",
    "FairLock",
    "Turn",
    "decode_base64",
    "decode_beginning",
    "decode_clip",
    "decode_sound",
    "joined",
    "large_decode_lock",
]

MOST_UPLOAD_BYTES = 10 * 1024 * 1024
MOST_DECODED_SECONDS = 600
MOST_DECODED_BYTES = 256 << 20
MOST_CHANNELS = 32
MOST_TRACKS = 4  # of a file, which are tried
RATES_HZ = range(1_000, 768_001)  # the bounds of Clip
LOUDEST = 2.0**32  # of full scale: integers of 32 bits that somebody wrote as floats; beyond it squares and spectra overflow

_BLOCK_FRAMES = 1 << 16
# libsndfile knows 25 containers; these carry speech, the others only widen what a stranger can reach.
_SOUNDFILE_CONTAINERS = ("AIFF", "AU", "CAF", "FLAC", "MP3", "OGG", "RF64", "W64", "WAV", "WAVEX")
_OGG_BEGINNING = b"OggS\0\x02"  # the first page of a stream (RFC 3533)
_UNKNOWN_FRAMES = 1 << 40  # what libsndfile says of a length that a header leaves open


class FairLock:
    """One holder at a time; of those who wait, the one that has held it for the shortest time so far, the longest waiting of equals.

    clock: seconds that only rise.
    """

    def __init__(self, clock=time.perf_counter):
        self.clock = clock
        self._guard = threading.Lock()
        self._waiting: list[tuple[float, int, threading.Event]] = []
        self._numbers = count()
        self._is_held = False

    def locked(self) -> bool:
        return self._is_held

    def acquire(self, held_seconds: float = 0.0) -> None:
        """held_seconds: for which the caller has held it before, for the same work."""
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return
            handed_over = threading.Event()
            heapq.heappush(self._waiting, (held_seconds, next(self._numbers), handed_over))
        handed_over.wait()

    def release(self) -> None:
        with self._guard:
            if self._waiting:
                heapq.heappop(self._waiting)[2].set()  # it stays held, by another
            else:
                self._is_held = False


class Turn:
    """The lock for the time of a `with`, left and taken between its steps. No lock: nobody waits for anybody."""

    def __init__(self, lock: FairLock | None):
        self._lock = lock
        self._held_seconds = self._taken_at = 0.0

    def take(self) -> None:
        if self._lock:
            self._lock.acquire(self._held_seconds)
            self._taken_at = self._lock.clock()

    def leave(self) -> None:
        if self._lock:
            self._held_seconds += self._lock.clock() - self._taken_at
            self._lock.release()

    def __enter__(self) -> "Turn":
        self.take()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.leave()


@dataclass(frozen=True, eq=False)
class DecodedSound:
    """The sound of a file. goes_on: there is more of it, which was not decoded."""

    clip: Clip
    source: SoundSource
    goes_on: bool = False


def decode_clip(
    data: bytes,
    *,
    filename: str = "",
    mime_type: str = "",
    most_bytes: int = MOST_UPLOAD_BYTES,
    most_seconds: float = MOST_DECODED_SECONDS,
) -> Clip:
    """The clip alone of `decode_sound`."""
    return decode_sound(data, filename=filename, mime_type=mime_type, most_bytes=most_bytes, most_seconds=most_seconds).clip


def decode_sound(
    data: bytes,
    *,
    filename: str = "",
    mime_type: str = "",
    most_bytes: int = MOST_UPLOAD_BYTES,
    most_seconds: float = MOST_DECODED_SECONDS,
) -> DecodedSound:
    """All of the sound in a file: own rate kept, float peaks over 1 kept. The content decides what it is, not its label.

    filename, mime_type: what the sender calls it; neither is believed. most_bytes: of the file. most_seconds: what is longer is refused
    as soon as so much is decoded, with the length that its header claims.
    Raises AudioTooLarge, AudioUndecodable, ClipTooLong, ChannelsDiffer, RecordingUnusable.
    """
    sound = _decoded(data, most_bytes, partial(_Mono, most_seconds=most_seconds))
    if sound.source.why == "other_speech":
        raise ChannelsDiffer(sound.source.n_channels)
    return sound


def decode_beginning(data: bytes, *, most_bytes: int, most_seconds: float) -> DecodedSound:
    """What `decode_sound` gives, of the first so many seconds. Nothing behind them is decoded.

    A file of such a rate, or of so many channels, that these seconds would not fit MOST_DECODED_BYTES is cut there. Of channels in which
    different people speak it gives one, and says so. Raises what decode_sound does, but ClipTooLong and ChannelsDiffer.
    """
    return _decoded(data, most_bytes, partial(_BeginningOfMono, most_seconds=most_seconds))


_Begin = Callable[[int, int, float | None], "_Mono"]  # from rate, number of channels and claimed length of a track


class _Mono:
    """Collects decoded blocks, of which one channel will be left, and refuses what exceeds the bounds, as soon as it does."""

    is_full = False

    def __init__(self, sample_rate: int, n_channels: int, claimed_seconds: float | None, *, most_seconds: float):
        """claimed_seconds: of the whole file, as its header has it; None where that says nothing."""
        if sample_rate not in RATES_HZ:
            raise AudioUndecodable(f"it claims a sample rate of {sample_rate} Hz", sentence="audio_rate_claimed", rate_hz=sample_rate)
        if not 1 <= n_channels <= MOST_CHANNELS:
            reason = f"it claims {n_channels} channels; the limit is {MOST_CHANNELS}"
            raise AudioUndecodable(reason, sentence="audio_of_many_channels", n=n_channels, most=MOST_CHANNELS)
        self.sample_rate = sample_rate
        self._n_channels = n_channels
        self._most_frames = min(MOST_DECODED_SECONDS * sample_rate, MOST_DECODED_BYTES // (4 * n_channels))
        self._claimed_seconds, self._most_seconds = claimed_seconds, most_seconds
        self._blocks: list[np.ndarray] = []
        self._n_frames = 0

    @property
    def n_bytes(self) -> int:
        """In hand."""
        return 4 * self._n_channels * self._n_frames

    def add(self, block: np.ndarray) -> None:
        """block: (frames, channels) float32."""
        self._n_frames += len(block)
        if self._n_frames > min(self._most_frames, self._most_seconds * self.sample_rate):
            raise self._too_long()
        self._check(block)
        self._blocks.append(block[:, 0].copy() if self._n_channels == 1 else block.copy())

    def sound(self) -> DecodedSound:
        if not self._n_frames:
            raise AudioUndecodable("it holds no audio samples", sentence="audio_without_sound")
        source = choose_channels(self._channel, self._n_channels, self.sample_rate)
        samples = self._channel(source.channels[0]) if len(source.channels) == 1 else self._average(source.channels)
        samples.flags.writeable = False  # so that the Clip shares them
        return DecodedSound(Clip(samples, self.sample_rate), source, self.is_full)

    def _too_long(self) -> ClipTooLong | RecordingUnusable:
        claimed_seconds, bound_seconds = self._claimed_seconds or 0.0, self._most_frames / self.sample_rate
        if self._most_seconds < claimed_seconds <= bound_seconds:
            return ClipTooLong(claimed_seconds, self._most_seconds)
        seconds = int(bound_seconds if claimed_seconds > bound_seconds else min(bound_seconds, self._most_seconds))
        taken = f"at most {self._most_seconds:.0f} s are taken" if self._most_seconds < MOST_DECODED_SECONDS else ""
        hint = "Cut it to 3 to 15 seconds of speech."
        return RecordingUnusable("clip_too_long", hint=hint, detail=taken, sentence="clip_endless", seconds=seconds)

    def _check(self, block: np.ndarray) -> None:
        if not np.isfinite(block).all():
            raise RecordingUnusable("clip_not_finite")
        if np.abs(block).max(initial=0.0) > LOUDEST:
            raise RecordingUnusable("clip_out_of_range")

    def _channel(self, number: int) -> np.ndarray:
        """(T,), as it was decoded: even a zero keeps its sign."""
        return np.concatenate([block if self._n_channels == 1 else block[:, number] for block in self._blocks])

    def _average(self, channels: Sequence[int]) -> np.ndarray:
        means = [block[:, channels].mean(axis=1, dtype=np.float64).astype(np.float32) for block in self._blocks]
        return np.concatenate(means)


class _BeginningOfMono(_Mono):
    """Takes what fits, and no more than that. is_full: there was more."""

    def add(self, block: np.ndarray) -> None:
        most_frames = min(int(self._most_seconds * self.sample_rate), self._most_frames)
        taken = block[: most_frames - self._n_frames]
        self.is_full = len(taken) < len(block)
        if len(taken):
            super().add(taken)


class _Upload(io.BytesIO):
    """Bytes in which a damaged header may send the reader to before the start: it then stays where it is, as in a file."""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        try:
            return super().seek(offset, whence)
        except ValueError:
            return self.tell()


class _Taking:
    """One file that is decoded: into what, whose turn it is, and whether it has the room for much."""

    def __init__(self, begin: _Begin, turn: Turn, held: ExitStack):
        self._begin, self._turn, self._held = begin, turn, held
        self._has_room = False

    def sound_of(self, sample_rate: int, n_channels: int, claimed_seconds: float | None, blocks: Iterator[np.ndarray]) -> DecodedSound:
        mono = self._begin(sample_rate, n_channels, claimed_seconds)
        for block in blocks:
            mono.add(block)
            if mono.is_full:
                break
            self._turn.leave()  # whoever waits for room holds nothing that those wait for who have it
            if mono.n_bytes > MOST_ROOMLESS_BYTES and not self._has_room:
                self._held.enter_context(_ROOM)
                self._has_room = True
            self._turn.take()
        return mono.sound()


def _decoded(data: bytes, most_bytes: int, begin: _Begin) -> DecodedSound:
    """Raises AudioTooLarge, AudioUndecodable, and what adding a block does."""
    if len(data) > most_bytes:
        raise AudioTooLarge(len(data), most_bytes)
    if not data:
        raise AudioUndecodable("the file is empty", sentence="audio_empty")
    with ExitStack() as held, large_decode_lock(len(data)) as turn:
        taking = _Taking(begin, turn, held)
        try:
            return _with_soundfile(data, taking)
        except soundfile.LibsndfileError:
            return _with_ffmpeg(data, taking)


def _with_soundfile(data: bytes, taking: _Taking) -> DecodedSound:
    """Raises soundfile.LibsndfileError where libsndfile cannot read it."""
    with soundfile.SoundFile(_Upload(data)) as file:
        if file.format not in _SOUNDFILE_CONTAINERS:
            raise AudioUndecodable(f"{file.format} files are not taken", sentence="audio_format_untaken", format=file.format)
        if file.format == "OGG" and data.count(_OGG_BEGINNING) > 1:
            reason = "it holds several streams, one after the other, of which only the first would be heard"
            raise AudioUndecodable(reason, sentence="audio_of_many_streams")
        claimed_seconds = file.frames / file.samplerate if 0 < file.frames < _UNKNOWN_FRAMES else None
        return taking.sound_of(file.samplerate, file.channels, claimed_seconds, _blocks_of(file))


def _blocks_of(file: soundfile.SoundFile) -> Iterator[np.ndarray]:
    while len(block := file.read(_BLOCK_FRAMES, dtype="float32", always_2d=True)):
        yield block


def _with_ffmpeg(data: bytes, taking: _Taking) -> DecodedSound:
    """The first track with speech; where there is none, the first with sound. What cannot be decoded is no track."""
    n_tracks = count_tracks(data)
    sounds, errors = [], []
    for track in range(1, min(n_tracks, MOST_TRACKS) + 1):
        try:
            with open_track(data, track) as opened:
                sound = taking.sound_of(*opened)
        except AudioUndecodable as error:
            errors.append(error)
            continue
        sounds.append(replace(sound, source=sound.source.of_track(track, n_tracks)))
        if n_tracks == 1 or speech_seconds(sound.clip):
            return sounds[-1]
    if not sounds:
        raise errors[0]
    return next((sound for sound in sounds if loudest_dbfs(sound.clip) >= SILENT_DBFS), sounds[0])


# --- turns


LARGE_BYTES = 1 << 20  # below it the work is over sooner than a turn of somebody else
_TURN = FairLock()
MOST_ROOMLESS_BYTES = 16 << 20  # of samples: half a minute of stereo at 48 kHz. It waits for nothing that is longer
# A file of 25 MB may unpack to MOST_DECODED_BYTES, twice that while they are put together: two at a time bound it to 1 GB.
_ROOM = threading.BoundedSemaphore(2)


def large_decode_lock(n_bytes: int) -> Turn:
    """To be held while so many bytes are worked on. Waits. Not to be asked for twice by one thread."""
    return Turn(_TURN if n_bytes >= LARGE_BYTES else None)


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
