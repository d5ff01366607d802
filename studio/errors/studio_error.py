"""StudioError: an error of the studio's own. Its class is a row of the table of errors; its sentence is the catalogue's (assets/words/)."""

from engines.errors import EngineError

__all__ = ["StudioError"]


class StudioError(EngineError):
    """code: also the key of its sentence, unless values["sentence"] names another. status: of HTTP; None as for all of its kind.

    hint: the next step for programs, where it is another than the page's. detail: for programs, in English, what the sentence leaves out.
    """

    status: int | None = None
    retry_after_seconds: int | None = None

    def __init__(self, *, hint: str = "", detail: str = "", **values: object):
        EngineError.__init__(self, None, hint, detail=detail, **values)
