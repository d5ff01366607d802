"""Evaluations: list them, make one, look what it would be, run it, stop it, delete it."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from studio.api.answers.evaluation_answers import (
    EvaluationAnswer,
    EvaluationListAnswer,
    EvaluationProgressAnswer,
    ExpectedAnswer,
    RunAnswer,
)
from studio.api.answers.evaluation_bodies import EvaluationBody
from studio.api.answers.told_evaluations import evaluation_list, evaluation_progress, expected, told_evaluation
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.routes.evaluations.addresses import ALL, AS_MANY_AS_MAY_BE, KEPT_APART, ONE, OWNERS, EvaluationId
from studio.api.routes.evaluations.sent import SentEvaluation, sent_evaluation
from studio.service import Studio
from studio.web.body_limit import OffLoopRoute

__all__ = ["EXPECT", "router"]

EXPECT = ALL + "/expect"


def whole_schema(body: type[BaseModel]) -> dict[str, Any]:
    """Its JSON schema with what it refers to put in place: the parts have no place of their own in the document."""
    schema = body.model_json_schema()
    parts = schema.pop("$defs", {})

    def put(value: Any) -> Any:
        if isinstance(value, dict):
            name = str(value.get("$ref", "")).rpartition("/")[2]
            return put(parts[name]) if name in parts else {key: put(one) for key, one in value.items()}
        return [put(one) for one in value] if isinstance(value, list) else value

    return put(schema)


FILE = {"type": "string", "format": "binary"}
FORM = {
    "type": "object",
    "required": ["plan"],
    "properties": {
        "plan": {"type": "string", "contentMediaType": "application/json", "description": "The same JSON."},
        "clips": {"type": "array", "items": FILE, "description": "Recordings, which voices of the plan name as `file`."},
    },
    "additionalProperties": FILE,
    "description": "`files:<label>`: a ZIP of the sounds of a system that the plan calls `files`.",
}
PLAN_OR_FORM = {
    "requestBody": {
        "required": True,
        "description": "A plan as JSON; or a form with it, recordings, and sounds of other systems, 512 MiB at most.",
        "content": {
            "application/json": {"schema": whole_schema(EvaluationBody)},
            "multipart/form-data": {"schema": FORM},
        },
    }
}
THERE_ALREADY: Responses = {
    200: {"description": "There is one with the same plan already, which is the answer; it goes on.", "model": EvaluationAnswer}
}

router = APIRouter(tags=["evaluations"], route_class=OffLoopRoute)


@router.get(ALL, summary="All evaluations")
async def list_evaluations(context: DeskOf) -> EvaluationListAnswer:
    """Those of the key, or visitor, that asks, newest first; and what can be measured here."""
    return await context.threads.run(lambda: evaluation_list(context.studio))


@router.post(
    ALL,
    summary="Evaluate engines",
    status_code=201,
    responses=THERE_ALREADY | KEPT_APART | AS_MANY_AS_MAY_BE,
    openapi_extra=PLAN_OR_FORM,
)
async def create_evaluation(context: DeskOf, request: Request, response: Response) -> EvaluationAnswer:
    """Each system says each text in each voice, then every sound is measured. Returns at once; `progress` tells how far it is.

    What cannot be said is refused sound by sound, and told; the rest goes on. With `begin: false` nothing is said yet.
    """

    def made(sent: SentEvaluation) -> tuple[EvaluationAnswer, bool]:
        evaluation, is_new, ready = sent.made(context.studio)
        return told_evaluation(context.studio, evaluation.id, ready.notes), is_new

    async with sent_evaluation(request) as sent:
        told, is_new = await context.threads.run(lambda: made(sent))
    response.status_code = 201 if is_new else 200
    return told


@router.post(EXPECT, summary="Look what an evaluation would be", openapi_extra=PLAN_OR_FORM)
async def expect_evaluation(context: DeskOf, request: Request) -> ExpectedAnswer:
    """How many sounds, about how long it takes, and what will be refused. Nothing is kept."""
    async with sent_evaluation(request) as sent:
        return await context.threads.run(lambda: expected(context.studio, sent.ready(context.studio)))


@router.get(ONE, summary="One evaluation")
async def read_evaluation(context: DeskOf, evaluation: str = EvaluationId) -> EvaluationAnswer:
    """Its plan, and how far it is."""
    return await context.threads.run(lambda: told_evaluation(context.studio, evaluation))


@router.delete(ONE, summary="Delete an evaluation")
async def delete_evaluation(context: DeskOf, evaluation: str = EvaluationId) -> dict[str, object]:
    """With all its sounds and figures, for good. What is under way stops."""
    await context.threads.run(lambda: context.studio.evaluations.delete(evaluation))
    return {"id": evaluation, "deleted": True}


@router.post(ONE + "/run", summary="Run an evaluation", status_code=202, responses=OWNERS | AS_MANY_AS_MAY_BE)
async def run_evaluation(context: DeskOf, evaluation: str = EvaluationId) -> RunAnswer:
    """Goes on where it was: what is said is not said again. Returns at once."""
    return await _running(context, evaluation, lambda studio: studio.evaluations.begin(evaluation))


@router.delete(ONE + "/run", summary="Stop an evaluation")
async def stop_evaluation(context: DeskOf, evaluation: str = EvaluationId) -> RunAnswer:
    """Soon; what has been said and measured is kept."""
    return await _running(context, evaluation, lambda studio: studio.evaluations.stop(evaluation))


@router.get(ONE + "/progress", summary="How far an evaluation is")
async def read_evaluation_progress(context: DeskOf, evaluation: str = EvaluationId) -> EvaluationProgressAnswer:
    """Sounds of the phase that is under way: first all are said, then all are measured."""
    return await context.threads.run(lambda: evaluation_progress(context.studio, evaluation))


async def _running(context: ApiContext, evaluation: str, act: Callable[[Studio], Any]) -> RunAnswer:
    def acted() -> RunAnswer:
        act(context.studio)
        return RunAnswer(progress=evaluation_progress(context.studio, evaluation))

    return await context.threads.run(acted)
