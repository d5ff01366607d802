"""POST /v1/studio/reading: how a text will be read, before anything is spoken."""

from typing import Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from engines.contract.language_limit import limits_met
from engines.text.spoken_length import spoken_seconds
from studio.api.door.context import DeskOf
from studio.api.routes.speech import json_only
from studio.reading.language import asked_code
from studio.reading.parts import Pause, Reading, Words
from studio.service import Studio
from studio.speech.body import SpeechBody, Text, Voice
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

KIND = "markup, picture, code, reasoning, address; layout (signs without a word) and invisible are not told with a speech"

router = APIRouter(tags=["reading"], dependencies=[Depends(json_only)], route_class=OffLoopRoute)


class ReadingBody(BaseModel):
    """Fields of POST /v1/audio/speech that decide how a text is read; others are ignored."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra={"examples": [{"input": "# Menu\n\n- **Soup**: $5.50 🍲", "language": "en"}]}
    )

    input: Text = Field(description="The text to read.")
    model: Text | None = Field(None, description="Engine, as in POST /v1/audio/speech.")
    voice: Voice = Field(None, description="The voice that would speak; it decides about the engine where none is named.")
    language: Text | None = Field(None, description='Of the text: a code ("de"), a name ("German") or "Auto".')
    directions: bool | None = Field(None, description="false: say as words what the engine would take for a direction.")


class TextPlace(BaseModel):
    """start, end: of the characters of `input`."""

    start: int
    end: int


class PartRead(TextPlace):
    """text: of words and directions, as the engine is given it. seconds: of a pause."""

    type: Literal["words", "pause", "direction"]
    text: str | None = None
    seconds: float | None = None


class MarkLeftOut(TextPlace):
    mark: str
    kind: str = Field(description=KIND)


class WordsChanged(TextPlace):
    written: str
    said: str


class Misreading(BaseModel):
    language: str
    fact: str
    hint: str


class ReadingAnswer(BaseModel):
    """seconds: about how long it will be heard. untaken: words that the dictionary has in sounds that the engine does not take."""

    model: str
    text: str
    seconds: float
    parts: list[PartRead]
    left_out: list[MarkLeftOut]
    changed: list[WordsChanged]
    directions: list[str]
    misread: list[Misreading]
    untaken: list[str]


@router.post("/v1/studio/reading", summary="How a text will be read")
async def read_text(body: ReadingBody, context: DeskOf) -> ReadingAnswer:
    """What an engine would say of a text and how it comes to that: silences, what is left out, what is said otherwise than it is written,
    what is taken for a direction, and what the engine misreads. Nothing is spoken.
    """
    return await context.threads.run(lambda: _answer(context.studio, body))


def _answer(studio: Studio, body: ReadingBody) -> ReadingAnswer:
    asked = SpeechBody.model_construct(input=body.input, voice=body.voice, language=body.language)
    info = studio.engine_info(body.model or studio.engine_meant(asked, body.input))
    language = asked_code(body.language, info)
    reading = studio.readings.read(body.input, info, language, directions=body.directions is not False)
    limits = limits_met(info.language_limits, reading.text, language)
    return ReadingAnswer(
        model=info.id,
        text=reading.text,
        seconds=round(spoken_seconds(reading.text) + reading.silence_seconds, 3),
        parts=_parts(reading),
        left_out=[MarkLeftOut(mark=one.mark, kind=one.kind, start=one.start, end=one.end) for one in reading.left_out],
        changed=[WordsChanged(written=one.written, said=one.said, start=one.start, end=one.end) for one in reading.changed],
        directions=list(reading.directions),
        misread=[Misreading(language=limit.code, fact=limit.fact, hint=limit.hint) for limit in limits],
        untaken=list(reading.untaken),
    )


def _parts(reading: Reading) -> list[PartRead]:
    made = []
    for part in reading.parts:
        if isinstance(part, Pause):
            made.append(PartRead(type="pause", seconds=part.seconds, start=part.start, end=part.end))
        else:
            kind = "words" if isinstance(part, Words) else "direction"
            made.append(PartRead(type=kind, text=part.text, start=part.start, end=part.end))
    return made
