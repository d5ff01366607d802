"""NotebookScript: a script for a Python program: cast it, have it said, listen to a line, save it as a file."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from engines.errors import EngineError
from studio.errors import OutputUnknown
from studio.notebook.speech import telling_all
from studio.scripts.cast_file import cast_of, cast_with
from studio.scripts.export.order import ExportOrder
from studio.scripts.export.sound_file import ENDINGS
from studio.scripts.saying.saying import Saying
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import SetCast
from studio.scripts.script.line import LineState
from studio.scripts.scripts import Scripts

__all__ = ["Cast", "NotebookLine", "NotebookScript"]

Cast = Mapping[str, str | Mapping[str, object]]  # name -> voice, or what a member of a cast has; "narrator" says what nobody else does
FORMATS = {f".{ending}": form for form, ending in ENDINGS.items()} | {".srt": "srt", ".vtt": "vtt", ".json": "script"}
LOOK_SECONDS = 0.1  # between two looks at what is being said


@dataclass(frozen=True)
class NotebookLine:
    """One line as it is now. seconds: of its chosen take, None where it was never said."""

    id: str
    who: str
    text: str
    state: LineState
    seconds: float | None


class NotebookScript:
    """It is kept by the studio, and found on its page, too. Made by `Studio.script`."""

    def __init__(self, scripts: Scripts, script_id: str, studio: object):
        self.id = script_id
        self._scripts = scripts
        self._studio = studio  # which is closed when nobody holds it any more

    @property
    def title(self) -> str:
        return self._scripts.script(self.id).head.title

    @property
    def cast(self) -> tuple[CastMember, ...]:
        return self._scripts.script(self.id).cast

    def lines(self) -> tuple[NotebookLine, ...]:
        """In their order."""
        lines = self._scripts.lines(self.id)
        states = self._scripts.states(self.id, lines)
        return tuple(
            NotebookLine(line.id, line.written.who, line.written.text, state, line.chosen_take and line.chosen_take.seconds)
            for line, state in zip(lines, states, strict=True)
        )

    def recast(self, cast: Cast) -> "NotebookScript":
        """Other voices for those that are named. What they said becomes stale, nothing else. Raises CastFileUnusable."""
        with telling_all():
            self._scripts.edit(self.id, [SetCast(cast=cast_with(self.cast, cast_of(cast, "cast")))])
        return self

    def say(
        self, *, takes: int = 1, best: bool = False, only_stale: bool = True, progress: Callable[[int, int], None] | None = None
    ) -> "NotebookScript":
        """All that is new or stale, and wait for it; Ctrl-C stops it, and what was said stays. progress(lines done, lines in all).

        Raises what kept it from going on. A line that cannot be said has the state "failed", and the others go on.
        """
        with telling_all():
            self._scripts.say(self.id, Saying(only="stale" if only_stale else "all", n_takes=takes, best=best))
            try:
                self._wait(progress or (lambda done, total: None))
            except KeyboardInterrupt:
                self._scripts.stop(self.id)
                raise
        return self

    def _wait(self, progress: Callable[[int, int], None]) -> None:
        pause = threading.Event()
        while (now := self._scripts.progress(self.id)).is_running:
            if now.n_total:  # 0 until the queue has been read
                progress(now.n_done, now.n_total)
            pause.wait(LOOK_SECONDS)
        if isinstance(now.failure, EngineError):
            raise now.failure

    def save(self, path: str | PathLike[str], **order: object) -> Path:
        """All lines as one file, of the format that the name ends in: m4b, mp3, wav, flac, opus, m4a, srt, vtt, json.

        order: fields of POST /v1/studio/scripts/{script}/export, such as loudness="-19". Raises LinesUnsaid, LinesStale, OSError.
        """
        path = Path(path).expanduser()
        with telling_all():
            self._scripts.export(self.id, ExportOrder.model_validate({"format": _format_of(path)} | order)).save(path)
        return path

    def delete(self) -> None:
        """With all its takes, for good."""
        self._scripts.delete(self.id)

    def __repr__(self) -> str:
        counts = self._scripts.counts(self.id)
        return f"<{type(self).__name__} {self.title!r}: {counts.n_said} of {self._scripts.script(self.id).n_lines} lines said>"


def _format_of(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise OutputUnknown(suffix or path.name, tuple(FORMATS))
    return FORMATS[suffix]
