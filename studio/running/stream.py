"""EngineStream: the bounded queue between an engine and one listener. The engine's thread fills it, the listener empties it.

Playback is a simulated listener of it. It tells when the listener would run dry, and how long it has waited in silence.
EngineJob is what an engine's thread has been given to do: a call, or a stream to be advanced until it is over.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np

from engines.clips.clip import AUDIBLE_LEVEL, AUDIBLE_SECONDS, window_levels
from engines.contract.contract import Engine
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import EngineError
from studio.errors import SpeechCancelled
from studio.running.delivery import Delivery
from studio.timeline import Timeline

__all__ = ["EngineCall", "EngineJob", "EngineStream", "Playback", "StreamJob", "end_by"]


TOGETHER_SECONDS = 1.0  # of sound that waits for a listener, beyond the first chunk: more would be a long step for an encoder


class Playback:
    """A player that starts with the first chunk and plays on as long as it has audio.

    dry_at: the clock time at which it runs out; None before the first chunk.
    underrun_seconds: silence so far because a chunk came late.
    audible_at: the clock time at which it plays the first audible sample; None until then.
    """

    def __init__(self, sample_rate: int):
        self._sample_rate = sample_rate
        self._window = max(1, round(AUDIBLE_SECONDS * sample_rate))
        self._unheard = np.zeros(0, np.float32)
        self.dry_at: float | None = None
        self.audible_at: float | None = None
        self.underrun_seconds = 0.0
        self.audio_seconds = 0.0

    def receive(self, chunk: np.ndarray, now: float) -> None:
        """A chunk (T,) has come at clock time `now` (seconds)."""
        dry_at = now if self.dry_at is None else self.dry_at
        if now > dry_at:
            self.underrun_seconds += now - dry_at
            dry_at = now
        if self.audible_at is None:
            self._listen(chunk, dry_at)
        seconds = len(chunk) / self._sample_rate
        self.audio_seconds += seconds
        self.dry_at = dry_at + seconds

    def _listen(self, chunk: np.ndarray, plays_at: float) -> None:
        """Look for the first whole window above the audible level; windows may straddle chunks. The chunk plays from then on."""
        samples = np.concatenate([self._unheard, chunk])
        levels = window_levels(samples, self._window)
        loud = np.flatnonzero(levels > AUDIBLE_LEVEL)
        if len(loud):
            offset_samples = int(loud[0]) * self._window - len(self._unheard)
            self.audible_at = plays_at + offset_samples / self._sample_rate
        self._unheard = samples[len(levels) * self._window :]


class EngineStream:
    """One stream as both sides see it.

    The engine's thread calls `offer`, `finish` and `fail`. The listener iterates, or uses `poll` with `notify`, and may `close` any time.
    The engine never waits for the listener: a stream whose queue holds `most_ahead_seconds` of audio is not `wanted` and rests.
    """

    def __init__(self, sample_rate: int, timeline: Timeline, *, most_ahead_seconds: float, on_wanted: Callable[[], None]):
        self.timeline = timeline
        self.playback = Playback(sample_rate)
        self._sample_rate = sample_rate
        self._most_ahead_samples = int(most_ahead_seconds * sample_rate)
        self._on_wanted = on_wanted  # wakes the engine's thread: there is room again, or the stream was closed
        self._changed = threading.Condition()
        self._chunks: deque[np.ndarray] = deque()
        self._queued_samples = 0
        self._end: SpeechEnd | None = None
        self._error: BaseException | None = None
        self._closed = False
        self._notify: Callable[[], None] = lambda: None
        self._is_told = False  # the listener, of what came since its last `poll`

    # --- the engine's side

    @property
    def closed(self) -> bool:
        """The listener is gone: the engine should stop."""
        return self._closed

    @property
    def wanted(self) -> bool:
        """There is room for another chunk."""
        return self._queued_samples < self._most_ahead_samples

    @property
    def queued_seconds(self) -> float:
        """Of audio that the listener has not taken yet."""
        return self._queued_samples / self._sample_rate

    def offer(self, chunk: np.ndarray) -> None:
        """Queue a chunk (T,) float32. The first one marks first_audio."""
        timeline = self.timeline
        timeline.mark("first_audio")
        playback = self.playback
        playback.receive(chunk, timeline.now())
        timeline.audio_seconds = playback.audio_seconds
        timeline.underrun_seconds = playback.underrun_seconds
        if playback.audible_at is not None and timeline.first_audible_seconds is None:
            timeline.first_audible_seconds = timeline.elapsed(playback.audible_at)
        with self._changed:
            self._chunks.append(chunk)
            self._queued_samples += len(chunk)
            self._wake()

    def finish(self, end: SpeechEnd | None = None) -> None:
        """The engine is done. end: what its stream returned; None for ENDED."""
        self.timeline.mark("last_audio")
        with self._changed:
            self._end = self._end or end or ENDED
            self._wake()

    def fail(self, error: BaseException) -> None:
        """The engine cannot go on; nothing new where it is over already."""
        with self._changed:
            if self._end is None:
                self._error, self._end = error, end_by(error)
            self._wake()

    # --- the listener's side

    @property
    def end(self) -> SpeechEnd | None:
        """Why it ended; None while the engine is at work for it."""
        return self._end

    def notify(self, callback: Callable[[], None]) -> None:
        """Call back, from the engine's thread, whenever `poll` has something new to say; and once now."""
        with self._changed:
            self._notify = callback
            self._is_told = True
        callback()

    def poll(self) -> tuple[np.ndarray | None, bool]:
        """(chunk or None, whether the stream is over). Never blocks. Raises what the engine raised, after the chunks before it.

        Chunks that are ready together come as one, up to TOGETHER_SECONDS beyond the first: each way to a listener costs.
        """
        with self._changed:
            self._is_told, was_full = False, not self.wanted
            chunk = self._take_together()
            if chunk is None and self._end is not None:
                self._raise_error()
                return None, True
        if was_full and chunk is not None:
            self._on_wanted()
        return chunk, False

    def __iter__(self) -> Iterator[np.ndarray]:
        return self

    def __next__(self) -> np.ndarray:
        """The next chunk, waiting for it."""
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._end is not None)
            chunk = self._take()
            if chunk is None:
                self._raise_error()
                raise StopIteration
        self._on_wanted()
        return chunk

    def close(self) -> None:
        """The listener hangs up: queued audio is dropped and the engine stops within one chunk. Idempotent."""
        with self._changed:
            self._closed = True
            self._chunks.clear()
            self._queued_samples = 0
            if self._end is None:
                self._error = SpeechCancelled()
                self._end = SpeechEnd("cancelled")
            self._wake()
        self._on_wanted()

    # --- private; with the lock held

    def _take(self) -> np.ndarray | None:
        if not self._chunks:
            return None
        chunk = self._chunks.popleft()
        self._queued_samples -= len(chunk)
        return chunk

    def _take_together(self) -> np.ndarray | None:
        first = self._take()
        if first is None or not self._chunks:
            return first
        chunks, most = [first], len(first) + TOGETHER_SECONDS * self._sample_rate
        n_samples = len(first)
        while self._chunks and n_samples + len(self._chunks[0]) <= most:
            chunk = self._chunks.popleft()
            self._queued_samples -= len(chunk)
            chunks.append(chunk)
            n_samples += len(chunk)
        return np.concatenate(chunks)

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _wake(self) -> None:
        self._changed.notify_all()
        if not self._is_told:
            self._is_told = True
            self._notify()


