"""Addresses of evaluations; and what several of their routes document."""

from fastapi import Path as PathParameter
from fastapi import Query

from studio.api.door.documentation import Responses

__all__ = ["ALL", "AS_MANY_AS_MAY_BE", "KEPT_APART", "KEPT_BY_NOBODY", "ONE", "OWNERS", "EvaluationId", "Language"]

ALL = "/v1/studio/evaluations"
ONE = ALL + "/{evaluation}"

OWNERS: Responses = {403: {"description": "Visitors are kept apart, and who asks is not the owner of the studio."}}
KEPT_APART: Responses = {
    403: {"description": "Visitors are kept apart, and nobody said whose the evaluation would be, or a visitor would begin one."}
}
AS_MANY_AS_MAY_BE: Responses = {
    409: {"description": "There are as many evaluations as may be, or an engine borrows a GPU for each request: `reason_code` says which."}
}
KEPT_BY_NOBODY = {"Cache-Control": "no-store"}

EvaluationId = PathParameter(max_length=64, description="As the list has it.")
Language = Query("en", alias="lang", max_length=16, description="Of its words: a code, such as de.")
