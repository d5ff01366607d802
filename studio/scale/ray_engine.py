"""RayEngine: the Engine contract over a Serve handle. The engine itself is opened in replicas elsewhere, see engine_replica.py.

All that concerns one recording has one routing key, the digest of its source: what extracts it, prepares it and speaks in it is the same
replica as long as that one lives (speaker_router.py), where it is learned once and prepared already.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast
from uuid import uuid4

import numpy as np
from ray.exceptions import NodeDiedError, ObjectLostError, RayActorError, WorkerCrashedError
from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError, ReplicaUnavailableError
from ray.serve.handle import DeploymentHandle

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import YIELD_POINT, ChunkStream, Engine
from engines.contract.editing import RecordingEdit
from engines.contract.health import EngineHealth
from engines.contract.loop_thread import LoopThread
from engines.contract.options import Value
from engines.contract.preset_blend import blend_text
from engines.contract.prompt import SpeakerPrompt, adopted_digest, embedding_digest, preset_digest
from engines.contract.speech_end import SpeechEnd
from engines.contract.stream_figures import FAR_TTFP, state
from engines.errors import EngineError, EngineFailed, EngineUnreachable
from studio.errors import SpeechCancelled
from studio.running.error_as_data import ErrorAsData
from studio.running.one_take import OneTake, SpeakerLost, TakeDiffers
from studio.scale.engine_replica import ReplicaIdentity, SpeechChunk, Spoken
from studio.scale.replica_watch import ReplicaWatch
from studio.scale.sent_ahead import TOLD_EVERY_SECONDS

__all__ = ["RayEngine"]

LOST = (RayActorError, NodeDiedError, WorkerCrashedError, ObjectLostError, ReplicaUnavailableError)  # the replica, not what was asked
PATIENCE_SECONDS = 10.0  # with a deployment of which no replica runs: a replica that died has a successor after 3 to 8 s
ATTEMPTS = 2
TAKES = 3  # of a speech: two replicas may die of it, or beside it, and no more

log = logging.getLogger("studio")
Answer = TypeVar("Answer")


@dataclass
class _Speech:
    """One stream on its way here."""

    verb: str
    key: str  # for routing
    given: tuple[object, ...]
    id: str = field(default_factory=lambda: uuid4().hex)
    taken_seconds: float = 0.0
    told_seconds: float = 0.0
    news: asyncio.Event = field(default_factory=asyncio.Event)


class RayEngine(Engine):
    """May be used by many threads at once. It is as its replicas say it is; memory_bytes are one replica's.

    handle: of a deployment of EngineReplica. watch: of the same. Raises EngineUnreachable where no replica answers in time.
    """

    def __init__(self, handle: DeploymentHandle, watch: ReplicaWatch, title: str):
        self._handle, self._watch, self._title = handle, watch, title
        self._on_loop = LoopThread(f"ray-{title}")
        self._under_way: set[asyncio.Task] = set()  # a loop alone keeps no task alive
        try:
            identity = cast(ReplicaIdentity, self._asked("", "identity"))
        except BaseException:
            self.close()
            raise
        self.info = replace(identity.info, runs="elsewhere", reads_along=False, marks_words=False)
        self.weights_fingerprint, self.numeric_mode = identity.weights_fingerprint, identity.numeric_mode
        self.device = identity.device
        self._memory_bytes = identity.memory_bytes

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)  # what can be told without sending it
        return self._learned(clip.digest, "extract", (clip.samples, clip.sample_rate, clip.joints), transcript)

    def embed(self, embedding: np.ndarray) -> SpeakerPrompt:
        return (
            super().embed(embedding) if self.info.embedding_size is None else self._learned(embedding_digest(embedding), "embed", embedding)
        )

    def adopt(self, name: str, tensor: np.ndarray) -> SpeakerPrompt:
        if not self.info.prompt_forms:
            return super().adopt(name, tensor)
        return self._learned(adopted_digest(name, tensor), "adopt", name, tensor)

    def preset(self, name: str) -> SpeakerPrompt:
        is_known = name in self.info.presets or blend_text(name, self.info) is not None
        return self._learned(preset_digest(name), "preset", name) if is_known else super().preset(name)

    def prepare(self, prompt: SpeakerPrompt) -> None:
        self.check_prompt(prompt)
        self._asked(prompt.source_digest, "prepare", prompt.to_bytes())

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        return self._spoken("stream", text, prompt, options)

    def convert(self, clip: Clip, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        if not self.info.converts:
            return super().convert(clip, prompt, options)
        return self._spoken("convert", (clip.samples, clip.sample_rate, clip.joints), prompt, options)

    def edit(self, clip: Clip, change: RecordingEdit, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        if not self.info.edits:
            return super().edit(clip, change, prompt, options)
        sent = ((clip.samples, clip.sample_rate, clip.joints), change)
        return self._spoken("edit", sent, prompt, options)

    def forget(self, content_digest: str) -> None:
        """All replicas are told; waits for none of them."""
        self._begin(lambda: self._told_all("forget", content_digest))

    def keep_only(self, source_digests: Collection[str]) -> None:
        """All replicas are told; waits for none of them."""
        kept = tuple(source_digests)
        self._begin(lambda: self._told_all("keep_only", kept))

    def health(self) -> EngineHealth:
        return self._watch.health

    def memory_bytes(self) -> int:
        return self._memory_bytes

    def close(self) -> None:
        self._watch.close()
        self._on_loop.close()

    # --- calls

    def _learned(self, key: str, verb: str, *given: object) -> SpeakerPrompt:
        return SpeakerPrompt.from_bytes(cast(bytes, self._asked(key, verb, *given)))

    def _asked(self, key: str, verb: str, *given: object) -> object:
        """What a replica answers; a lost one's successor is asked once more. Raises what it says, EngineUnreachable, EngineFailed."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _said(self._on_loop.result(self._answer(key, verb, given)))
            except LOST as error:
                log.warning("%s lost a replica in %s (attempt %d): %s", self._title, verb, attempt, type(error).__name__)
                if attempt == ATTEMPTS:
                    raise self._unreachable() from error
            except EngineError:
                raise
            except Exception as error:
                raise self._failure(error) from error
        raise AssertionError

    async def _answer(self, key: str, verb: str, given: tuple[object, ...]) -> object:
        response = self._handle.options(method_name=verb, session_id=key).remote(*given)
        waiting = asyncio.ensure_future(_result(response))
        try:
            while not (await asyncio.wait([waiting], timeout=1.0))[0]:
                self._check_there()
            return waiting.result()
        finally:
            if not waiting.done():
                response.cancel()
                waiting.cancel()

    def _begin(self, work: Callable[[], Coroutine[object, object, object]]) -> None:
        """On the loop, waiting for nothing; nothing once this is closed."""

        def begin() -> None:
            task = self._on_loop.loop.create_task(work())
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

        with suppress(RuntimeError):
            self._on_loop.loop.call_soon_threadsafe(begin)

    async def _told_all(self, verb: str, *given: object) -> list[object]:
        """What every replica answers; nothing where one is lost, since what it held is gone with it."""
        try:
            return await self._handle.broadcast(verb, *given).results_async()
        except Exception as error:
            log.info("%s could not tell all replicas to %s: %s", self._title, verb, error)
            return []

    # --- speech

    def _spoken(
        self, verb: str, said: object, prompt: SpeakerPrompt, options: Mapping[str, Value]
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """One speech, though replicas die, see OneTake. Each gets all that it needs: text, options with their seed, and the prompt."""
        self.check_prompt(prompt)
        given = (prompt.to_bytes(), said, dict(options))
        whole = OneTake()

        def take() -> Generator[np.ndarray, None, SpeechEnd]:
            return self._heard(_Speech(verb, prompt.source_digest, (*given, whole.n_samples > 0)))

        try:
            return (yield from whole.spoken(take, TAKES))
        except (SpeakerLost, TakeDiffers) as error:
            log.warning("%s lost a speech after %d samples: %s", self._title, whole.n_samples, error)
            raise (self._broke_off(error) if whole.n_samples else self._unreachable()) from error
        except EngineError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    def _heard(self, speech: _Speech) -> Generator[np.ndarray, None, SpeechEnd]:
        """One take."""
        try:
            return (yield from self._arriving(speech))
        except LOST as error:
            log.warning("%s lost a replica in a speech: %s", self._title, type(error).__name__)
            raise SpeakerLost(type(error).__name__) from error

    def _arriving(self, speech: _Speech) -> Generator[np.ndarray, None, SpeechEnd]:
        """Raises what Ray does, besides."""
        with closing(self._on_loop.pieces(lambda: self._pieces(speech), most_ahead=2)) as pieces:
            for piece in pieces:
                if piece is None:
                    self._check_there(speech.taken_seconds)
                    yield YIELD_POINT
                elif isinstance(piece, SpeechChunk):
                    yield self._taken(speech, piece)
                else:
                    return _end_in(piece)
        raise SpeakerLost("no end was said")  # half a text must not pass for a whole one

    async def _pieces(self, speech: _Speech) -> AsyncGenerator[Spoken, None]:
        options = {"method_name": speech.verb, "session_id": speech.key, "stream": True}
        response = self._handle.options(**options).remote(speech.id, *speech.given)
        telling = asyncio.create_task(self._tell_taken(speech))
        try:
            async for piece in response:
                yield piece
        finally:
            telling.cancel()
            response.cancel()

    def _taken(self, speech: _Speech, piece: SpeechChunk) -> np.ndarray:
        """Its samples; the replica is told in time, and whoever advances the stream of the replica's own figures."""
        if piece.ttfp_seconds is not None:
            state(FAR_TTFP, piece.ttfp_seconds)
        speech.taken_seconds += len(piece.samples) / self.info.sample_rate
        if speech.taken_seconds - speech.told_seconds >= TOLD_EVERY_SECONDS:
            self._on_loop.loop.call_soon_threadsafe(speech.news.set)
        return piece.samples

    async def _tell_taken(self, speech: _Speech) -> None:
        """How much was taken, when it is much more and from time to time, until cancelled: so the engine rests where its listener does.

        The replica that has the key is told, as a rule; all of them where the speech went elsewhere, since that one was busy.
        """
        asked = self._handle.options(method_name="took", session_id=speech.key)
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(TOLD_EVERY_SECONDS):  # `wait_for` of Python 3.11 forgets a cancellation that comes with the news
                    await speech.news.wait()
            speech.news.clear()
            speech.told_seconds = speech.taken_seconds
            try:
                was_there = await asked.remote(speech.id, speech.told_seconds)
            except Exception as error:
                log.info("%s did not hear how much was taken: %s", self._title, error)
                was_there = False
            if not was_there:
                await self._told_all("took", speech.id, speech.told_seconds)

    # --- what goes wrong

    def _check_there(self, heard_seconds: float = 0.0) -> None:
        """Who heard something waits for what Ray finds out. Raises EngineUnreachable."""
        if not heard_seconds and self._watch.down_seconds > PATIENCE_SECONDS:
            raise self._unreachable()

    def _unreachable(self) -> EngineUnreachable:
        return EngineUnreachable(detail="none of its replicas answers", engine=self._title)

    def _broke_off(self, error: SpeakerLost | TakeDiffers) -> EngineFailed:
        why = "no other could go on with it" if isinstance(error, SpeakerLost) else "another does not speak it alike"
        detail = f"the process that spoke was lost in the middle of the speech, and {why}"
        return EngineFailed(hint="Say it again.", detail=detail, engine=self._title)

    def _failure(self, error: Exception) -> EngineError:
        if isinstance(error, BackPressureError):
            return EngineUnreachable(detail="too many requests wait for its replicas", engine=self._title)
        if isinstance(error, DeploymentUnavailableError):
            return self._unreachable()
        return EngineFailed.at(error, self._title)


async def _result(response: Awaitable[object]) -> object:
    return await response


def _end_in(piece: SpeechEnd | ErrorAsData) -> SpeechEnd:
    if isinstance(piece, ErrorAsData) and piece.kind is SpeechCancelled:
        raise SpeakerLost("its replica is closing")  # and has no time left for what it speaks
    return _said(piece)


def _said(answer: Answer | ErrorAsData) -> Answer:
    if isinstance(answer, ErrorAsData):
        raise answer.error()
    return answer