def end_by(error: BaseException) -> SpeechEnd:
    """Why a speech is over that was ended by this error."""
    return SpeechEnd("cancelled" if isinstance(error, SpeechCancelled) else "failed")


@dataclass(eq=False)
class EngineJob:
    """What an engine's thread has to do, and when it was handed in: an EngineCall or a StreamJob.

    is_brief: a call that takes next to no time. delivery: of a stream. begun: its first turn; None before, and for a call. stirred: set
    when its listener wants more, or is gone, for a job that has a thread of its own.
    """

    submitted: float
    patience_seconds: float = 0.0  # of a call that nobody waits for: it is as urgent as a listener who has this much ahead
    is_brief: bool = False
    delivery: Delivery = field(default_factory=Delivery)
    begun: float | None = None
    stirred: threading.Event = field(default_factory=threading.Event)

    @property
    def gone(self) -> bool:
        """The listener has hung up."""
        return False

    @property
    def whole(self) -> bool:
        return self.delivery.whole

    @property
    def goes_on(self) -> bool:
        """Its listener hears something already, and would run dry of that."""
        return self.delivery.until is not None and self.delivery.until > self.submitted

    @property
    def dry_at(self) -> float | None:
        """When the listener runs dry; None for a call, and before anything was heard."""
        return None

    @property
    def runnable(self) -> bool:
        return True


@dataclass(eq=False, kw_only=True)
class EngineCall(EngineJob):
    """`run` gives a result."""

    run: Callable[[Engine], object]
    result: Future = field(default_factory=Future)

    def answer(self, engine: Engine) -> None:
        """Run the call, unless it was cancelled; its result or its error is the caller's."""
        if self.result.set_running_or_notify_cancel():
            try:
                self.result.set_result(self.run(engine))
            except BaseException as error:
                self.result.set_exception(error.of_engine(engine.info.title) if isinstance(error, EngineError) else error)


@dataclass(eq=False, kw_only=True)
class StreamJob(EngineJob):
    """`chunks` is being advanced, once it was opened. expected_seconds: of audio, no estimate where it knows_length. served: its last turn;
    None before."""

    stream: EngineStream
    open_chunks: Callable[[Engine], Iterator[np.ndarray]] = lambda engine: iter(())
    chunks: Iterator[np.ndarray] | None = None
    on_end: Callable[[Engine], None] = lambda engine: None
    expected_seconds: float = 0.0
    knows_length: bool = False
    served: float | None = None

    @property
    def gone(self) -> bool:
        return self.stream.closed

    @property
    def dry_at(self) -> float | None:
        return self.stream.playback.dry_at

    @property
    def is_starved(self) -> bool:
        """Its text has not come yet."""
        return self.delivery.feed is not None and self.delivery.feed.is_starved

    @property
    def runnable(self) -> bool:
        return self.stream.closed or (self.stream.wanted and not self.is_starved)
