"""Scripts: keeps, edits, says and exports the scripts of a workspace. It is the one object that doors hold."""

import logging
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Protocol

from studio.audio.flac import wav_file
from studio.errors import ScriptOwnerUnknown, ScriptsNewer, ScriptsUnreadable, TakeUnknown
from studio.scripts.dubbing.order import DubOrder
from studio.scripts.export.check import ExportCheck
from studio.scripts.export.export import Progress
from studio.scripts.export.exports import ScriptExports
from studio.scripts.export.order import ExportedFile, ExportOrder
from studio.scripts.intake.read import read_script
from studio.scripts.keep.covers import Cover, checked_cover
from studio.scripts.keep.found_words import SoughtWords
from studio.scripts.keep.limits import ScriptLimits, ScriptUse
from studio.scripts.saying.play import ScriptPlay
from studio.scripts.saying.progress import SayingProgress
from studio.scripts.saying.saying import Saying, ScriptSaying
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.script.edited import CastCount, Changes, Edited, ScriptCounts
from studio.scripts.script.edits import Edit, PutLine
from studio.scripts.script.line import LineState, ScriptLine
from studio.scripts.script.mend import MendWish
from studio.scripts.script.script import Chapter, ReadScript, Script
from studio.scripts.script.take import LineTake
from studio.scripts.scripts_folder import ScriptsFolder
from studio.speech.timed_words import TimedWord
from studio.workspace import NOBODY

__all__ = ["Scripts", "ScriptsStudio"]

log = logging.getLogger("studio.scripts")


class ScriptsStudio(SayingStudio, Protocol):
    """What of a studio scripts ask for."""

    def within(self, workspace: str) -> "ScriptsStudio": ...


