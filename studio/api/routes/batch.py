"""POST /v1/audio/speech/batch: many texts in one request, spoken side by side, answered together in the order asked.

Each item is a speech of its own: same fields, same rules, same line in the journal. What fails in one item is told in its result. Nothing
is sent before all items are over, and the whole answer is in memory by then, as the contract has it: base64 inside one JSON.
"""

import asyncio
import base64
import json
import logging
import secrets
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from fastapi import Depends, FastAPI, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engines.errors import EngineError
from studio.api.arrival import received_at, request_id
from studio.api.desk import Desk
from studio.api.errors import ApiError, answer_for
from studio.api.intake import Utterance, utter
from studio.api.listening import unless_hung_up
from studio.api.reference.remote_audio import RemoteAudio
from studio.api.request_log import HUNG_UP, Entry
from studio.api.routes.batch_body import BatchBody
from studio.api.routes.speech import json_only
from studio.api.sound import Sound
from studio.api.usage import Usage
from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES
from studio.errors import EngineBusy, NoAudio
from studio.timeline import Timeline

__all__ = ["BatchRoom"]

log = logging.getLogger("studio")

MOST_AT_ONCE = 8  # items of one batch; an engine lets 64 requests wait (STUDIO_MAX_WAITING), and others want to be among them
BASE64_STEP_BYTES = 3 << 15  # a multiple of 3, so that the steps join without padding; about 0.1 ms
RESULT_SCHEMA = {
    "type": "object",
    "required": ["index", "status"],
    "properties": {
        "index": {"type": "integer"},
        "status": {"enum": ["success", "error"]},
        "audio_data": {"type": "string", "contentEncoding": "base64"},
        "media_type": {"type": "string"},
        "sample_rate": {"type": "integer"},
        "duration_ms": {"type": "integer"},
        "cache": {"type": "string"},
        "usage": {"type": "object"},
        "warning": {"type": "string", "description": "Fields that could not be heeded."},
        "error": {"type": "string"},
        "param": {"type": "string"},
        "reason_code": {"type": "string"},
        "hint": {"type": "string"},
    },
}
BATCH_SCHEMA = {
    "type": "object",
    "required": ["id", "results", "total", "succeeded", "failed"],
    "properties": {
        "id": {"type": "string"},
        "results": {"type": "array", "items": RESULT_SCHEMA},
        "total": {"type": "integer"},
        "succeeded": {"type": "integer"},
        "failed": {"type": "integer"},
    },
}
SPOKEN = {200: {"description": "One result per item, in their order.", "content": {"application/json": {"schema": BATCH_SCHEMA}}}}


class BatchRoom:
    """The route that speaks many texts. `open` adds it to an app."""

    def __init__(self, desk: Desk):
        self._desk = desk

    def open(self, app: FastAPI) -> None:
        app.add_api_route(
            "/v1/audio/speech/batch",
            self.speak_all,
            methods=["POST"],
            tags=["speech"],
            summary="Speak many texts",
            response_class=Response,
            responses=SPOKEN,
            dependencies=[Depends(json_only)],
        )

    async def speak_all(self, body: BatchBody, request: Request) -> Response:
        """200 also where items fail: each result says how it went. An item may name a `model` and anything else of its own.

        The body has at most 16 MiB; reference audio that several items share belongs at the top level, once.
        """
        studio = self._desk.studio
        body.check_length(studio.settings.most_batch_items)
        studio.engine_info(body.model or None)  # an unknown one refuses the whole
        return BatchAnswer(self._desk, body, received_at(request.scope))


@dataclass
class _Course:
    """How one item goes, for the journal."""

    timeline: Timeline
    format: str = ""
    status: int = HUNG_UP
    failure: str = ""
    utterance: Utterance | None = None


@dataclass(frozen=True)
class _Result:
    """json: the object, in pieces of which one is large."""

    succeeded: bool
    json: tuple[bytes, ...] = field(repr=False)


