"""Bodies of requests about evaluations: the forms of the JSON."""

from pydantic import BaseModel, ConfigDict, Field

from studio.evaluation_orders.asked import AskedEvaluation
from studio.evaluation_tests import EvaluationTestMethod
from studio.listening.plan.plan import MOST_NAME_CHARACTERS, MOST_TEXTS

__all__ = ["EvaluationBody", "EvaluationTestBody"]


class EvaluationBody(AskedEvaluation):
    """What is to be evaluated."""

    model_config = ConfigDict(json_schema_extra={"examples": []})


class EvaluationTestBody(BaseModel):
    """A blind listening test of what differs most."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": []})

    n: int = Field(20, ge=1, le=MOST_TEXTS, description="Of texts, one for each voice and text that differ.")
    method: EvaluationTestMethod | None = Field(
        None, description="One of those that need no reference; `ab` of two systems, `mushra-like` of more, where absent."
    )
    systems: tuple[str, ...] | None = Field(None, min_length=2, max_length=24, description="Ids or labels; all of them where absent.")
    name: str = Field("", max_length=MOST_NAME_CHARACTERS)
