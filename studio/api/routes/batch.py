"""POST /v1/audio/speech/batch: many texts in one request, spoken side by side, answered together in the order asked.

Each item is a speech of its own: same fields, same rules, same line in the request log. What fails in one item is told in its result.
Nothing is sent before all items are over, as the contract has it: base64 inside one JSON. It becomes base64 while it is sent.
"""

import asyncio
import base64
import json
import logging
import secrets
import threading
from concurrent.futures import Future
from contextlib import ExitStack, closing
from dataclasses import dataclass

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from studio.api.arrival import received_at, request_id
from studio.api.awaited_speech import AwaitedSpeech
from studio.api.desk import Desk, DeskOf
from studio.api.ending import left_out_members
from studio.api.errors import ApiError, answer_for
from studio.api.listening import unless_hung_up
from studio.api.routes.batch_body import BatchBody, StrictBatchBody
from studio.api.routes.speech import json_only
from studio.api.usage import Usage
from studio.api.whole_file import send_file
from studio.audio.file_encoder import EncodedFile
from studio.audio.formats import MEDIA_TYPES
from studio.errors import EngineBusy
from studio.reference.reference_audio import Fetch
from studio.running.default_engine import DefaultEngine
from studio.running.hearing import Hearing
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.refusal import tellable
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.web.faults import INTERNAL_ERROR
from studio.web.off_loop import OffLoopRoute

__all__ = ["MOST_AT_ONCE", "BatchAnswer", "router", "strict_router"]

log = logging.getLogger("studio")

COMMA = b", "
MOST_AT_ONCE = 8  # items of one batch; an engine lets 64 requests wait (STUDIO_MAX_WAITING), and others want to be among them
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
        "end": {"enum": ["ended", "capped", "no_room", "looped"]},
        "warning": {"type": "string", "description": "Fields that could not be heeded, what was left out, what is to be known of the end."},
        "left_out": {"type": "array", "items": {"type": "string"}, "description": "Markup of the text that the engine does not obey."},
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


PATH = "/v1/audio/speech/batch"
ROUTE = {"tags": ["speech"], "summary": "Speak many texts", "response_class": Response, "responses": SPOKEN}
# The latter under STUDIO_STRICT_COMPAT.
router, strict_router = (APIRouter(dependencies=[Depends(json_only)], route_class=OffLoopRoute) for _ in range(2))


@router.post(PATH, **ROUTE)
async def speak_all(body: BatchBody, request: Request, desk: DeskOf) -> Response:
    """200 also where items fail: each result says how it went. An item may name a `model` and anything else of its own.

    The body has at most 16 MiB; reference audio that several items share belongs at the top level, once.
    """
    body.check_length(desk.studio.settings.most_batch_items)
    engine = desk.studio.engine_info(body.model or _meant(body, desk.studio.default)).id  # an unknown one refuses the whole
    body = body if body.model else body.model_copy(update={"model": engine})  # it stays, whatever the default becomes meanwhile
    return BatchAnswer(desk, body, received_at(request.scope))


def _meant(body: BatchBody, default: DefaultEngine) -> str:
    """One for all: the default, unless the language of some item means another."""
    languages = {item.language or body.language for item in body.items if not item.model}
    return next((engine for language in languages if (engine := default.meant_by(language=language)) != default.id), default.id)


@strict_router.post(PATH, **ROUTE)
async def speak_all_compatibly(body: StrictBatchBody, request: Request, desk: DeskOf) -> Response:
    """As vLLM-Omni 0.30.0 does: a format that it does not know refuses the whole."""
    return await speak_all(body, request, desk)


