"""Errors of a request, whatever it asks for."""

from typing import Literal

from engines.errors import CallerMistake, EngineError, TextUnspeakable
from studio.errors.studio_error import StudioError

__all__ = [
    "AnswerTooLong",
    "EntryUnknown",
    "NothingSpoken",
    "OwnerOnly",
    "RequestInvalid",
    "SchemaInvalid",
    "TextMissing",
    "UndoTooLate",
    "WorkspaceRequired",
]


class RequestInvalid(CallerMistake):
    """fact: the contract's sentence. code: stable, for programs. parameter: the request's field."""

    def __init__(self, code: str, fact: str, parameter: str | None = None, hint: str = "", **values: object):
        super().__init__(fact, hint, detail="", **values)
        self.code = code
        self.parameter = parameter

    @classmethod
    def instead_of(cls, error: EngineError, fact: str, parameter: str, hint: str) -> "RequestInvalid":
        """That error, as the contract says it of a request."""
        return cls(error.code, fact, parameter, hint, **error.values)


class SchemaInvalid(RequestInvalid):
    """parameter: the dotted place of the first thing that is wrong."""

    code = "schema_invalid"

    def __init__(self, fact: str, parameter: str | None = None, hint: str = "", **values: object):
        super().__init__("schema_invalid", fact, parameter, hint, **values)


class TextMissing(StudioError, TextUnspeakable):
    """An empty text, or nothing but spaces."""

    def __init__(self):
        super().__init__(sentence="text_missing")


class NothingSpoken(StudioError, TextUnspeakable):
    """The text holds nothing but markup that the engine does not obey. marks: as they are shown."""

    def __init__(self, title: str, marks: str):
        super().__init__(sentence="text_all_left_out", engine=title, marks=marks)


class AnswerTooLong(StudioError, CallerMistake):
    """What was asked for as whole files is more audio than one request may have so."""

    code = "answer_too_long"
    parameter = "text"

    def __init__(self, most_seconds: float):
        hint = "Stream it, which has no such limit (`stream_format`, or `stream_audio` in a session), or send the text in several requests."
        super().__init__(hint=hint, seconds=most_seconds)


class EntryUnknown(StudioError, CallerMistake):
    """The history has no such entry (any more)."""

    code = "entry_unknown"
    status = 404


class UndoTooLate(StudioError, CallerMistake):
    """What was deleted is gone for good. seconds: how long it was kept; sentence: which fact it is, where it is another."""

    code = "undo_too_late"


class WorkspaceRequired(StudioError, CallerMistake):
    """Visitors are kept apart, and a request that would keep something does not say whose it is."""

    code = "workspace_required"
    status = 403

    def __init__(self):
        super().__init__(hint="Use the page, send a key of yours, or send the recording as ref_audio with each request.")


class OwnerOnly(StudioError, CallerMistake):
    """A visitor would change what all share.

    by: how an owner is known: by a sign-in at the Hub, a key, or by asking on the machine itself; "nothing" on a Space that has neither
    sign-in nor keys. owners: names at the Hub.
    """

    code = "owner_only"
    status = 403

    def __init__(self, by: Literal["hub", "key", "machine", "nothing"], owners: tuple[str, ...] = ()):
        super().__init__(
            hint="Its owner can set hf_oauth or STUDIO_API_KEYS, and is known from then on." if by == "nothing" else "",
            sentence="owner_only_by_hub"
            if by == "hub"
            else "owner_only_by_key"
            if by == "key"
            else "owner_only_by_machine"
            if by == "machine"
            else "owner_only_by_nothing",
            owners=owners,
        )
