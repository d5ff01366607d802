"""StudioError: an error of the studio's own. Its class is a row of the table of errors; its sentence is the catalogue's (assets/words/)."""

from engines.errors import EngineError
from studio.errors.clean import on_one_line
from studio.words.sentences import sentences_in

__all__ = ["StudioError"]


class StudioError(EngineError):
    """code: also the key of its sentence, unless values["sentence"] names another. status: of HTTP; None as for all of its kind.

    hint: the next step for programs, where it is another than the page's. detail: for programs, in English, what the sentence leaves out.
    """

    status: int | None = None
    retry_after_seconds: int | None = None

    def __init__(self, *, hint: str = "", detail: str = "", **values: object):
        english, key = sentences_in("en"), f"errors.{values.get('sentence', self.code)}"
        fact = english.words(f"{key}.fact", values)
        told = f"{fact.rstrip('.')}: {detail.rstrip('.')}." if detail else fact
        EngineError.__init__(self, on_one_line(told), on_one_line(hint or english.words(f"{key}.hint", values)), **values)
