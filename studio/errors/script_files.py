"""Errors of what people bring to be read as a script: why it cannot be."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["ScriptFileUnusable"]


class ScriptFileUnusable(StudioError, CallerMistake):
    """sentence: which fact it is, with its values."""

    code = "script_file_unusable"
    parameter = "file"
