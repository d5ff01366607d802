"""Errors of a request, whatever it asks for."""

from typing import Literal

from engines.errors import CallerMistake, EngineError, TextUnspeakable

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
        super().__init__(fact, hint, **values)
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


class TextMissing(TextUnspeakable):
    """An empty text, or nothing but spaces."""

    def __init__(self):
        super().__init__("There is nothing to say: the text is empty.", "Type a sentence.", sentence="text_missing")


class NothingSpoken(TextUnspeakable):
    """The text holds nothing but markup that the engine does not obey. marks: as they are shown."""

    def __init__(self, title: str, marks: str):
        fact = f"There is nothing to say: the text holds nothing but what {title} leaves out: {marks}."
        hint = "Type words beside it, or choose an engine that understands it."
        super().__init__(fact, hint, sentence="text_all_left_out", engine=title, marks=marks)


class AnswerTooLong(CallerMistake):
    """What was asked for as whole files is more audio than one request may have so."""

    code = "answer_too_long"
    parameter = "text"

    def __init__(self, most_seconds: float):
        fact = f"The speech is longer than {most_seconds:g} s, which is the most audio that one request may have in whole files."
        hint = "Stream it, which has no such limit (`stream_format`, or `stream_audio` in a session), or send the text in several requests."
        super().__init__(fact, hint, seconds=most_seconds)


class EntryUnknown(CallerMistake):
    """The history has no such entry (any more)."""

    code = "entry_unknown"


class UndoTooLate(CallerMistake):
    """What was deleted is gone for good."""

    code = "undo_too_late"


class WorkspaceRequired(CallerMistake):
    """Visitors are kept apart, and a request that would keep something does not say whose it is."""

    code = "workspace_required"

    def __init__(self):
        super().__init__(
            "This studio keeps its visitors apart, and the request does not say whose voice it would be.",
            "Use the page, send a key of yours, or send the recording as ref_audio with each request.",
        )


class OwnerOnly(CallerMistake):
    """A visitor would change what all share.

    by: how an owner is known: by a sign-in at the Hub, a key, or by asking on the machine itself; "nothing" on a Space that has neither
    sign-in nor keys. owners: names at the Hub.
    """

    code = "owner_only"

    def __init__(self, by: Literal["hub", "key", "machine", "nothing"], owners: tuple[str, ...] = ()):
        ways = {
            "hub": f"Sign in with Hugging Face as {' or '.join(owners)}.",
            "key": "Send the owner's key: one without a name, or named owner.",
            "machine": "Ask whoever runs it, or do it on its own machine.",
            "nothing": "Its owner can set hf_oauth or STUDIO_API_KEYS, and is known from then on.",
        }
        super().__init__(
            "All visitors of this studio share that, so only its owner may change it.",
            ways[by],
            sentence="owner_only_by_hub"
            if by == "hub"
            else "owner_only_by_key"
            if by == "key"
            else "owner_only_by_machine"
            if by == "machine"
            else "owner_only_by_nothing",
            owners=owners,
        )