class Scripts:
    """Every method may be called from any thread, and blocks until it is done. Seen and made are scripts of the studio's workspace,
    spoken with its speakers.

    Beside what they say, all raise ScriptUnknown, LineUnknown, TakeUnknown, ScriptsUnreadable, ScriptsNewer, DiskError and OSError.
    """

    def __init__(self, folder: ScriptsFolder, studio: ScriptsStudio):
        self._folder, self._studio, self._workspace = folder, studio, studio.workspace
        self._store, self._takes = folder.store, folder.takes
        self._saying = ScriptSaying(folder.saying, studio)
        self._exports = ScriptExports(folder.store, folder.takes, folder.levels, self._saying.stale_takes)

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

    # --- saying

    def say(self, script_id: str, saying: Saying) -> SayingProgress:
        """Have lines wait, and begin; returns at once. Raises TranscriberMissing for the best of several without ears."""
        return self._saying.say(script_id, saying)

    def stop(self, script_id: str) -> SayingProgress:
        """Drop what is under way within a chunk, and have nothing wait any more. Saying what is new or stale goes on where it was."""
        return self._saying.stop(script_id)

    def progress(self, script_id: str) -> SayingProgress:
        return self._saying.progress(self.script(script_id).id)

    def is_running(self, script_id: str) -> bool:
        """Whether lines of it are being said."""
        return self._folder.saying.is_running(script_id)

    def resume(self) -> None:
        """Go on with what waits in the scripts of all workspaces: for whoever starts a studio that serves."""
        self._folder.saying.resume(self._studio.within)

    def say_again(self, script_id: str, line_id: str, n_takes: int = 1, *, seed: int | None = None, best: bool = False) -> SayingProgress:
        """Other takes of a line, before whatever else waits. Raises TranscriberMissing for the best of them without ears."""
        return self._saying.say_again(script_id, line_id, n_takes, seed=seed, best=best)

    def say_line(self, script_id: str, line_id: str, n_takes: int = 1, *, seed: int | None = None, best: bool = False) -> ScriptLine:
        """The same, and wait for it on this thread."""
        return self._saying.say_line(script_id, line_id, n_takes, seed=seed, best=best)

    def mend(self, script_id: str, line_id: str, wish: MendWish) -> SayingProgress:
        """Make words of a take anew, before whatever else waits; all else of its sound stays. Raises TakeUnknown, MendRefused,
        EditRefused, EngineUnknown, EditUnsupported, EditInvalid, OptionInvalid, LanguageUnsupported."""
        return self._saying.mend(script_id, line_id, wish)

    def take_text(self, script_id: str, line_id: str, take_id: str) -> str | None:
        """That was said in it; None where it cannot be told."""
        return self._saying.take_text(script_id, line_id, take_id)

    def choose_best(self, script_id: str, line_ids: Iterable[str] | None = None) -> SayingProgress:
        """By the ears, among takes that are there; None for all lines with several. Raises TranscriberMissing."""
        return self._saying.choose_best(script_id, line_ids)

    def states(self, script_id: str, lines: Sequence[ScriptLine]) -> tuple[LineState, ...]:
        return self._saying.states(script_id, lines)

    def stale_takes(self, script_id: str, lines: Sequence[ScriptLine]) -> frozenset[str]:
        """Ids of takes whose line, cast or dictionary have changed since."""
        return self._saying.stale_takes(script_id, lines)

    def n_stale(self, script_id: str) -> int:
        """Lines whose chosen take is stale. Cheap where nothing has changed."""
        return self._saying.n_stale(script_id)

    def play(self, script_id: str, from_line: str | None = None, received: float | None = None) -> ScriptPlay:
        """From a line on; returns with the first sound. received: time.perf_counter() at the request."""
        return self._saying.play(script_id, from_line, received)

    # --- exports

    def export(self, script_id: str, order: ExportOrder, progress: Progress | None = None) -> ExportedFile:
        """The file is the caller's to close. progress: told the share that is done. Raises LinesUnsaid, LinesStale, ExportEmpty."""
        return self._exports.export(self.script(script_id), order, progress)

    def check_export(self, script_id: str, order: ExportOrder) -> ExportCheck:
        """What would be lacking, which lines miss their slots, and which loudness is met."""
        return self._exports.check(self.script(script_id), order)

    def dub(self, script_id: str, video: Path, order: DubOrder, progress: Progress | None = None) -> ExportedFile:
        """The lines in their slots in a copy of the video. Raises VideoUnreadable, VideoWithoutPicture, VideoTooLarge, VideoTooLong,
        LinesUnsaid, LinesStale, ExportEmpty."""
        return self._exports.dub(self.script(script_id), video, order, progress)

    # --- takes

    def take_sound(self, script_id: str, line_id: str, take_id: str) -> bytes:
        """A WAV file. Raises ScriptTakeDamaged."""
        take = _take_of(self.line(script_id, line_id), take_id)
        return wav_file(*self._takes.read(script_id, take.sha256))

    def take_words(self, script_id: str, line_id: str, take_id: str) -> tuple[tuple[TimedWord, ...] | None, str]:
        """(when its words are heard, ""), or (None, the code of the reason why nobody knows)."""
        take = _take_of(self.line(script_id, line_id), take_id)
        return take.words, take.why_wordless

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

    def speaker_gone(self, speaker: str, *, delete_takes: bool, generation_id: str) -> tuple[Script, ...]:
        """A speaker was deleted: what was said with it goes, or stays and plays, as the person says. The scripts that it is about.

        generation_id: of the recording, so that it goes from scripts of other workspaces, too, where it was everybody's. The cast keeps
        the name; its lines can be said again once somebody has it, or another voice is cast.
        """
        try:
            used = self.using(speaker)
            if delete_takes:
                self._store.forget_takes_by(speaker, self._workspace)
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


def _take_of(line: ScriptLine, take_id: str) -> LineTake:
    found = next((take for take in line.takes if take.id == take_id), None)
    if found is None:
        raise TakeUnknown
    return found


def _free_title(title: str, taken: Sequence[str] | set[str]) -> str:
    """The title with the first number that makes it no other's."""
    return next(free for n in count(2) if (free := f"{title[:190]} ({n})") not in taken)
