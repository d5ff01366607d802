"""Errors of the doors of scripts: the command line, and blind tests of two casts."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["CastFileUnusable", "CastTestFailed", "CastTestTooLarge", "CastsAlike", "OutputUnknown", "ScriptNotBegun"]


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


class OutputUnknown(StudioError, CallerMistake):
    """ending: of the file that was to be written."""

    code = "output_unknown"
    parameter = "out"

    def __init__(self, ending: str, choices: tuple[str, ...]):
        super().__init__(ending=ending, choices=", ".join(choices))


class ScriptNotBegun(StudioError, CallerMistake):
    """file: whose script was to go on."""

    code = "script_not_begun"
    parameter = "resume"

    def __init__(self, file: str):
        super().__init__(file=file)
