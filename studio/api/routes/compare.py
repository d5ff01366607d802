"""POST /v1/studio/compare: speaks one text in two to six ways. One answer has all of them, with the figures of each, as JSON or as a ZIP.

Lanes of several engines are spoken side by side. Those of one engine wait for each other, and each is timed from its own turn, so that its
time to the first sound is what it would be alone.
"""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, closing

import numpy as np
from fastapi import APIRouter, Depends, Request
from pydantic import ConfigDict, Field
from pydantic.config import JsonValue
from starlette.responses import Response
from starlette.types import Send

from engines.errors import EngineError
from studio.api.answers.compared_zip import ComparedLane, compared_zip
from studio.api.answers.spoken_results import RESULT_SCHEMA, FailedSpeech, OverSpeech, SpokenResults
from studio.api.answers.whole_file import send_file
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.errors import answer_for
from studio.api.routes.batch_body import UNHEEDED, BatchFields
from studio.api.routes.speech import json_only
from studio.audio.file_encoder import EncodedFile
from studio.audio.formats import Format
from studio.listening.render.comparison import LEAST_LANES, MOST_LANES, MOST_MEASURED_SECONDS, loudness_of, recording_of, told_estimates
from studio.running.delivery import Delivery
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.body import SpokenText, read_body
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.web.body_limit import OffLoopRoute

__all__ = ["CompareBody", "router"]

