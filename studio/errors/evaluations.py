"""Errors of evaluations: why one cannot be made, run or read."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["EvaluationMistake", "EvaluationOwnerUnknown", "EvaluationUnknown"]


class EvaluationMistake(StudioError, CallerMistake):
    """Of an evaluation."""


class EvaluationUnknown(EvaluationMistake):
    """There is none of that id, or it is somebody else's: nobody can tell which."""

    code = "evaluation_unknown"
    status = 404
    parameter = "evaluation"


class EvaluationOwnerUnknown(EvaluationMistake):
    """Visitors are kept apart, and a request that would make an evaluation does not say whose it is."""

    code = "evaluation_owner_unknown"
    status = 403
