"""SpokenResults: several speeches in one answer. It is one JSON with a result for each, in the order of the request.

Nothing is sent before all are over. The audio becomes base64 while it is sent. What fails in one is told in its result.
"""

import asyncio
import base64
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engines.errors import EngineError
from studio.api.answers.whole_file import send_file
from studio.api.door.context import ApiContext, unless_hung_up
from studio.api.door.errors import ApiError, answer_for
from studio.api.door.middleware import request_id
from studio.audio.file_encoder import EncodedFile
from studio.audio.formats import MEDIA_TYPES
from studio.errors import EngineBusy
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.refusal import tellable
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech
from studio.speech.usage import Usage
from studio.timeline import Timeline
from studio.web.faults import INTERNAL_ERROR

__all__ = ["RESULT_SCHEMA", "FailedSpeech", "OverSpeech", "SpokenResults"]

log = logging.getLogger("studio")

COMMA = b", "
DELIVERY = "batch"  # in the request log
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
        "left_out": {"type": "array", "items": {"type": "string"}, "description": "What of the text is not said."},
        "directions": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What of the text is followed, not said.",
        },
        "misread": {"type": "array", "items": {"type": "string"}, "description": "What of the text the engine says otherwise."},
        "error": {"type": "string"},
        "param": {"type": "string"},
        "reason_code": {"type": "string"},
        "hint": {"type": "string"},
    },
}


@dataclass(frozen=True)
class _Result:
    """The object as JSON. file: its base64 stands between head and tail; None where the speech has failed."""

    head: bytes
    file: EncodedFile | None = None
    tail: bytes = b""

    def __len__(self) -> int:
        """Bytes of it."""
        n_audio_bytes = 0 if self.file is None else 4 * -(-len(self.file) // 3)
        return len(self.head) + n_audio_bytes + len(self.tail)


@dataclass(frozen=True)
class FailedSpeech:
    """A speech that there is none of. error: what was raised, None for a defect of ours, which the log has."""

    index: int
    error: EngineError | None


@dataclass(frozen=True)
class OverSpeech:
    """A speech that is over, and its file."""

    index: int
    entry: RequestEntry
    heard: AwaitedSpeech
    file: EncodedFile


class SpokenResults(Response, ABC):
    """n speeches, each opened, listened to and closed here, most_at_once side by side. answer_id: of the answer, and of its log lines.

    Who answers with it says what is spoken (`timeline`, `say`), and may say when (`turn`) and more of each (`said`, `unheeded`, `more`).
    """

    pauses_seconds = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # between attempts while the engine's queue is full; then the speech has failed

    def __init__(self, context: ApiContext, answer_id: str, *, n: int, most_at_once: int):
        super().__init__()
        self.context = context
        self._id = answer_id
        self._n = n
        self._turns = asyncio.Semaphore(most_at_once)
        self._allowance = AudioAllowance(context.studio.settings.most_audio_seconds)
        self.files = ExitStack()  # that were made, also those of speeches whose answer nobody waited for; left by whoever asks for outcomes

    @abstractmethod
    def timeline(self) -> Timeline:
        """Of a speech that begins now."""

    @abstractmethod
    def say(self, index: int, entry: RequestEntry) -> Speech:
        """Opens it, and gives the entry its format. Blocks. Raises what a request is refused by."""

    def turn(self, index: int) -> AbstractAsyncContextManager:
        """What it waits for before it begins."""
        return nullcontext()

    def heard(self, index: int, entry: RequestEntry) -> AwaitedSpeech:
        """How it is listened to."""
        return AwaitedSpeech(self.context, lambda: self.say(index, entry), entry)

    def set_fields(self, index: int) -> dict[str, object]:
        """Members of the result, also of a failed one."""
        return {}

    def unheeded(self, index: int) -> Mapping[str, tuple[str, ...]]:
        """Fields by who does not heed them, beside those that the engine does not."""
        return {}

    async def more(self, index: int, heard: AwaitedSpeech) -> dict[str, object]:
        """Further members of the result, once all speeches are over."""
        return {}

    async def outcomes(self) -> list[OverSpeech | FailedSpeech]:
        """Of all speeches, in their order, once all are over. Their files are gone with `files`."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.outcome(index)) for index in range(self._n)]
        return [task.result() for task in tasks]

    async def outcome(self, index: int) -> OverSpeech | FailedSpeech:
        """Of one. Never raises but when cancelled: a failure is a result."""
        async with self.turn(index):
            entry = RequestEntry(f"{self._id}-{index}", DELIVERY, self.timeline())
            try:
                async with self.heard(index, entry) as heard, self._turns:
                    await self._opened(heard)
                    file = self.files.enter_context(closing(await heard.file(entry.file_format, self._allowance)))
                    entry.n_bytes = len(file)
                    entry.timeline.mark("done")
                    return OverSpeech(index, entry, heard, file)
            except Exception as error:
                if (known := tellable(error)) is None:  # a defect of ours in one is no reason to throw the others away
                    log.exception("item %d of %s failed", index, self._id)
                return FailedSpeech(index, known)

    async def members(self, over: OverSpeech) -> dict[str, object]:
        """What is told of a speech, beside its sound."""
        index, entry = over.index, over.entry
        speech = entry.opened
        unheeded = {**self.unheeded(index), speech.engine.title: speech.request.ignored}
        warnings = [f"Not heeded by {who}: {', '.join(names)}." for who, names in unheeded.items() if names]
        warnings += [speech.warning] if speech.warning else []
        members: dict[str, object] = {
            "media_type": MEDIA_TYPES[entry.file_format],
            "usage": Usage.of(speech).members(),
            "sample_rate": speech.sample_rate,
            "duration_ms": round(speech.seconds * 1000),
            "cache": entry.timeline.cache or "bypass",
            "end": entry.end_reason,
            "warning": " ".join(warnings),
        }
        return members | speech.told | await self.more(index, over.heard)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.files:
            await unless_hung_up(receive, self.deliver(send, request_id(scope)))

    async def deliver(self, send: Send, request_id: str) -> None:
        """All of the answer."""
        results = [await self._result(one) if isinstance(one, OverSpeech) else self._failed(one) for one in await self.outcomes()]
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
                await send_file(result.file, send, self.context.threads, packed=base64.b64encode)
            before = result.tail + COMMA
        await send({"type": "http.response.body", "body": results[-1].tail + tail})

    async def _opened(self, heard: AwaitedSpeech) -> Speech:
        """A queue that is full now has room soon: the answer waits for it, within limits."""
        for pause_seconds in self.pauses_seconds:
            try:
                return await heard.open()
            except EngineBusy:
                await asyncio.sleep(pause_seconds)
        return await heard.open()

    async def _result(self, over: OverSpeech) -> _Result:
        head = _json({"index": over.index, **self.set_fields(over.index), "status": "success"})[:-1] + b', "audio_data": "'
        return _Result(head, over.file, b'", ' + _json(await self.members(over))[1:])

    def _failed(self, failed: FailedSpeech) -> _Result:
        """A plain sentence, as in vLLM-Omni; the rest of the envelope beside it."""
        defect = ApiError(500, "Internal server error.", reason_code=INTERNAL_ERROR)
        error = defect if failed.error is None else answer_for(failed.error)
        members = {"index": failed.index, **self.set_fields(failed.index), "status": "error", "error": error.message}
        return _Result(_json(members | {"param": error.param, "reason_code": error.reason_code, "hint": error.hint}))


def _json(members: dict[str, object]) -> bytes:
    """Without members that are null or empty."""
    return json.dumps({name: value for name, value in members.items() if value not in (None, "")}).encode()