MOST_LABEL_CHARACTERS = 120
LETTERS = "ABCDEF"  # of lanes, as the page has them
NUMBER, SOME_NUMBER = {"type": "number"}, {"type": ["number", "null"]}
LACK = {name: {"type": "string"} for name in ("reason_code", "message", "hint")}
ESTIMATES_SCHEMA = {
    "type": "object",
    "description": "Of programs, and no verdict of listeners; null where one cannot be had, and `lacking` says why and what would help.",
    "properties": {
        "likeness": SOME_NUMBER | {"description": "Cosine between what a speaker encoder hears here and in the voice's recording."},
        "word_errors": {"type": ["integer", "null"], "description": "Words of the text that were missed, added or heard otherwise."},
        "n_words": {"type": ["integer", "null"]},
        "word_floor": SOME_NUMBER | {"description": "Share of words that the recognizer itself mishears of people's recordings."},
        "heard": {"type": ["string", "null"]},
        "dnsmos": {"type": ["object", "null"], "properties": dict.fromkeys(("overall", "signal", "background"), NUMBER)},
        "distillmos": SOME_NUMBER,
        "lacking": {"type": "object", "additionalProperties": {"type": "object", "properties": LACK}},
    },
}
LANE_SCHEMA = RESULT_SCHEMA | {
    "properties": RESULT_SCHEMA["properties"]
    | {
        "label": {"type": "string"},
        "ttfp_ms": NUMBER | {"description": "From the lane's turn to its first sound."},
        "rtf": NUMBER | {"description": "Seconds of the engine's work per second of sound."},
        "lufs": NUMBER | {"description": "Integrated loudness, ITU-R BS.1770-4; absent of silence and of less than 0.4 s."},
        "estimates": ESTIMATES_SCHEMA,
    }
}
COMPARE_SCHEMA = {
    "type": "object",
    "required": ["id", "results", "total", "succeeded", "failed"],
    "properties": {"id": {"type": "string"}, "results": {"type": "array", "items": LANE_SCHEMA}}
    | {key: {"type": "integer"} for key in ("total", "succeeded", "failed")},
}
SPOKEN: Responses = {
    200: {
        "description": "One result per lane, in their order; as a ZIP where `archive` is true.",
        "content": {"application/json": {"schema": COMPARE_SCHEMA}, "application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}
EXAMPLES: list[JsonValue] = [
    {
        "input": "This is one text, said in two ways.",
        "lanes": [{"voice": "default", "label": "as it is"}, {"voice": "default", "speed": 1.2, "label": "faster"}],
        "loudness": False,
    }
]

router = APIRouter(dependencies=[Depends(json_only)], route_class=OffLoopRoute)


class CompareLane(BatchFields):
    """One way to say the text: fields of POST /v1/audio/speech but the text."""

    label: str = Field("", max_length=MOST_LABEL_CHARACTERS, description="Comes back with the result.")


class CompareBody(SpokenText):
    """`model`, `language` and `response_format` are those of all lanes that say no other."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    lanes: list[CompareLane] = Field(min_length=LEAST_LANES, max_length=MOST_LANES)
    model: str | None = Field(None, description="Engine, as listed by GET /v1/models; the default engine when absent.")
    language: str | None = Field(None, description='Of the text: a code ("de"), a name ("German") or "Auto".')
    response_format: Format = Field("wav", description="pcm is 16-bit little-endian mono.")
    loudness: bool = Field(True, description="Measure how loud each is.")
    archive: bool = Field(
        False, description="Answer with one ZIP: A.wav, B.wav, ..., and figures.csv and figures.json with what made each."
    )
    measures: bool = Field(False, description="Estimate likeness, words missed and quality. This may take as long as the speech itself.")

    def speech(self, lane: CompareLane) -> dict[str, object]:
        """The lane as a request of its own."""
        shared = {name: getattr(self, name) for name in ("model", "language", "response_format")}
        own = {name: value for name, value in lane.set_fields().items() if name not in UNHEEDED}
        return shared | own | {"input": self.input}


@router.post("/v1/studio/compare", tags=["speech"], summary="Compare ways to say a text", response_class=Response, responses=SPOKEN)
async def compare(body: CompareBody, request: Request, context: DeskOf) -> Response:
    """200 also where lanes fail: each result says how it went. For a decision between voices ask listeners who see no names
    (/v1/studio/tests)."""
    return ComparedLanes(context, body)


class OverheardSpeech(AwaitedSpeech):
    """A speech whose samples are kept as they come, for as long as there are not more than are measured."""

    def __init__(self, context: ApiContext, open_speech: Callable[[], Speech], entry: RequestEntry):
        super().__init__(context, open_speech, entry)
        self._parts: list[np.ndarray] | None = []
        self._n_samples = 0

    async def next(self) -> np.ndarray | None:
        samples = await super().next()
        if samples is not None and self._parts is not None:
            self._parts.append(samples)
            self._n_samples += len(samples)
            if self._n_samples > MOST_MEASURED_SECONDS * self.entry.opened.sample_rate:
                self._parts = None
        return samples

    def samples(self) -> np.ndarray | None:
        """(T,) float32; None where there were more than are measured."""
        return np.concatenate(self._parts) if self._parts else None


class ComparedLanes(SpokenResults):
    """All lanes, each a speech of its own."""

    def __init__(self, context: ApiContext, body: CompareBody):
        super().__init__(context, f"compare-{secrets.token_hex(8)}", n=len(body.lanes), most_at_once=MOST_LANES)
        self._body = body
        self._engines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def deliver(self, send: Send, request_id: str) -> None:
        if not self._body.archive:
            return await super().deliver(send, request_id)
        lanes = [await self._lane(one, letter) for one, letter in zip(await self.outcomes(), LETTERS, strict=False)]
        spool = await self.context.threads.run(lambda: compared_zip(self._body.input, lanes))
        with closing(EncodedFile(spool)) as file:
            told = {"content-type": "application/zip", "content-disposition": 'attachment; filename="comparison.zip"'}
            told |= {"content-length": str(len(file)), "x-request-id": request_id}
            await send({"type": "http.response.start", "status": 200, "headers": [(k.encode(), v.encode()) for k, v in told.items()]})
            await send_file(file, send, self.context.threads, is_last=True)

    async def _lane(self, spoken: OverSpeech | FailedSpeech, letter: str) -> ComparedLane:
        asked = self._body.lanes[spoken.index]
        figures: dict[str, object] = {"label": asked.label, "voice": asked.voice, "engine": asked.model or self._body.model}
        if isinstance(spoken, FailedSpeech):
            error = "Internal server error." if spoken.error is None else answer_for(spoken.error).message
            return ComparedLane(figures | {"error": error}, letter=letter)
        members, speech = await self.members(spoken), spoken.entry.opened
        options = dict(speech.request.options)
        estimates = members.pop("estimates", None) or {}
        found = estimates if isinstance(estimates, dict) else {}
        figures |= {"voice": speech.speaker, "engine": speech.engine.id, "seed": options.pop("seed", None)}
        figures |= {"language": options.pop("language", None), "options": options, "length_seconds": round(speech.seconds, 3)}
        figures |= {name: found.get(name) for name in ("likeness", "word_errors", "n_words", "distillmos")}
        figures |= {"dnsmos": (found.get("dnsmos") or {}).get("overall")}
        figures |= {name: members.get(name) for name in ("ttfp_ms", "rtf", "lufs", "warning")}
        return ComparedLane(figures, spoken.file, spoken.entry.file_format, letter)

    def timeline(self) -> Timeline:
        return Timeline()

    def turn(self, index: int) -> AbstractAsyncContextManager:
        return self._engines[self._engine_of(index)]

    def say(self, index: int, entry: RequestEntry) -> Speech:
        studio = self.context.studio
        body = read_body(self._body.speech(self._body.lanes[index]), studio.settings.dialect)
        entry.format = body.response_format
        return studio.say(body, entry.timeline, delivery=Delivery(whole=True))

    def heard(self, index: int, entry: RequestEntry) -> AwaitedSpeech:
        return OverheardSpeech(self.context, lambda: self.say(index, entry), entry)

    def set_fields(self, index: int) -> dict[str, object]:
        return {"label": self._body.lanes[index].label}

    def unheeded(self, index: int) -> dict[str, tuple[str, ...]]:
        said = self._body.lanes[index].set_fields()
        return {"a comparison": tuple(name for name in UNHEEDED if said.get(name))}

    async def more(self, index: int, heard: AwaitedSpeech) -> dict[str, object]:
        timeline = heard.entry.timeline
        times: dict[str, object] = {
            "ttfp_ms": None if timeline.ttfp_seconds is None else round(timeline.ttfp_seconds * 1000, 3),
            "rtf": None if timeline.rtf is None else round(timeline.rtf, 5),
        }
        samples = heard.samples() if isinstance(heard, OverheardSpeech) else None
        if samples is None:
            return times
        return times | await self.context.threads.run(lambda: self._measured(heard.entry.opened, samples))

    def _measured(self, speech: Speech, samples: np.ndarray) -> dict[str, object]:
        """Blocks."""
        studio, found = self.context.studio, {}
        if self._body.loudness:
            found["lufs"] = loudness_of(samples, speech.sample_rate)
        if self._body.measures:
            recording = speech.request.clip or recording_of(studio, speech.speaker)
            language = speech.request.options.get("language")
            about = {"text": self._body.input, "speaker": recording, "language": language if isinstance(language, str) else None}
            found["estimates"] = told_estimates(studio.estimators, samples, speech.sample_rate, **about)
        return found

    def _engine_of(self, index: int) -> str:
        """What lanes of one engine have in common; one that nobody knows has a lane to itself, which fails."""
        named = self._body.lanes[index].model or self._body.model
        try:
            return self.context.studio.engine_id(named or None)
        except EngineError:
            return f"unknown {index}"
