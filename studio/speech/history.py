"""History: the speeches of one workspace that are kept to be heard again, as FLAC and JSON. Each has its request and its figures.

What is kept lives as long as the speaker's recording: an entry belongs to the generation it was spoken in, and goes when that is deleted
for good or replaced, since a voice that was taken back must not go on speaking here. Built-in speakers have none; inline recordings,
which nobody could delete later, are not kept.

An entry belongs to the workspace that asked for it, too, and is shown to nobody else.

What a person deletes can be brought back for a while. Its facts leave the disk at once and its sound when the time is over.
"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from engines.durable import StagedFile
from studio.audio.file_encoder import EncodedFile
from studio.errors import DiskError
from studio.speech.kept.entry import HistoryEntry
from studio.speech.kept.history_folder import BLOCK_BYTES, HistoryFolder
from studio.speech.speech import Record
from studio.speech.timed_words import TimedWord
from studio.timeline import Timeline
from studio.workspace import EVERYBODY

__all__ = ["History"]


class History:
    """Thread-safe. What belongs to another workspace is not there."""

    def __init__(self, folder: HistoryFolder, workspace: str = EVERYBODY):
        self.workspace = workspace
        self._folder = folder

    # --- reading

    @property
    def directory(self) -> Path:
        return self._folder.directory

    @property
    def most_entries(self) -> int:
        """0 where nothing is kept."""
        return self._folder.most_entries

    @property
    def refusal(self) -> DiskError | None:
        """Why the last speech was not kept, where the disk did not take it."""
        return self._folder.refusal

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Newest first."""
        return tuple(sorted(self._folder.entries(self.workspace), key=lambda entry: (entry.at, entry.id), reverse=True))

    def entry(self, entry_id: str) -> HistoryEntry:
        """Raises EntryUnknown."""
        return self._folder.entry(entry_id, self.workspace)

    def audio(self, entry_id: str) -> bytes:
        """The FLAC file of an entry: 16 bits, the samples that went to the listener. Raises EntryUnknown, OSError."""
        return self._folder.audio_path(self.entry(entry_id).id).read_bytes()

    # --- writing

    def recorder(self, entry: HistoryEntry, timeline: Timeline) -> Record:
        """What makes an entry of what the listener takes of a speech, see HistoryFolder."""
        return self._folder.recorder(entry, timeline)

    def settle(self) -> None:
        """Wait until all that was handed over is written."""
        self._folder.settle()

    def star(self, entry_id: str, starred: bool) -> HistoryEntry:
        """Keep an entry from making room for others, or no longer. Raises EntryUnknown, OSError."""
        return self._folder.change(entry_id, self.workspace, lambda entry: replace(entry, starred=starred))

    def note_heard(self, entry_id: str, seconds: float) -> HistoryEntry:
        """Keep when a page heard the first sound of an entry, the first time that it is told and if that can be.

        Raises EntryUnknown, OSError.
        """

        def heard(entry: HistoryEntry) -> HistoryEntry:
            told = entry.first_sound.heard(seconds) if entry.first_sound is not None and entry.heard_seconds is None else None
            return entry if told is None else replace(entry, heard_seconds=told.heard_seconds)

        return self._folder.change(entry_id, self.workspace, heard)

    def replace_sound(self, entry_id: str, sound: EncodedFile, **changed: object) -> HistoryEntry:
        """Another sound of the same speech, a FLAC file. changed: what else is another of its facts. Raises EntryUnknown, OSError."""
        staged = StagedFile(self._folder.directory, sound.blocks(BLOCK_BYTES))

        def put(entry: HistoryEntry) -> HistoryEntry:
            staged.publish(self._folder.audio_path(entry_id))
            return replace(entry, **changed)

        try:
            return self._folder.change(entry_id, self.workspace, put)
        finally:
            staged.discard()

    def keep_words(self, entry_id: str, words: tuple[TimedWord, ...], seconds: float) -> HistoryEntry:
        """When they are heard, of an entry whose sound is still so long as when they were looked for. Raises EntryUnknown, OSError."""

        def told(entry: HistoryEntry) -> HistoryEntry:
            return replace(entry, words=words) if entry.words is None and entry.seconds == seconds else entry

        return self._folder.change(entry_id, self.workspace, told)

    def count_bytes(self, entry_id: str, n_bytes: int) -> None:
        """That its files take so many by now; others make room for them. Raises EntryUnknown, OSError."""
        self._folder.make_room(self._folder.change(entry_id, self.workspace, lambda entry: replace(entry, n_bytes=n_bytes)).workspace)

    def delete(self, entry_ids: Collection[str]) -> str:
        """Delete those of these that are there, starred or not; what this gives is what `restore` takes. See HistoryFolder."""
        return self._folder.delete(entry_ids, self.workspace)

    def restore(self, deletion: str) -> int:
        """Bring back what that deleted. Returns how many there are. Raises UndoTooLate, OSError, see HistoryFolder."""
        return self._folder.restore(deletion, self.workspace)
