"""What an evaluation found: figures, cells with their sounds, and from there a blind listening test."""

import hashlib
from typing import Literal

from fastapi import APIRouter, Depends, Header, Query
from fastapi import Path as PathParameter
from starlette.responses import Response

from studio.api.answers.evaluation_answers import BegunEvaluationTest, CellsAnswer, SkippedAnswer
from studio.api.answers.evaluation_bodies import EvaluationTestBody
from studio.api.answers.evaluation_results import ResultsAnswer, told_results
from studio.api.answers.told_evaluations import AskedCells, cells_of, sayer
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.routes.evaluations.addresses import ONE, EvaluationId, Language
from studio.api.routes.speech import json_only
from studio.audio.formats import MEDIA_TYPES
from studio.errors import EvaluationFigureUnknown
from studio.evaluation_tests import EvaluationTestOrder, begin_evaluation_test
from studio.evaluations.plan.figures import FIGURES
from studio.service import Studio
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

JSON_ONLY = [Depends(json_only)]
MOST_CELLS_SHOWN = 500
FLAC = {"content": {"audio/flac": {"schema": {"type": "string", "format": "binary"}}}}
SOUNDS: Responses = {
    200: FLAC,
    206: FLAC | {"description": "The bytes that `Range` asks for (one range)."},
    304: {"description": "It is still the one with the `ETag` that `If-None-Match` names."},
}
UNCHANGED: Responses = {304: {"description": "Nothing has changed since the `ETag` that `If-None-Match` names."}}
TESTS_FULL: Responses = {409: {"description": "There are as many listening tests as may be: delete one first."}}
IfNoneMatch = Header("", max_length=400, description="An `ETag` of an earlier answer.")

router = APIRouter(tags=["evaluations"], route_class=OffLoopRoute)


@router.get(ONE + "/results", summary="What an evaluation found", response_model=ResultsAnswer, responses=UNCHANGED)
async def read_results(
    context: DeskOf, evaluation: str = EvaluationId, language: str = Language, if_none_match: str = IfNoneMatch
) -> Response:
    """Of what is measured so far. A difference that chance could make is not called better, with all comparisons counted."""

    def told(studio: Studio) -> Response:
        say = sayer(language)
        tag = _tag(studio, evaluation, "results", say.language)
        if tag in if_none_match:
            return _unchanged(tag)
        answer = told_results(studio.evaluations.data(evaluation), studio.evaluations.findings(evaluation), say)
        return Response(answer.model_dump_json(), media_type="application/json", headers=_headers(tag))

    return await context.threads.run(lambda: told(context.studio))


@router.get(ONE + "/cells", summary="The sounds of an evaluation, with their figures", response_model=CellsAnswer, responses=UNCHANGED)
async def list_cells(
    *,
    context: DeskOf,
    evaluation: str = EvaluationId,
    figure: str = Query("", max_length=80, description="By which they are ordered, such as wrong_words."),
    system: str = Query("", max_length=64, description="The id of one system; all of them where empty."),
    voice: str = Query("", max_length=64, description="The id of one voice."),
    text: str = Query("", max_length=64, description="The id of one text."),
    order: Literal["worst", "best", "plan"] = Query("plan", description="`worst` and `best` by the figure; `plan` as they are said."),
    first: int = Query(0, ge=0),
    count: int = Query(50, ge=1, le=MOST_CELLS_SHOWN),
    if_none_match: str = IfNoneMatch,
) -> Response:
    """Those that were refused stand at the end."""

    def told(studio: Studio) -> Response:
        if figure and figure not in FIGURES and not figure.startswith("versa."):
            raise EvaluationFigureUnknown(figure, tuple(FIGURES))
        asked = AskedCells(figure, system, voice, text, order, first, count)
        tag = _tag(studio, evaluation, asked)
        if tag in if_none_match:
            return _unchanged(tag)
        answer = cells_of(studio.evaluations.data(evaluation), asked)
        return Response(answer.model_dump_json(), media_type="application/json", headers=_headers(tag))

    return await context.threads.run(lambda: told(context.studio))


@router.get(ONE + "/sounds/{sound}", summary="A sound of an evaluation", response_class=Response, responses=SOUNDS)
async def read_evaluation_sound(
    context: DeskOf,
    evaluation: str = EvaluationId,
    sound: str = PathParameter(pattern="^[0-9a-f]{64}$", description="Its SHA-256, as `cells` have it."),
    if_none_match: str = IfNoneMatch,
) -> Response:
    """Mono 16-bit FLAC at the rate of its engine."""

    def told(studio: Studio) -> Response:
        tag = f'"{sound[:32]}"'
        if tag in if_none_match:
            studio.evaluations.sound_path(evaluation, sound)  # it may be gone, or never was theirs
            return _unchanged(tag)
        return Response(studio.evaluations.sound(evaluation, sound), media_type=MEDIA_TYPES["flac"], headers=_headers(tag))

    return await context.threads.run(lambda: told(context.studio))


@router.post(
    ONE + "/test", summary="Make a listening test of what differs most", status_code=201, responses=TESTS_FULL, dependencies=JSON_ONLY
)
async def make_test(context: DeskOf, body: EvaluationTestBody | None = None, evaluation: str = EvaluationId) -> BegunEvaluationTest:
    """A draft with the sounds that are there. `skipped` are texts that differ and that no listening test takes: too long, or too short."""
    asked = body or EvaluationTestBody.model_validate({})
    order = EvaluationTestOrder(asked.n, asked.method, asked.systems, asked.name)
    begun = await context.threads.run(lambda: begin_evaluation_test(context.studio, evaluation, order))
    skipped = [SkippedAnswer(voice=one.voice, text=one.text, why=one.why) for one in begun.skipped]
    return BegunEvaluationTest(test=begun.test, n=begun.n, skipped=skipped)


def _tag(studio: Studio, evaluation: str, *asked: object) -> str:
    """Of an answer: another one after each change of the evaluation."""
    told = "\n".join(map(str, (evaluation, studio.evaluations.stamp(evaluation), *asked)))
    return f'W/"{hashlib.sha256(told.encode()).hexdigest()[:20]}"'


def _headers(tag: str) -> dict[str, str]:
    """It may be kept, and is asked for each time: it can be deleted."""
    return {"ETag": tag, "Cache-Control": "private, no-cache"}


def _unchanged(tag: str) -> Response:
    return Response(status_code=304, headers=_headers(tag))
