"""/v1/studio/pairs: "Which is better?": one text said in two ways and heard without names, one vote each, and what all votes come to."""

from typing import Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Request
from fastapi import Path as PathParameter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonValue
from starlette.responses import JSONResponse, Response

from engines.errors import EngineUnavailable
from studio.api.answers.pair_answers import (
    PairAnswer,
    StandingsAnswer,
    TakesBody,
    VoteAnswer,
    VoteBody,
    VotesOnPairsAnswer,
    votes_csv,
)
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.middleware import request_id
from studio.api.routes.speech import json_only
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.open_pairs import MOST_SECONDS, Side
from studio.listening.pairs.pairs import BlindPairs
from studio.running.delivery import Delivery
from studio.speakers.speaker import preset_of, speaker_key
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.body import SpokenText, read_body
from studio.speech.request import DEFAULT_SPEAKER
from studio.speech.request_log import RequestEntry
from studio.timeline import Timeline
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

ALL = "/v1/studio/pairs"
ONE = ALL + "/{pair}"
MISPLACED: Responses = {
    409: {"description": "Both sounds have not been heard (`pair_unheard`), or there is a vote already (`pair_voted`)."}
}
KEPT_APART: Responses = {403: {"description": "Visitors are kept apart, and nobody said whose the votes would be."}}
WAV: Responses = {200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}}
FILES: Responses = {
    200: {"content": {"application/json": {"schema": VotesOnPairsAnswer.model_json_schema()}, "text/csv": {"schema": {"type": "string"}}}}
}
VOTER_HEADER = "x-studio-voter"  # a random id that a browser made, which tells voters apart where visitors share a workspace
MOST_VOTER_CHARACTERS = 64
BLIND = {"Cache-Control": "no-store"}
EXAMPLES: list[JsonValue] = [
    {"input": "This is one text, said in two ways.", "sides": [{"voice": "default"}, {"voice": "default", "speed": 1.2}]}
]
PairId = PathParameter(description="As the answer that made it has it.")

router = APIRouter(tags=["blind pairs"], route_class=OffLoopRoute)


class PairSide(BaseModel):
    """One way to say the text: fields of POST /v1/audio/speech."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="Engine, as listed by GET /v1/models; the default engine when absent.")
    voice: str | None = Field(None, description="Of both sides the same stored voice, or built-in ones of both engines.")
    seed: int | None = None
    speed: float | None = None
    max_new_tokens: int | None = None
    instructions: str | None = None
    extra_params: dict[str, Any] | None = Field(None, description="Other options of the engine by name.")


class PairBody(SpokenText):
    """`language` and `directions` are those of both sides, `model` of one that names none."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    sides: list[PairSide] = Field(min_length=2, max_length=2, description="In whichever order: chance decides which is heard as A.")
    model: str | None = Field(None, description="Engine, as listed by GET /v1/models; the default engine when absent.")
    language: str | None = Field(None, description='Of the text: a code ("de"), a name ("German") or "Auto".')
    directions: bool | None = Field(None, description="Whether directions in the text are followed.")

    def speech(self, side: PairSide) -> dict[str, object]:
        """The side as a request of its own."""
        shared = {"input": self.input, "model": self.model, "language": self.language, "directions": self.directions}
        own = {name: value for name, value in side.model_dump().items() if value is not None}
        return {name: value for name, value in (shared | own).items() if value is not None}


class NextBody(SpokenText):
    """What is said by whichever two engines are least known beside each other."""

    model_config = ConfigDict(json_schema_extra={"examples": []})

    voice: str | None = Field(None, description="A stored voice; each engine's own where it is absent or `default`.")
    language: str | None = Field(None, description='Of the text: a code ("de"), a name ("German") or "Auto".')
    directions: bool | None = Field(None, description="Whether directions in the text are followed.")

    @property
    def stored(self) -> str | None:
        """The stored voice."""
        return None if self.voice is None or speaker_key(self.voice) == DEFAULT_SPEAKER else self.voice

    def pair(self, engines: list[str]) -> PairBody:
        """The same, said by these two."""
        sides = [PairSide(model=engine, voice=self.stored, extra_params=None) for engine in engines]
        return PairBody(input=self.input, model=None, language=self.language, directions=self.directions, sides=sides)


@router.post(ALL, summary="Say a text in two ways, to be heard blind", responses=KEPT_APART, dependencies=[Depends(json_only)])
async def speak_pair(body: PairBody, request: Request, context: DeskOf) -> PairAnswer:
    """Answers once both are spoken. Nothing of them goes into the history; they are kept for half an hour, in memory."""
    sides = [await _spoken(body.speech(side), request, context) for side in body.sides]
    return PairAnswer.of(await context.threads.run(lambda: _pairs_of(request, context).of_sides(sides, body.input)))


