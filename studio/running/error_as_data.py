"""ErrorAsData: an error as data, for the way out of the process that raised it."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from engines.errors import EngineError, EngineFailed

__all__ = ["ErrorAsData"]

log = logging.getLogger("studio")


@dataclass(frozen=True)
class ErrorAsData:
    """An error as data, which can be pickled: few of our errors could be, since most take other arguments than they show."""

    kind: type[EngineError]
    words: tuple[object, ...]
    members: Mapping[str, object]

    @classmethod
    def of(cls, error: Exception, title: str) -> "ErrorAsData":
        """Of an engine's error as it is; anything else means that the engine, called `title`, is at fault, and is logged."""
        if not isinstance(error, EngineError):
            log.error("%s failed", title, exc_info=error)
            error = EngineFailed.at(error, title)
        return cls(type(error), error.args, dict(vars(error)))

    def error(self) -> EngineError:
        """The same error, made anew: its type, fact, hint, code and values."""
        made = self.kind.__new__(self.kind, *self.words)
        vars(made).update(self.members)
        return made
