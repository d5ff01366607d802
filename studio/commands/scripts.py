"""Scripts on the command line: a file is read in, cast, said with one line of progress, and written as what --out names."""

import argparse
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.errors import EngineError
from studio.commands.begun_scripts import BegunScripts, digest_of
from studio.commands.progress_line import ProgressLine
from studio.commands.script_files import orders_of, written_beside
from studio.errors import ScriptNotBegun
from studio.scripts.cast_file import cast_with, read_cast
from studio.scripts.intake.read import read_script
from studio.scripts.script.cast import NARRATOR, CastMember
from studio.scripts.script.edits import Edit, SetCast, SetHead
from studio.scripts.script.script import ReadScript, Script
from studio.settings import Settings
from studio.words.line import Say
from studio.words.sentences import sentences_in

if TYPE_CHECKING:
    from studio.scripts.export.order import ExportReport
    from studio.scripts.scripts import Scripts

__all__ = ["ScriptCommand", "run_script_command"]

SECTION = "scripts"  # of assets/words
LOOK_SECONDS = 0.2  # between two looks at what is being said
UNSAID = 1  # exit status where lines could not be said


def run_script_command(options: argparse.Namespace, settings: Settings) -> int:
    """Exit status: 0, or UNSAID. Raises EngineError, OSError, KeyboardInterrupt."""
    from studio.service import Studio

    words = sentences_in(options.messages).words

    def say(key: str, values: Mapping[str, object]) -> str:
        return words(f"{SECTION}.{key}", values)

    orders_of(options)  # what cannot be written is refused before anything is said
    studio = Studio(settings)
    try:
        command = ScriptCommand(options, studio.scripts, BegunScripts(settings.speakers_dir / "scripts"), say)
        if options.list:
            return command.list()
        return command.read() if options.read else command.run()
    finally:
        studio.close()


