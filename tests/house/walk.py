"""Walk: the files of the project that some work enters, found by a profiler that follows it over all its threads."""

import contextlib
import inspect
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

from tests.house.source_files import ROOT

__all__ = ["PACKAGES", "Walk"]

PACKAGES = ("studio", "engines")  # whose files count
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass(eq=False)
class Walk:
    """files: that were entered, in their order, below the root; of each its functions, and how often they were called.

    A file is entered where a function of it runs. The body of a module or of a class does not count: it runs once, when it is imported.
    """

    files: dict[str, dict[str, int]] = field(default_factory=dict)
    _codes: dict[CodeType, str | None] = field(default_factory=dict, repr=False)
    _is_on: bool = field(default=False, repr=False)

    def calls(self, function: str) -> int:
        """How often functions of that name were called, in whatever file: "speaker_key", or "Studio.engine_id" of one class alone."""
        names = (function, f".{function}")
        return sum(n for functions in self.files.values() for name, n in functions.items() if name == names[0] or name.endswith(names[1]))

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """Follows this thread and those that begin in here. What they do counts while the walk is `under_way`.

        So threads are begun in here: Python 3.11 cannot have others followed.
        """
        before, of_threads = sys.getprofile(), threading.getprofile()
        threading.setprofile(self._seen)
        sys.setprofile(self._seen)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(of_threads)

    @contextlib.contextmanager
    def under_way(self) -> Iterator[None]:
        """What runs meanwhile belongs to the walk."""
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    def _seen(self, frame: FrameType, event: str, argument: object) -> None:
        """Called by Python at each call and return."""
        if not self._is_on or event != "call":
            return
        code = frame.f_code
        if code not in self._codes:
            self._codes[code] = _project_file(code)
        file = self._codes[code]
        if file is not None:
            functions = self.files.setdefault(file, {})
            functions[code.co_qualname] = functions.get(code.co_qualname, 0) + 1


def _project_file(code: CodeType) -> str | None:
    """Where a function of the project stands; None for the body of a module or class, and for the code of others."""
    path = Path(code.co_filename)
    of_body = code.co_name in COMPREHENSIONS and "<locals>" not in code.co_qualname  # which Python 3.12 has inside of the body
    if of_body or not code.co_flags & inspect.CO_OPTIMIZED or not path.is_relative_to(ROOT):
        return None
    file = path.relative_to(ROOT)
    return file.as_posix() if file.parts[0] in PACKAGES else None
