"""EditAnswer: the file of an edited recording."""

import asyncio
import json
from collections.abc import Callable
from contextlib import closing

import numpy as np
import soxr
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from studio.api.answers.answer import spoken_alias
from studio.api.answers.whole_file import send_file
from studio.api.door.context import ApiContext, unless_hung_up
from studio.api.door.middleware import in_request_log
from studio.audio.file_encoder import EncodedFile, FileEncoder
from studio.audio.formats import MEDIA_TYPES, Format
from studio.running.jobs.stop_signal import StopSignal
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.editing.edit_body import EditBody
from studio.speech.editing.edited_sound import EditedSound
from studio.speech.editing.editing import Watch
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech

__all__ = ["EditAnswer"]


class EditAnswer(Response):
    """Made before its status line, so that what goes wrong has its own status. Who hangs up stops the engine."""

    def __init__(self, context: ApiContext, entry: RequestEntry, edit: Callable[[Watch], EditedSound], body: EditBody):
        """edit: blocks. body: says the format and the rate."""
        super().__init__()
        self._context, self._entry, self._edit = context, entry, edit
        self._asked_rate = body.sample_rate
        self._format: Format = body.response_format

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        in_request_log(scope)
        studio, entry = self._context.studio, self._entry
        entry.workspace = studio.workspace
        studio.request_log.begin(entry)
        with studio.request_log.writing(entry):
            if not await unless_hung_up(receive, self._deliver(send)):
                entry.end(asyncio.CancelledError())

    async def _deliver(self, send: Send) -> None:
        stop, threads, timeline = StopSignal(), self._context.threads, self._entry.timeline
        try:
            edited = await threads.run(lambda: self._edit(Watch(stop, self._begun)))
        finally:
            stop.give()
        rate = self._asked_rate or edited.sample_rate
        with closing(await threads.open(lambda: self._encoded(edited, rate))) as file:
            timeline.mark("packet")
            headers = {
                "content-type": MEDIA_TYPES[self._format],
                "content-length": str(len(file)),
                "x-sample-rate": str(rate),
                "x-audio-duration-ms": str(round(1000 * len(edited.samples) / edited.sample_rate)),
                "x-request-id": self._entry.request_id,
                "x-speech-engine": edited.engine.id,
                "x-speaker-cache": timeline.cache or "bypass",
                "x-edited": json.dumps([[round(start, 3), round(end, 3)] for start, end in edited.changed]),
                "server-timing": timeline.server_timing(),
            }
            headers |= self._told()
            encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": encoded})
            await send_file(file, send, threads, is_last=True)
            self._entry.n_bytes = len(file)
        timeline.mark("done")

    def _told(self) -> dict[str, str]:
        """Of whose voice it is, and what was not heeded."""
        speech = self._entry.opened
        told = {"x-voice-alias": spoken_alias(speech), "x-ignored-parameters": ", ".join(speech.request.ignored)}
        return {name: value for name, value in told.items() if value}

    def _begun(self, speech: Speech) -> None:
        self._entry.speech = speech
        AudioAllowance(self._context.studio.settings.most_audio_seconds).check(speech)

    def _encoded(self, edited: EditedSound, rate: int) -> EncodedFile:
        """The caller's to close."""
        samples = edited.samples
        if rate != edited.sample_rate:
            samples = np.asarray(soxr.resample(samples, edited.sample_rate, rate), np.float32)
        encoder = FileEncoder(self._format, rate)
        try:
            encoder.push(samples)
            return encoder.finish()
        finally:
            encoder.close()
