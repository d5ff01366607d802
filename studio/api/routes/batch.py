"""POST /v1/audio/speech/batch: many texts in one request. They are spoken side by side, and answered together in the order of the request.

Each item is a speech of its own: same fields, same rules, same line in the request log. What fails in one item is told in its result.
Nothing is sent before all items are over, as the contract has it: base64 inside one JSON. It becomes base64 while it is sent.
"""

import secrets
import threading
from concurrent.futures import Future

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from studio.api.answers.spoken_results import RESULT_SCHEMA, SpokenResults
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.middleware import received_at
from studio.api.routes.batch_body import BatchBody, CompatibleBatchBody
from studio.api.routes.speech import json_only
from studio.reference.reference_audio import Fetch
from studio.running.delivery import Delivery
from studio.running.pool import DefaultEngine
from studio.settings import OWN_DIALECT, VLLM_OMNI_DIALECT
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.web.body_limit import OffLoopRoute

__all__ = ["MOST_AT_ONCE", "ROUTERS", "BatchAnswer"]

MOST_AT_ONCE = 8  # items of one batch; an engine lets 64 requests wait (STUDIO_MAX_WAITING), and others want to be among them
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
SPOKEN: Responses = {
    200: {"description": "One result per item, in their order.", "content": {"application/json": {"schema": BATCH_SCHEMA}}}
}


PATH = "/v1/audio/speech/batch"
ROUTE = {"tags": ["speech"], "summary": "Speak many texts", "response_class": Response, "responses": SPOKEN}
# A body's schema stands in its route, so that each dialect has its own.
ROUTERS = {dialect: APIRouter(dependencies=[Depends(json_only)], route_class=OffLoopRoute) for dialect in (OWN_DIALECT, VLLM_OMNI_DIALECT)}


@ROUTERS[OWN_DIALECT].post(PATH, **ROUTE)
async def speak_all(body: BatchBody, request: Request, context: DeskOf) -> Response:
    """200 also where items fail: each result says how it went. An item may name a `model` and anything else of its own.

    The body has at most 16 MiB; reference audio that several items share belongs at the top level, once.
    """
    body.check_length(context.studio.settings.most_batch_items)
    engine = context.studio.engine_info(body.model or _meant(body, context.studio.default)).id  # an unknown one refuses the whole
    body = body if body.model else body.model_copy(update={"model": engine})  # it stays, whatever the default becomes meanwhile
    return BatchAnswer(context, body, received_at(request.scope))


def _meant(body: BatchBody, default: DefaultEngine) -> str:
    """One for all: the default, unless the language of some item means another."""
    languages = {item.language or body.language for item in body.items if not item.model}
    return next((engine for language in languages if (engine := default.meant_by(language=language)) != default.id), default.id)


@ROUTERS[VLLM_OMNI_DIALECT].post(PATH, **ROUTE)
async def speak_all_compatibly(body: CompatibleBatchBody, request: Request, context: DeskOf) -> Response:
    """As vLLM-Omni 0.30.0 does: a format that it does not know refuses the whole."""
    return await speak_all(body, request, context)


class BatchAnswer(SpokenResults):
    """All items, each a speech of its own. received: time of arrival, as of time.perf_counter()."""

    def __init__(self, context: ApiContext, body: BatchBody, received: float):
        super().__init__(context, f"speech-batch-{secrets.token_hex(8)}", n=len(body.items), most_at_once=MOST_AT_ONCE)
        self._body = body
        self._received = received
        self._fetch = _FetchedOnce(context.studio.remote_audio.fetch, body.ref_audio)

    def timeline(self) -> Timeline:
        return Timeline(self._received)

    def say(self, index: int, entry: RequestEntry) -> Speech:
        studio = self.context.studio
        body = self._body.speech(self._body.items[index])
        entry.format = body.response_format
        return studio.say(body, entry.timeline, fetch=self._fetch, delivery=Delivery(whole=True))

    def unheeded(self, index: int) -> dict[str, tuple[str, ...]]:
        return {"a batch": self._body.unheeded(self._body.items[index])}


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
