"""Errors of a file that somebody brings: a plan, the configuration of a webMUSHRA test, or a table of votes."""

from engines.errors import CallerMistake
from studio.errors import StudioError

__all__ = ["FormatUnfit", "PlanFileUnreadable", "VotesUnreadable"]


class PlanFileUnreadable(CallerMistake):
    """parameter: the dotted place of what is wrong, such as `systems.1.engine`, or "line 3, column 7"; "" where it is the whole file."""

    code = "plan_file_unreadable"

    def __init__(self, place: str = "", *, hint: str = "", detail: str = "", **values: object):
        super().__init__(None, hint, detail=detail, place=place, **values)
        self.parameter = place or None


class VotesUnreadable(CallerMistake):
    """code: votes_unreadable; what is told besides is its sentence's."""

    code = "votes_unreadable"


class FormatUnfit(StudioError, CallerMistake):
    """A format has no place for votes of this method."""

    code = "format_unfit"

    def __init__(self, format_name: str, method: str, formats: str):
        super().__init__(format=format_name, method=method, formats=formats)
