"""/v1/studio/takes/{take}: a speech of the history in parts: list them, hear one, say it again, choose. The whole follows the choice."""

import numpy as np
from fastapi import APIRouter, Depends, Request
from fastapi import Path as PathParameter
from starlette.responses import Response

from studio.api.answers.take_answers import ChoiceBody, SayAgainBody, TakeAnswer, TakeWordsAnswer, told_words
from studio.api.door.context import ApiContext, DeskOf, unless_hung_up
from studio.api.door.documentation import Responses
from studio.api.door.middleware import received_at, request_id
from studio.api.routes.speech import json_only
from studio.audio.flac import wav_of
from studio.audio.formats import MEDIA_TYPES
from studio.errors import SpeechCancelled, WordTimesUnknown
from studio.service import Studio
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.request_log import RequestEntry
from studio.takes.kept_parts import PartedTake
from studio.takes.said_again import PartSaying, choose, part_sound, take_of
from studio.takes.take_words import words_of_take
from studio.timeline import Timeline
from studio.web.body_limit import OffLoopRoute

__all__ = ["SAY_AGAIN", "router"]

ONE = "/v1/studio/takes/{take}"
SAY_AGAIN = ONE + "/parts/{part}"
WAV: Responses = {200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}}
KEPT_BY_NOBODY = {"Cache-Control": "no-store"}
MISPLACED: Responses = {409: {"description": "The take is of a recording, its voice is gone, or the part was said as often as is kept."}}
TakeId = PathParameter(description="The id that X-Studio-Kept told of a speech.")
PartNumber = PathParameter(description="From 1, as the list has it.")

router = APIRouter(tags=["takes"], route_class=OffLoopRoute)


@router.get(ONE + "/audio", summary="A take, as it is put together", response_class=Response, responses=WAV)
async def read_take(context: DeskOf, take: str = TakeId) -> Response:
    """Mono 16-bit WAV: what the page plays."""
    data = await context.threads.run(lambda: wav_of(context.studio.history.audio(take)))
    return Response(data, media_type=MEDIA_TYPES["wav"], headers=KEPT_BY_NOBODY)


@router.get(ONE + "/words", summary="When the words of a take are heard")
async def list_words(context: DeskOf, take: str = TakeId) -> TakeWordsAnswer:
    """As its engine told; else they are found in its sound at the first time that somebody asks, a second or two for a minute of it.

    `words` is null for a take of a recording, and where they are not found; `why` is the reason code then.
    """
    return await context.threads.run(lambda: _words(context.studio, take))


@router.get(ONE + "/parts", summary="The parts of a take", responses=MISPLACED)
async def list_parts(context: DeskOf, take: str = TakeId) -> TakeAnswer:
    """Its sentences, each with its place in the whole and the times that it was said. Those of a speech that broke off are there, too:
    what arrived is heard, and the others can be said."""
    return await context.threads.run(lambda: _answer(context.studio, take, take_of(context.studio, take)))


@router.get(ONE + "/parts/{part}/renditions/{rendition}/audio", summary="One rendition of a part", response_class=Response, responses=WAV)
async def read_part(
    context: DeskOf, take: str = TakeId, part: int = PartNumber, rendition: int = PathParameter(description="From 1.")
) -> Response:
    """Mono 16-bit WAV: a stretch of the take as it was first spoken, or what was said again."""
    data = await context.threads.run(lambda: part_sound(context.studio, take, part, rendition))
    return Response(data, media_type=MEDIA_TYPES["wav"], headers=KEPT_BY_NOBODY)


@router.post(SAY_AGAIN, summary="Say a part again", responses=MISPLACED, dependencies=[Depends(json_only)])
async def say_again(
    context: DeskOf, request: Request, body: SayAgainBody | None = None, take: str = TakeId, part: int = PartNumber
) -> TakeAnswer:
    """In the voice of the take, by its engine and with its options; answered when it is said. It is heard in the whole once it is chosen,
    or at once where the part had no sound to its end. Who hangs up has it stopped."""
    asked = body or SayAgainBody()
    saying = PartSaying(context.studio, take, part, asked.input, asked.seed)
    entry = RequestEntry(request_id(request.scope), "whole", Timeline(received_at(request.scope)), "wav")
    said: list[PartedTake] = []

    async def say() -> None:
        said.append(await _said(context, saying, entry))

    if not await unless_hung_up(request.receive, say()):
        raise SpeechCancelled()
    return await context.threads.run(lambda: _answer(context.studio, take, said[0]))


@router.put(ONE + "/parts/{part}", summary="Choose a rendition of a part", responses=MISPLACED, dependencies=[Depends(json_only)])
async def choose_part(context: DeskOf, body: ChoiceBody, take: str = TakeId, part: int = PartNumber) -> TakeAnswer:
    """The whole is put together again, with the same silences between its parts."""

    def chosen() -> TakeAnswer:
        return _answer(context.studio, take, choose(context.studio, take, part, body.rendition))

    return await context.threads.run(chosen)


async def _said(context: ApiContext, saying: PartSaying, entry: RequestEntry) -> PartedTake:
    heard, parts = AwaitedSpeech(context, lambda: saying.open(entry.timeline), entry), []
    async with heard:
        speech = await heard.open()
        while (samples := await heard.next()) is not None:
            parts.append(samples)
        return await context.threads.run(lambda: saying.keep(speech, np.concatenate(parts)))


def _words(studio: Studio, take_id: str) -> TakeWordsAnswer:
    words, why = None, ""
    try:
        words = words_of_take(studio, take_id)
    except WordTimesUnknown as error:
        why = str(error.values.get("sentence", error.code))
    entry = studio.history.entry(take_id)
    return TakeWordsAnswer(take=entry.id, text=entry.text, seconds=entry.seconds, words=told_words(words), why=why)


def _answer(studio: Studio, take_id: str, take: PartedTake) -> TakeAnswer:
    entry = studio.history.entry(take_id)
    draws = any(status.info.draws for status in studio.engines() if status.info.id == entry.engine)
    return TakeAnswer.of(entry, take, draws=draws)
