"""Errors of gates: why the file of limits cannot be used."""

from studio.errors.evaluations import EvaluationMistake

__all__ = ["EvaluationLimitsUnusable"]


class EvaluationLimitsUnusable(EvaluationMistake):
    """reason: in English, with the place; for whoever wrote the file."""

    code = "evaluation_limits_unusable"
    parameter = "limits"

    def __init__(self, reason: str):
        super().__init__(detail=reason)
