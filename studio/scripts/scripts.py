"""Scripts: keeps, edits, says and exports the scripts of a workspace. It is the one object that doors hold."""

import logging
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Protocol

from studio.errors import ScriptOwnerUnknown, ScriptsNewer, ScriptsUnreadable
from studio.scripts.intake.read import read_script
from studio.scripts.keep.covers import Cover, checked_cover
from studio.scripts.keep.found_words import SoughtWords
from studio.scripts.keep.limits import ScriptLimits, ScriptUse
from studio.scripts.script.edited import CastCount, Changes, Edited, ScriptCounts
from studio.scripts.script.edits import Edit, PutLine
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.script import Chapter, ReadScript, Script
from studio.scripts.scripts_folder import ScriptsFolder
from studio.workspace import NOBODY

__all__ = ["Scripts", "ScriptsStudio"]

log = logging.getLogger("studio.scripts")


class ScriptsStudio(Protocol):
    """What of a studio scripts ask for. workspace: whose they are."""

    workspace: str


class Scripts:
    """Every method may be called from any thread, and blocks until it is done. Seen and made are scripts of the studio's workspace,
    spoken with its speakers.

    Beside what they say, all raise ScriptUnknown, LineUnknown, TakeUnknown, ScriptsUnreadable, ScriptsNewer, DiskError and OSError.
    """

    def __init__(self, folder: ScriptsFolder, studio: ScriptsStudio):
        self._folder, self._studio, self._workspace = folder, studio, studio.workspace
        self._store, self._takes = folder.store, folder.takes

    # --- scripts

    def read_in(self, data: bytes | str, filename: str = "", *, read_as: str | None = None) -> ReadScript:
        """What somebody brought as a script, which is not kept by that. read_as: of FORMATS. Raises ScriptFileUnusable."""
        return read_script(data, filename, as_format=read_as)

    def create(self, read: ReadScript) -> Script:
        """With what came along. Raises ScriptLimitReached, ScriptTooLong, ScriptSoundsFull, CoverUnusable, EditRefused,
        ScriptOwnerUnknown, ScriptFileUnusable."""
        if self._workspace == NOBODY:
            raise ScriptOwnerUnknown
        return self._folder.create(read, self._workspace)

    def scripts(self) -> tuple[Script, ...]:
        """The one that changed last first."""
        self._folder.sweep()
        return self._store.scripts(self._workspace)

    def script(self, script_id: str) -> Script:
        return self._store.script(script_id, self._workspace)

    def copy(self, script_id: str) -> Script:
        """With its lines, takes and cover, under a title of its own. Raises ScriptLimitReached, ScriptSoundsFull, ScriptOwnerUnknown."""
        script = self.script(script_id)
        if self._workspace == NOBODY:
            raise ScriptOwnerUnknown
        title = _free_title(script.head.title, {other.head.title for other in self.scripts()})
        return self._store.copy(script.id, self._workspace, script.head.model_copy(update={"title": title}))

    def delete(self, script_id: str) -> None:
        """With its takes and their sounds."""
        self._folder.delete(self.script(script_id).id)

    def limits(self) -> ScriptLimits:
        """Of the workspace. See near_limits."""
        return self._folder.limits.of(self._workspace)

    def use(self) -> ScriptUse:
        """How much the workspace has."""
        return self._store.use(self._workspace)

    # --- reading one

    def lines(self, script_id: str, first: int = 0, count: int | None = None) -> tuple[ScriptLine, ...]:
        """In order, with their takes. count: at most so many from index `first` on; None for all."""
        return self._store.lines(self.script(script_id).id, first, count)

    def line(self, script_id: str, line_id: str) -> ScriptLine:
        return self._store.line(self.script(script_id).id, line_id)

    def line_ids(self, script_id: str) -> tuple[str, ...]:
        """In order."""
        return self._store.line_ids(self.script(script_id).id)

    def chapters(self, script_id: str) -> tuple[Chapter, ...]:
        return self._store.chapters(self.script(script_id).id)

    def changes(self, script_id: str, since: int) -> Changes:
        """since: the token of a Script or of Changes. Cheap to ask."""
        return self._store.changes(self.script(script_id).id, since)

    def counts(self, script_id: str) -> ScriptCounts:
        """How much of it is said."""
        return self._folder.counts(self.script(script_id))

    def cast_counts(self, script_id: str) -> tuple[CastCount, ...]:
        """Of each name that lines have, whoever has most first."""
        return self._store.cast_counts(self.script(script_id).id)

    def cover(self, script_id: str) -> Cover:
        """Raises CoverUnknown."""
        return self._store.cover(self.script(script_id).id)

    # --- editing

    def edit(self, script_id: str, edits: Iterable[Edit], revision: int | None = None) -> Edited:
        """All of them or none; together they are one step of undo. revision: that the script must have; None for any.

        Raises RevisionMoved, EditRefused, ScriptTooLong, LexiconEntryInvalid, LexiconFull.
        """
        return self._store.edit(self.script(script_id).id, edits, revision)

    def undo(self, script_id: str) -> Edited:
        """The last step; deleted lines come back with their takes. Raises NothingToUndo."""
        return self._store.undo(self.script(script_id).id)

    def redo(self, script_id: str) -> Edited:
        """The last step that was undone. Raises NothingToUndo."""
        return self._store.redo(self.script(script_id).id)

    def find_words(self, script_id: str, text: str, *, is_case: bool = False, is_whole: bool = False) -> tuple[str, ...]:
        """Ids of the lines that have them, in order. Raises EditRefused where there is nothing to look for."""
        script, sought = self.script(script_id), SoughtWords(text, is_case, is_whole)
        language = script.head.language or ""
        return tuple(line.id for line in self._store.texts(script.id) if sought.places(line.written.text, language))

    def replace_words(self, script_id: str, find: str, replacement: str, *, is_case: bool = False, is_whole: bool = False) -> Edited:
        """In all lines, as one step. Raises EditRefused where there is nothing to look for or a line would be too long, ScriptTooLong."""
        script, sought = self.script(script_id), SoughtWords(find, is_case, is_whole)
        language, edits = script.head.language or "", []
        for line in self._store.texts(script.id):
            text = sought.replaced(line.written.text, replacement, language)
            if text != line.written.text:
                edits.append(PutLine(line=line.id, written=line.written.with_text(text)))
        return self._store.edit(script.id, edits, script.revision)

    def set_cover(self, script_id: str, image: bytes | None) -> None:
        """A JPEG or PNG of at most 5 MB; None for none. Raises CoverUnusable."""
        self._store.set_cover(self.script(script_id).id, None if image is None else checked_cover(image))

    # --- takes

    def choose(self, script_id: str, line_id: str, take_id: str) -> ScriptLine:
        """Which take is heard; "" for none."""
        return self._store.choose(self.script(script_id).id, line_id, take_id)

    def delete_take(self, script_id: str, line_id: str, take_id: str) -> ScriptLine:
        """For good."""
        return self._store.delete_take(self.script(script_id).id, line_id, take_id)

    # --- speakers that go

    def using(self, speaker: str) -> tuple[Script, ...]:
        """Those whose cast names it, or that have takes of it."""
        return self._store.using(speaker, self._workspace)

    def speaker_gone(self, speaker: str, *, delete_takes: bool, generation_id: str = "") -> tuple[Script, ...]:
        """A speaker was deleted: what was said with it goes, or stays and plays, as the person says. The scripts that it is about.

        generation_id: of the recording, so that it goes from scripts of other workspaces, too, where it was everybody's. The cast keeps
        the name; its lines can be said again once somebody has it, or another voice is cast.
        """
        try:
            used = self.using(speaker)
            if delete_takes:
                self._store.forget_takes_by(speaker, self._workspace, self._folder.is_live)
                if generation_id:
                    self._store.forget_takes_of(generation_id)
        except (ScriptsUnreadable, ScriptsNewer) as error:
            if delete_takes:
                raise
            log.warning("scripts were not looked at for a voice that is gone: %s", error)
            return ()
        return used

    def speaker_renamed(self, before: str, after: str) -> None:
        """Casts say the new name. A file that is damaged keeps nobody from a name."""
        try:
            self._store.rename_speaker(before, after, self._workspace)
        except (ScriptsUnreadable, ScriptsNewer) as error:
            log.warning("scripts do not know that a speaker has another name: %s", error)


def _free_title(title: str, taken: Sequence[str] | set[str]) -> str:
    """The title with the first number that makes it no other's."""
    return next(free for n in count(2) if (free := f"{title[:190]} ({n})") not in taken)