@dataclass(frozen=True)
class _Result:
    """The object as JSON. file: its base64 stands between head and tail; None where the item has failed."""

    head: bytes
    file: EncodedFile | None = None
    tail: bytes = b""

    def __len__(self) -> int:
        """Bytes of it."""
        n_audio_bytes = 0 if self.file is None else 4 * -(-len(self.file) // 3)
        return len(self.head) + n_audio_bytes + len(self.tail)


class BatchAnswer(Response):
    """All items, each opened, listened to and closed here. received: time of arrival, as of time.perf_counter()."""

    pauses_seconds = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # between attempts while the engine's queue is full; then the item has failed

    def __init__(self, desk: Desk, body: BatchBody, received: float):
        super().__init__()
        self._desk = desk
        self._body = body
        self._received = received
        self._id = f"speech-batch-{secrets.token_hex(8)}"
        self._fetch = _FetchedOnce(desk.studio.remote_audio.fetch, body.ref_audio)
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._allowance = AudioAllowance(desk.studio.settings.most_audio_seconds)
        self._files = ExitStack()  # that were made, also those of items whose answer nobody waited for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._files:
            await unless_hung_up(receive, self._deliver(send, request_id(scope)))

    async def _deliver(self, send: Send, request_id: str) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._spoken(index)) for index in range(len(self._body.items))]
        results = [task.result() for task in tasks]
        succeeded = sum(result.file is not None for result in results)
        counts = {"total": len(results), "succeeded": succeeded, "failed": len(results) - succeeded}
        before = json.dumps({"id": self._id})[:-1].encode() + b', "results": ['
        tail = b"], " + json.dumps(counts)[1:].encode()
        n_bytes = len(before) + sum(map(len, results)) + len(COMMA) * (len(results) - 1) + len(tail)
        headers = {"content-type": "application/json", "content-length": str(n_bytes), "x-request-id": request_id}
        await send({"type": "http.response.start", "status": 200, "headers": [(k.encode(), v.encode()) for k, v in headers.items()]})
        for result in results:
            await send({"type": "http.response.body", "body": before + result.head, "more_body": True})
            if result.file is not None:
                await send_file(result.file, send, self._desk.threads, packed=base64.b64encode)
            before = result.tail + COMMA
        await send({"type": "http.response.body", "body": results[-1].tail + tail})

    async def _spoken(self, index: int) -> _Result:
        """Never raises but when cancelled: a failure is a result."""
        entry = RequestEntry(f"{self._id}-{index}", "batch", Timeline(self._received))
        try:
            async with AwaitedSpeech(self._desk, lambda: self._say(index, entry), entry) as spoken, self._turns:
                speech = await self._opened(spoken)
                file = self._files.enter_context(closing(await spoken.file(entry.format, self._allowance)))
                entry.timeline.mark("done")
                return self._result(index, file, speech, entry)
        except Exception as error:
            if (known := tellable(error)) is not None:
                return _failed(index, answer_for(known))
            log.exception("item %d of %s failed", index, self._id)  # a defect of ours in one item is no reason to throw the others away
            return _failed(index, ApiError(500, "Internal server error.", reason_code=INTERNAL_ERROR))

    def _say(self, index: int, entry: RequestEntry) -> Speech:
        """Blocks."""
        studio = self._desk.studio
        body = self._body.speech(self._body.items[index], strict=studio.settings.strict_compat)
        entry.format = body.response_format
        return studio.say(body, entry.timeline, fetch=self._fetch, hearing=Hearing(whole=True))

    async def _opened(self, spoken: AwaitedSpeech) -> Speech:
        """A queue that is full now has room soon: the batch waits for it, within limits."""
        for pause_seconds in self.pauses_seconds:
            try:
                return await spoken.open()
            except EngineBusy:
                await asyncio.sleep(pause_seconds)
        return await spoken.open()

    def _result(self, index: int, file: EncodedFile, speech: Speech, entry: RequestEntry) -> _Result:
        unheeded = {"a batch": self._body.unheeded(self._body.items[index]), speech.engine.title: speech.request.ignored}
        warnings = [f"Not heeded by {who}: {', '.join(names)}." for who, names in unheeded.items() if names]
        warnings += [speech.warning] if speech.warning else []
        members = {
            "media_type": MEDIA_TYPES[entry.format],
            "usage": Usage.of(speech).members(),
            "sample_rate": speech.sample_rate,
            "duration_ms": round(speech.seconds * 1000),
            "cache": entry.timeline.cache or "bypass",
            "end": speech.end.reason,
            "warning": " ".join(warnings),
        } | left_out_members(speech)
        head = json.dumps({"index": index, "status": "success", "audio_data": ""})[:-2].encode()
        return _Result(head, file, b'", ' + _json(members)[1:])


class _FetchedOnce:
    """A Fetch by which the recording that items inherit is fetched once for all of them; its failure, too, reaches all."""

    def __init__(self, fetch: Fetch, shared: object):
        self._fetch = fetch
        self._shared = shared.strip() if isinstance(shared, str) else None
        self._lock = threading.Lock()
        self._fetched: Future[bytes] | None = None

    def __call__(self, url: str) -> bytes:
        if url != self._shared:
            return self._fetch(url)
        with self._lock:
            is_first, self._fetched = self._fetched is None, self._fetched or Future()
        if is_first:
            try:
                self._fetched.set_result(self._fetch(url))
            except BaseException as error:
                self._fetched.set_exception(error)
        return self._fetched.result()


def _failed(index: int, error: ApiError) -> _Result:
    """error: a plain sentence, as in vLLM-Omni; the rest of the envelope beside it."""
    members = {"index": index, "status": "error", "error": error.message}
    return _Result(_json(members | {"param": error.param, "reason_code": error.reason_code, "hint": error.hint}))


def _json(members: dict[str, object]) -> bytes:
    """Without members that are null or empty."""
    return json.dumps({name: value for name, value in members.items() if value not in (None, "")}).encode()
