"""The error of a file that should be an evaluation."""

from engines.errors import CallerMistake
from studio.errors import StudioError

__all__ = ["EvaluationFileUnusable"]


class EvaluationFileUnusable(StudioError, CallerMistake):
    """detail: what is wrong, in English, for programs. values: of another sentence than its own, "sentence" among them."""

    code = "evaluation_file_unusable"
    parameter = "file"

    def __init__(self, detail: str = "", hint: str = "", **values: object):
        super().__init__(detail=detail, hint=hint, **values)