class ScriptCommand:
    """One run of the command. begun: what was begun before. say: sentences by key."""

    def __init__(self, options: argparse.Namespace, scripts: "Scripts", begun: BegunScripts, say: Say):
        self._options = options
        self._scripts = scripts
        self._begun = begun
        self._say = say

    def list(self) -> int:
        """Tell of all scripts that are kept."""
        for script in self._scripts.scripts():
            counts = self._scripts.counts(script.id)
            values = {"id": script.id, "title": script.head.title, "said": counts.n_said, "n": script.n_lines - counts.n_silent}
            self._tell("command_row", values | {"seconds": counts.seconds})
        return 0

    def read(self) -> int:
        """Tell what the file is taken for."""
        read = self._read()
        self._tell_read(read)
        for member in read.cast:
            n = sum(line.who == member.name for line in read.lines)
            self._tell("command_member", {"name": member.name or "narrator", "n": n})
        return 0

    def run(self) -> int:
        """Read in or found again, cast, said, written."""
        script = self._script()
        self._cast(script)
        try:
            if not self._said(script):
                return UNSAID
        except KeyboardInterrupt:
            self._scripts.stop(script.id)
            counts = self._scripts.counts(script.id)
            self._tell("command_stopped", {"done": counts.n_said, "total": script.n_lines - counts.n_silent}, to=sys.stderr)
            raise
        for file, report in written_beside(self._options, self._scripts, script.id):
            self._tell("command_written", {"file": str(file)})
            self._tell_report(script.id, report, file.name)
        return 0

    # --- what it is about

    def _script(self) -> Script:
        """That of the file: the one which was begun with it, or a new one."""
        data = self._data()
        found = self._found(digest_of(data))
        if found is not None and self._options.resume:
            counts = self._scripts.counts(found.id)
            self._tell("command_resumed", {"title": found.head.title, "done": counts.n_said, "total": found.n_lines - counts.n_silent})
            return found
        if self._options.resume:
            raise ScriptNotBegun(self._options.file.name)
        read = self._read()
        self._tell_read(read)
        if found is not None:
            counts = self._scripts.counts(found.id)
            self._tell("command_begun_before", {"done": counts.n_said, "total": found.n_lines - counts.n_silent}, to=sys.stderr)
        script = self._scripts.create(read)
        self._begun.note(digest_of(data), script.id)
        if self._options.cover:
            self._scripts.set_cover(script.id, self._options.cover.read_bytes())
        return script

    def _data(self) -> bytes:
        if self._options.file is None:
            raise FileNotFoundError("Name the file that is to be said, or ask for --list")
        return self._options.file.read_bytes()

    def _read(self) -> ReadScript:
        read = read_script(self._data(), self._options.file.name, as_format=self._options.read_as)
        return replace(read, head=read.head.model_copy(update=self._head()))

    def _found(self, digest: str) -> Script | None:
        script_id = self._begun.find(digest)
        return next((script for script in self._scripts.scripts() if script.id == script_id), None)

    def _head(self) -> dict[str, str]:
        """What the command says of the head."""
        told = {"title": self._options.title, "author": self._options.author, "language": self._options.language}
        return {name: value for name, value in told.items() if value}

    def _cast(self, script: Script) -> None:
        """What it changes is said anew, nothing else."""
        named = {"voice": self._options.voice, "model": self._options.model}
        usual = {name: value for name, value in named.items() if value}
        cast = script.cast or (CastMember.model_validate({"name": NARRATOR}),)
        cast = tuple(member.model_copy(update=usual) for member in cast)
        if self._options.cast:
            cast = cast_with(cast, read_cast(self._options.cast))
        edits: list[Edit] = []
        if (usual or self._options.cast) and cast != script.cast:
            edits.append(SetCast(cast=cast))
        head = script.head.model_copy(update=self._head())
        if head != script.head:
            edits.append(SetHead(head=head))
        if edits:
            self._scripts.edit(script.id, edits)

    # --- saying

    def _said(self, script: Script) -> bool:
        """Whether all lines are."""
        from studio.scripts.saying.saying import Saying

        self._scripts.say(script.id, Saying(n_takes=self._options.takes, best=self._options.best))
        line, pause = ProgressLine(sys.stderr, self._say), threading.Event()
        while (progress := self._scripts.progress(script.id)).is_running:
            line.show(progress.n_done, progress.n_total, progress.seconds_left)
            pause.wait(LOOK_SECONDS)
        line.end(progress.n_done, progress.n_total)
        if isinstance(progress.failure, EngineError):
            raise progress.failure
        n_failed = self._scripts.counts(script.id).n_failed
        if n_failed:
            failure = self._first_failure(script.id)
            self._tell("command_failed", {"n": n_failed, "why": failure}, to=sys.stderr)
        return not n_failed or self._options.skip_unsaid

    def _first_failure(self, script_id: str) -> str:
        failed = next((line.failure for line in self._scripts.lines(script_id) if line.failure), {})
        return f"{failed.get('message', '')} {failed.get('hint', '')}".strip()

    # --- what it tells

    def _tell_read(self, read: ReadScript) -> None:
        n_chapters = sum(line.kind == "heading" for line in read.lines)
        values = {"format": read.taken_for, "title": read.head.title, "n": len(read.lines), "chapters": n_chapters}
        self._tell("command_read", values | {"cast": ", ".join(member.name for member in read.cast if member.name) or "–"})
        for key, noted in read.notes:
            self._tell(key, noted)

    def _tell_report(self, script_id: str, report: "ExportReport", name: str) -> None:
        """What is to be known of a file: lines that are not in it, loudness that it has not, lines that miss their slots."""
        if report.skipped:
            self._tell("command_skipped", {"n": len(report.skipped)}, to=sys.stderr)
        for loudness in report.loudness:
            missed = [f"{check.figure} {check.value:.1f} dB" for check in loudness.checks if not check.is_met]
            if loudness.target != "none":
                key = "command_not_met" if missed else "command_met"
                target = f"{loudness.target} LUFS" if loudness.target.startswith("-") else loudness.target.upper()
                self._tell(key, {"file": loudness.name or name, "target": target, "figures": ", ".join(missed)})
        for line_id, seconds in report.over:
            line = self._scripts.line(script_id, line_id).written
            start = 0.0 if line.slot is None else line.slot.start
            self._tell("command_over", {"seconds": seconds, "start": start, "text": line.text}, to=sys.stderr)

    def _tell(self, key: str, values: Mapping[str, object], *, to=None) -> None:
        to = to or sys.stdout
        to.write(f"{self._say(key, values)}\n")
        to.flush()
