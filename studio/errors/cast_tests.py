"""Errors of a blind test of two casts, and of the files of a cast."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["CastFileUnusable", "CastTestFailed", "CastTestTooLarge", "CastsAlike"]


class CastsAlike(StudioError, CallerMistake):
    """None of the lines would sound otherwise."""

    code = "casts_alike"
    parameter = "cast"


class CastTestTooLarge(StudioError, CallerMistake):
    """n_sounds: that each cast would say."""

    code = "cast_test_too_large"
    parameter = "lines"

    def __init__(self, n_sounds: int, most: int):
        super().__init__(n=n_sounds, most=most)


class CastTestFailed(StudioError):
    """By a defect, or by a disk; the log says which."""

    code = "cast_test_failed"


class CastFileUnusable(StudioError, CallerMistake):
    """reason: in English, with the place; for whoever wrote the file."""

    code = "cast_file_unusable"
    parameter = "cast"

    def __init__(self, reason: str):
        super().__init__(detail=reason)
