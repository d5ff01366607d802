"""EngineReplica: one opened engine in a process of its own. Ingress studios call it by a handle.

Nothing here imports Ray: the class becomes a deployment in split.py. Prompts come and go as files (SpeakerPrompt.to_bytes), and so do
errors (ErrorAsData), since what Ray makes of an exception is no more ours. Its methods run on one event loop, the engine on its own thread.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine, EngineInfo
from engines.contract.editing import RecordingEdit
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import EngineError, EngineFailed
from engines.text.spoken_length import estimated_seconds
from studio.running.delivery import Delivery
from studio.running.error_as_data import ErrorAsData
from studio.running.lifecycle import IdleLimit
from studio.running.limits import Limits
from studio.running.stream import EngineStream
from studio.running.worker import EngineWorker
from studio.scale.sent_ahead import TOLD_EVERY_SECONDS, SentAhead
from studio.scale.served_figures import ServedFigures
from studio.settings import Settings
from studio.timeline import Timeline

__all__ = ["EngineReplica", "ReplicaIdentity", "SentClip", "SpeechChunk", "Spoken"]

MOST_PIECE_SECONDS = 1.0  # of audio that lies ready and is sent as one piece
PAUSE_SECONDS = 1.0  # within which a listener who had some of a speech is believed to run dry of it
MOST_FAILURES = 3  # of the engine itself, one after the other: it is broken, and a fresh one takes its place

SentClip = tuple[np.ndarray, int, tuple[int, ...]]  # samples, sample rate and joints of a Clip


@dataclass(frozen=True)
class ReplicaIdentity:
    """What the opened engine is: what it declares, what makes its prompts its own, where it computes and how much it holds there."""

    info: EngineInfo
    weights_fingerprint: str
    numeric_mode: str
    device: str
    memory_bytes: int


@dataclass(frozen=True)
class SpeechChunk:
    """samples: (T,) float32, the next audio of a stream. ttfp_seconds: with the first of it, since the call arrived here."""

    samples: np.ndarray
    ttfp_seconds: float | None = None


Spoken = (
    SpeechChunk | SpeechEnd | ErrorAsData
)  # what a stream sends; one of the latter two is the last, and without it the stream broke off


@dataclass(frozen=True)
class _Length:
    """Seconds of audio; is_known where they are no estimate."""

    seconds: float
    is_known: bool


class EngineReplica:
    """An EngineWorker with its engine, opened when this is made.

    info, open_engine: as for EngineWorker. settings: how many may wait and how far is spoken ahead. ttfp_goal_seconds: which autoscaling is
    told together with what listeners really wait. Raises RuntimeError in plain words where the engine cannot be opened.
    """

    def __init__(self, info: EngineInfo, open_engine: Callable[[], Engine], settings: Settings, ttfp_goal_seconds: float = 1.0):
        limits = Limits(settings.most_waiting, settings.most_ahead_seconds, settings.admit, settings.most_wait_seconds)
        idle_limit = IdleLimit(settings.unload_after_minutes * 60 or None)
        self._worker = EngineWorker(info, open_engine, limits=limits, idle_limit=idle_limit)
        self._flights: dict[object, asyncio.Future[bytes | ErrorAsData]] = {}
        self._sent: dict[str, SentAhead] = {}
        self._most_ahead_seconds = settings.most_ahead_seconds
        self._served = ServedFigures()
        self._goal = ttfp_goal_seconds
        self._n_extractions = self._n_failures = 0
        try:
            self._worker.load()
        except EngineError as error:  # which Ray could not pickle
            raise RuntimeError(f"{error.fact} {getattr(error, 'command', '') or error.hint}") from None

    # --- what it is, and how it stands

    async def identity(self) -> ReplicaIdentity | ErrorAsData:
        try:
            engine = await asyncio.to_thread(self._worker.load)
        except Exception as error:
            return self._as_data(error)
        return ReplicaIdentity(engine.info, engine.weights_fingerprint, engine.numeric_mode, engine.device, engine.memory_bytes())

    async def status(self) -> dict[str, object]:
        """In figures: its process, jobs waiting and streaming, extractions so far, failures in a row, memory in bytes."""
        status = self._worker.status()
        return {
            "process": os.getpid(),
            "state": status.state,
            "waiting": status.waiting,
            "streaming": status.streaming,
            "extractions": self._n_extractions,
            "failures": self._n_failures,
            "memory_bytes": status.memory_bytes,
        }

    async def check_health(self) -> None:
        """Raises RuntimeError where the engine is broken; then Serve ends this replica and starts another."""
        status = self._worker.status()
        if status.state in ("failed", "unavailable"):
            raise RuntimeError(f"{status.info.title}: {status.reason}")
        if self._n_failures >= MOST_FAILURES:
            raise RuntimeError(f"{status.info.title} failed {self._n_failures} times in a row.")

    def record_autoscaling_stats(self) -> dict[str, float]:
        """For `by_queue_and_ttfp`, which has more of these replicas made when listeners wait too long."""
        figures = {"waiting": float(self._worker.status().waiting), "ttfp_seconds": self._served.ttfp_seconds()}
        return figures | {"ttfp_goal_seconds": self._goal}

    # --- prompts

    async def extract(self, clip: SentClip, transcript: Transcript | None) -> bytes | ErrorAsData:
        """The prompt of a clip. Who asks while it is being made for another gets that one: one extraction, however many ingresses."""
        try:
            heard = Clip(*clip)
        except EngineError as error:
            return self._as_data(error)
        key = (heard.digest, transcript.digest if transcript is not None else "")

        def learn(engine: Engine) -> SpeakerPrompt:
            self._n_extractions += 1
            return engine.extract(heard, transcript)

        return await self._once(key, learn)

    async def embed(self, embedding: np.ndarray) -> bytes | ErrorAsData:
        return await self._learned(lambda engine: engine.embed(embedding))

    async def adopt(self, name: str, tensor: np.ndarray) -> bytes | ErrorAsData:
        return await self._learned(lambda engine: engine.adopt(name, tensor))

    async def preset(self, name: str) -> bytes | ErrorAsData:
        return await self._learned(lambda engine: engine.preset(name))

    async def prepare(self, prompt: bytes) -> ErrorAsData | None:
        """As Engine.prepare."""
        try:
            read = SpeakerPrompt.from_bytes(prompt)
            await asyncio.wrap_future(self._worker.call(lambda engine: engine.prepare(read)))
        except Exception as error:
            return self._as_data(error)
        return None

    async def forget(self, content_digest: str) -> None:
        """As Engine.forget; waits for nothing."""
        self._worker.tell(lambda engine: engine.forget(content_digest))

    async def keep_only(self, source_digests: Collection[str]) -> None:
        """As Engine.keep_only; waits for nothing."""
        self._worker.tell(lambda engine: engine.keep_only(source_digests))

    # --- speech

    async def stream(
        self, speech: str, prompt: bytes, text: str, options: Mapping[str, Value], is_heard: bool = False
    ) -> AsyncGenerator[Spoken, None]:
        """Audio of a text. speech: an id of its own, by which `took` is told how much of it was taken.

        is_heard: its listener had some of it from another replica, which is gone, and waits in no line again.
        Cancelled, it stops the engine within a chunk.
        """
        length = _Length(estimated_seconds(text, options, own=options), is_known=False)
        spoken = self._spoken(speech, prompt, lambda engine, read: engine.stream(text, read, options), length, is_heard)
        async with aclosing(spoken):
            async for piece in spoken:
                yield piece

    async def convert(
        self, speech: str, prompt: bytes, clip: SentClip, options: Mapping[str, Value], is_heard: bool = False
    ) -> AsyncGenerator[Spoken, None]:
        """Recorded speech said again; else as `stream`."""
        length = _Length(len(clip[0]) / clip[1], is_known=True)
        spoken = self._spoken(speech, prompt, lambda engine, read: engine.convert(Clip(*clip), read, options), length, is_heard)
        async with aclosing(spoken):
            async for piece in spoken:
                yield piece

    async def edit(
        self, speech: str, prompt: bytes, sent: tuple[SentClip, RecordingEdit], options: Mapping[str, Value], is_heard: bool = False
    ) -> AsyncGenerator[Spoken, None]:
        """A recording in which something else is said; else as `stream`. sent: the recording and the change."""
        clip, change = sent
        length = _Length(len(clip[0]) / clip[1], is_known=True)
        spoken = self._spoken(speech, prompt, lambda engine, read: engine.edit(Clip(*clip), change, read, options), length, is_heard)
        async with aclosing(spoken):
            async for piece in spoken:
                yield piece

    async def took(self, speech: str, seconds: float) -> bool:
        """So much of a speech was taken, all together; whether it is spoken here."""
        sent = self._sent.get(speech)
        if sent is not None:
            sent.took(seconds)
        return sent is not None

    def __del__(self):
        if hasattr(self, "_worker"):
            self._worker.close()

    # --- private

    async def _once(self, key: object, learn: Callable[[Engine], SpeakerPrompt]) -> bytes | ErrorAsData:
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = asyncio.ensure_future(self._learned(learn))
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
        return await asyncio.shield(flight)  # whoever goes does not take it from the others

    async def _learned(self, learn: Callable[[Engine], SpeakerPrompt]) -> bytes | ErrorAsData:
        try:
            if not self._worker.ready:
                await asyncio.to_thread(self._worker.load)
            return (await asyncio.wrap_future(self._worker.call(learn))).to_bytes()
        except Exception as error:
            return self._as_data(error)

    async def _spoken(
        self,
        speech: str,
        prompt: bytes,
        open_chunks: Callable[[Engine, SpeakerPrompt], Iterator[np.ndarray]],
        length: _Length,
        is_heard: bool,
    ) -> AsyncGenerator[Spoken, None]:
        timeline = Timeline()
        delivery = Delivery(until=time.perf_counter() + PAUSE_SECONDS) if is_heard else Delivery()
        try:
            read = SpeakerPrompt.from_bytes(prompt)
            if not self._worker.ready:
                await asyncio.to_thread(self._worker.load)
            stream = self._worker.stream(
                lambda engine: open_chunks(engine, read),
                timeline,
                expected_seconds=length.seconds,
                knows_length=length.is_known,
                delivery=delivery,
            )
        except Exception as error:
            yield self._as_data(error)
            return
        self._sent[speech] = sent = SentAhead(max(self._most_ahead_seconds, 2 * TOLD_EVERY_SECONDS))
        rate = self._worker.info.sample_rate
        try:
            async for piece in _pieces(stream, MOST_PIECE_SECONDS * rate, sent):
                first = None if sent.seconds or is_heard else timeline.ttfp_seconds
                if first is not None:
                    self._served.heard(first)
                sent.sent(len(piece) / rate)
                yield SpeechChunk(piece, first)
            self._n_failures = 0
            yield stream.end or ENDED
        except Exception as error:
            yield self._as_data(error)
        finally:
            del self._sent[speech]
            stream.notify(lambda: None)  # the engine's thread must not call a loop that may be gone
            stream.close()

    def _as_data(self, error: Exception) -> ErrorAsData:
        data = ErrorAsData.of(error, self._worker.info.title)
        if issubclass(data.kind, EngineFailed):
            self._n_failures += 1
        return data


async def _pieces(stream: EngineStream, most_samples: float, sent: SentAhead) -> AsyncGenerator[np.ndarray, None]:
    """What lies ready, as one piece, whenever there is something and who listens has room. Raises what the engine raised, after it."""
    news, loop = asyncio.Event(), asyncio.get_running_loop()

    def tell() -> None:
        loop.call_soon_threadsafe(news.set)

    stream.notify(tell)
    while True:
        await sent.room()
        news.clear()
        chunks, outcome = _ready(stream, most_samples)
        if chunks:
            yield chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
        if isinstance(outcome, Exception):
            raise outcome
        if outcome:
            return
        if not chunks:
            await news.wait()


def _ready(stream: EngineStream, most_samples: float) -> tuple[list[np.ndarray], bool | Exception]:
    """Chunks, and whether the stream is over, or by what."""
    chunks: list[np.ndarray] = []
    while sum(map(len, chunks)) < most_samples:
        try:
            chunk, over = stream.poll()
        except Exception as error:
            return chunks, error
        if chunk is None:
            return chunks, over
        chunks.append(chunk)
    return chunks, False