class BatchAnswer(Response):
    """All items, each opened, listened to and closed here. received: time of arrival, as of time.perf_counter()."""

    pauses_seconds = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # between attempts while the engine's queue is full; then the item has failed

    def __init__(self, desk: Desk, body: BatchBody, received: float):
        super().__init__()
        self._desk = desk
        self._body = body
        self._received = received
        self._id = f"speech-batch-{secrets.token_hex(8)}"
        self._remote_audio = _FetchedOnce(desk.remote_audio, body.ref_audio)
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await unless_hung_up(receive, self._deliver(send, request_id(scope)))

    async def _deliver(self, send: Send, request_id: str) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._spoken(index)) for index in range(len(self._body.items))]
        results = [task.result() for task in tasks]
        succeeded = sum(result.succeeded for result in results)
        counts = {"total": len(results), "succeeded": succeeded, "failed": len(results) - succeeded}
        parts = [json.dumps({"id": self._id})[:-1].encode() + b', "results": [']
        for index, result in enumerate(results):
            parts += [b", "] if index else []
            parts += result.json
        parts.append(b"], " + json.dumps(counts)[1:].encode())
        headers = {"content-type": "application/json", "content-length": str(sum(map(len, parts))), "x-request-id": request_id}
        await send({"type": "http.response.start", "status": 200, "headers": [(k.encode(), v.encode()) for k, v in headers.items()]})
        for part in parts:  # joined, they would be in memory twice, and the loop would copy for a second
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _spoken(self, index: int) -> _Result:
        """Never raises but when cancelled: a failure is a result."""
        course = _Course(Timeline(self._received))
        try:
            async with self._turns:
                result = await self._attempt(index, course)
            course.status = 200
            return result
        except ApiError as error:
            return _failed(index, error, course)
        except EngineError as error:
            return _failed(index, answer_for(error), course)
        except Exception:  # a defect of ours in one item is no reason to throw the others away
            log.exception("item %d of %s failed", index, self._id)
            return _failed(index, ApiError(500, "Internal server error.", reason_code="internal_error"), course)
        finally:
            entry = Entry(f"{self._id}-{index}", "batch", course.status, course.failure, course.format)
            self._desk.journal.write(entry, course.timeline, course.utterance)

    async def _attempt(self, index: int, course: _Course) -> _Result:
        course.utterance = utterance = await self._opened(index, course)
        try:
            sound = Sound(utterance)
            parts = []
            while (samples := await sound.next()) is not None:
                parts.append(samples)
                await asyncio.sleep(0)  # half a minute may be ready at once; who listens to a stream comes between
            if not parts:
                raise NoAudio("The speech is too short to hold a sample at this rate.", "Try a longer text.")
            result = await self._desk.threads.run(lambda: self._result(index, np.concatenate(parts), sound, course))
            course.timeline.mark("done")
            return result
        finally:
            utterance.close()

    async def _opened(self, index: int, course: _Course) -> Utterance:
        """A queue that is full now has room soon: the batch waits for it, within limits. Raises ApiError, EngineError."""
        desk = self._desk

        def open_utterance() -> Utterance:
            speech = self._body.speech(self._body.items[index], strict=desk.studio.settings.strict_compat)
            course.format = speech.response_format
            return utter(desk.studio, speech, course.timeline, self._remote_audio)

        for pause_seconds in self.pauses_seconds:
            try:
                return await desk.threads.open(open_utterance)
            except EngineBusy:
                await asyncio.sleep(pause_seconds)
        return await desk.threads.open(open_utterance)

    def _result(self, index: int, samples: np.ndarray, sound: Sound, course: _Course) -> _Result:
        """Blocks: encodes. samples: (T,) float32, all of them."""
        order, speech = course.utterance.order, course.utterance.speech
        data = encode(samples, sound.sample_rate, course.format)
        unheeded = {"a batch": self._body.unheeded(self._body.items[index]), speech.engine.title: order.ignored}
        members = {
            "media_type": MEDIA_TYPES[course.format],
            "usage": Usage.of(order.request.text, order.reference_seconds, sound.seconds).members(),
            "sample_rate": sound.sample_rate,
            "duration_ms": round(sound.seconds * 1000),
            "cache": course.timeline.cache or "bypass",
            "warning": " ".join(f"Not heeded by {who}: {', '.join(names)}." for who, names in unheeded.items() if names),
        }
        head = json.dumps({"index": index, "status": "success", "audio_data": ""})[:-2].encode()
        return _Result(True, (head, _base64(data), b'", ' + _json(members)[1:]))


class _FetchedOnce:
    """RemoteAudio by which the recording that items inherit is fetched once for all of them; its failure, too, reaches all."""

    def __init__(self, remote_audio: RemoteAudio, shared: object):
        self._remote_audio = remote_audio
        self._shared = shared.strip() if isinstance(shared, str) else None
        self._lock = threading.Lock()
        self._fetched: Future[bytes] | None = None

    def fetch(self, url: str) -> bytes:
        if url != self._shared:
            return self._remote_audio.fetch(url)
        with self._lock:
            is_first, self._fetched = self._fetched is None, self._fetched or Future()
        if is_first:
            try:
                self._fetched.set_result(self._remote_audio.fetch(url))
            except BaseException as error:
                self._fetched.set_exception(error)
        return self._fetched.result()


def _failed(index: int, error: ApiError, course: _Course) -> _Result:
    """error: a plain sentence, as in vLLM-Omni; the rest of the envelope beside it."""
    course.status, course.failure = error.status, error.reason_code
    members = {"index": index, "status": "error", "error": error.message}
    return _Result(False, (_json(members | {"param": error.param, "reason_code": error.reason_code, "hint": error.hint}),))


def _base64(data: bytes) -> bytes:
    """In steps, between which other threads get their turn: whole files would hold up streams."""
    return b"".join(base64.b64encode(data[start : start + BASE64_STEP_BYTES]) for start in range(0, len(data), BASE64_STEP_BYTES))


def _json(members: dict[str, object]) -> bytes:
    """Without members that are null or empty."""
    return json.dumps({name: value for name, value in members.items() if value not in (None, "")}).encode()