@router.post(ALL + "/next", summary="Hear the pair that is least known", responses=KEPT_APART, dependencies=[Depends(json_only)])
async def speak_next(body: NextBody, request: Request, context: DeskOf) -> PairAnswer:
    """Of the engines that speak when they are asked the two with the fewest votes between them, each with nothing changed."""
    tried: list[str] = []
    while True:
        engines = await context.threads.run(lambda: _pairs_of(request, context).next_engines(body.input, body.stored))
        try:
            return await speak_pair(body.pair(engines), request, context)
        except EngineUnavailable:  # it is known now, so that another pair is next
            if set(engines) <= set(tried):
                raise
            tried += engines


@router.post(ALL + "/takes", summary="Hear two takes blind", responses=KEPT_APART)
async def pair_takes(body: TakesBody, request: Request, context: DeskOf) -> PairAnswer:
    """Of the history: the same text by the same voice, said by another engine, with another setting or as another variation."""
    return PairAnswer.of(await context.threads.run(lambda: _pairs_of(request, context).of_takes(body.takes)))


@router.get(ALL + "/standings", summary="What wins here")
async def read_standings(context: DeskOf) -> StandingsAnswer:
    """Of all votes of the key, or visitor, that asks: strengths by Bradley and Terry, each with its range. In an open arena
    those of all voters."""
    studio = context.studio
    return await context.threads.run(lambda: StandingsAnswer.of(studio.pairs.standings(), studio))


@router.get(ALL + "/votes", summary="All votes", responses=FILES, response_model=None)
async def read_votes(context: DeskOf, format: Literal["json", "csv"] = "json") -> Response:
    """Engines and settings, and no text."""
    votes = await context.threads.run(context.studio.pairs.votes)
    if format == "csv":
        return Response(votes_csv(votes), media_type="text/csv", headers={"Content-Disposition": 'attachment; filename="votes.csv"'})
    return JSONResponse(VotesOnPairsAnswer(votes=[vote.told() for vote in votes]).model_dump())


@router.delete(ALL + "/votes", summary="Delete all votes", responses=KEPT_APART)
async def delete_votes(request: Request, context: DeskOf) -> dict[str, object]:
    """For good; export them before. In an open arena those of whoever asks."""
    return {"deleted": True, "n_votes": await context.threads.run(lambda: _pairs_of(request, context).clear())}


@router.post(ONE + "/vote", summary="Vote", responses=KEPT_APART | MISPLACED)
async def vote(body: VoteBody, request: Request, context: DeskOf, pair: str = PairId) -> VoteAnswer:
    """Once, after both sounds were fetched and heard for 2 seconds, or to the end. The answer tells what was what."""

    def told() -> VoteAnswer:
        pairs = _pairs_of(request, context)
        voted = pairs.vote(pair, body.choice)
        return VoteAnswer.of(voted, body.choice, context.studio, pairs.standings())

    return await context.threads.run(told)


@router.delete(ONE + "/vote", summary="Take a vote back", responses=KEPT_APART)
async def undo_vote(request: Request, context: DeskOf, pair: str = PairId) -> dict[str, object]:
    """For 30 seconds. The pair takes no other vote, since its names are known."""
    await context.threads.run(lambda: _pairs_of(request, context).undo_vote(pair))
    return {"id": pair, "undone": True}


@router.get(ONE + "/{slot}", summary="One sound of a pair", responses=WAV, response_class=Response)
async def read_sound(request: Request, context: DeskOf, pair: str = PairId, slot: Literal["a", "b"] = PathParameter()) -> Response:
    """Both are 48 kHz, of the same loudness and the same length."""
    sound = await context.threads.run(lambda: _pairs_of(request, context).sound(pair, slot))
    return Response(sound, media_type="audio/wav", headers=BLIND)


def _pairs_of(request: Request, context: ApiContext) -> BlindPairs:
    """As whoever asks sees them. Blocks."""
    return context.studio.pairs.of_browser(request.headers.get(VOTER_HEADER, "")[:MOST_VOTER_CHARACTERS])


async def _spoken(said: dict[str, object], request: Request, context: ApiContext) -> Side:
    """No more of it is made than a pair may have."""
    studio, parts, n_samples = context.studio, [], 0
    entry = RequestEntry(request_id(request.scope), "whole", Timeline(), "wav")
    body = read_body(said, studio.settings.dialect)
    heard = AwaitedSpeech(context, lambda: studio.say(body, entry.timeline, delivery=Delivery(whole=True)), entry)
    async with heard:
        speech = await heard.open()
        while n_samples <= MOST_SECONDS * speech.sample_rate and (samples := await heard.next()) is not None:
            parts.append(samples)
            n_samples += len(samples)
    stored = speech.speaker if speech.speaker is not None and preset_of(speech.speaker, speech.engine) is None else None
    generation = None if stored is None else (await context.threads.run(lambda: studio.speaker(stored))).generation_id
    options = speech.request.options
    system = HeardSystem.of(speech.engine, options, speaker=speech.speaker, is_stored=stored is not None)
    samples, seed = np.concatenate(parts) if parts else np.zeros(0, np.float32), options.get("seed")
    return Side(system, samples, speech.sample_rate, generation, seed if isinstance(seed, int) else None)
