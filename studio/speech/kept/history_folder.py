"""HistoryFolder: the speeches of all workspaces that are kept, on disk: written, given room, forgotten. What a workspace sees is a History.

Sound without facts is no entry, so that a start ends all deletions that could be undone.
Bound: a number of entries and bytes, for each workspace and for all of them together; the oldest without a star go first, in the workspace
that has most. One process per folder knows what was kept; another one on the same folder finds it at its start.
"""

import json
import logging
import os
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from weakref import WeakSet

from engines.contract.speech_end import SpeechEnd
from engines.durable import StagedFile, put_file, remove_file, remove_leftovers, sync_directory
from studio.audio.file_encoder import EncodedFile
from studio.errors import DiskError, DiskFailed, DiskReadOnly, EntryUnknown, disk_error
from studio.speech.kept.entry import HistoryEntry, read_entry
from studio.speech.kept.entry_record import EntryRecord, Words
from studio.speech.kept.parts_folder import remove_parts
from studio.speech.speech import Record
from studio.storage.undo_window import UndoWindow, too_late
from studio.timeline import Timeline

__all__ = ["BLOCK_BYTES", "MOST_BYTES", "HistoryFolder"]

MOST_BYTES = 200 << 20  # of a workspace; some 2 hours of speech: FLAC of 24 kHz speech takes about 25 kB per second
BLOCK_BYTES = 1 << 18
MOST_BYTES_IN_ALL = 4 << 30  # of all of them; the disk of a Space has 50 GB

log = logging.getLogger("studio.history")


@dataclass(frozen=True)
class _Deletion:
    """Entries of a workspace that went together."""

    workspace: str
    entry_ids: tuple[str, ...]


class HistoryFolder:
    """Thread-safe. Encoding and writing are done by a thread of its own, so that no listener waits for them.

    directory: made when the first entry is kept. most_entries: 0 keeps nothing. is_live(generation id): asked when an entry is written.
    """

    def __init__(
        self,
        directory: Path,
        *,
        most_entries: int,
        most_bytes: int = MOST_BYTES,
        most_bytes_in_all: int = MOST_BYTES_IN_ALL,
        is_live: Callable[[str], bool] = lambda generation_id: True,
    ):
        self.directory = directory
        self.most_entries = most_entries
        self.most_bytes = most_bytes
        self.most_bytes_in_all = most_bytes_in_all
        self._is_live = is_live
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="history-writer")
        self._entries: dict[str, HistoryEntry] = {}
        self._deleted: dict[str, HistoryEntry] = {}  # those that can be brought back
        self._undo = UndoWindow[_Deletion](self._end_deletion)  # by ids that cannot be guessed
        self._forgotten: set[str] = set()  # ids of entries that nobody hears any more, and of which files may be there
        self._records: WeakSet[EntryRecord] = WeakSet()
        self.refusal: DiskError | None = None  # why the last speech was not kept, where the disk did not take it
        if directory.is_dir():
            self._restore()

    # --- reading

    def entries(self, workspace: str) -> list[HistoryEntry]:
        """Of that workspace, in any order."""
        with self._lock:
            return [entry for entry in self._entries.values() if entry.workspace == workspace]

    def entry(self, entry_id: str, workspace: str) -> HistoryEntry:
        """Raises EntryUnknown, for another workspace's too."""
        with self._lock:
            found = self._entries.get(entry_id)
        if found is None or found.workspace != workspace:
            raise _unknown()
        return found

    def audio_path(self, entry_id: str) -> Path:
        """Of its FLAC file."""
        return self.directory / f"{entry_id}.flac"

    # --- writing

    def recorder(self, entry: HistoryEntry, timeline: Timeline) -> Record:
        """What makes an entry, soon, of what the listener takes of a speech and of how that ends; none where there was no sound.

        It has no id where it is known that nothing can be kept.
        """

        def write(sound: EncodedFile, seconds: float, end: SpeechEnd, words: Words) -> None:
            heard = {"ended": end.reason, "warning": end.warning, "seconds": seconds, "n_bytes": len(sound)}
            measured = {"ttfp_seconds": timeline.ttfp_seconds, "cache": timeline.cache, "start": timeline.start}
            measured |= {"part_seconds": tuple(timeline.part_seconds), "words": words}
            self._write(replace(entry, **heard, **measured), sound)

        if self.most_entries == 0:
            return EntryRecord("", entry.sample_rate, _leave, write)
        if self._is_read_only():
            return EntryRecord("", entry.sample_rate, _leave, write, f"This speech is not kept: {DiskReadOnly().fact}")
        doubt = "" if self.refusal is None else f"The last speech was not kept, nor may this one be: {self.refusal.fact}"
        record = EntryRecord(entry.id, entry.sample_rate, self._submit, write, doubt)
        with self._lock:
            self._records.add(record)
        return record

    def settle(self) -> None:
        """Wait until all that was handed over is written."""
        self._writer.submit(lambda: None).result()

    def change(self, entry_id: str, workspace: str, changed: Callable[[HistoryEntry], HistoryEntry]) -> HistoryEntry:
        """What `changed` makes of an entry, on disk when this returns. Raises EntryUnknown, OSError."""
        self.entry(entry_id, workspace)
        with self._lock:
            if entry_id not in self._entries:
                raise _unknown()
            before = self._entries[entry_id]
            entry = changed(before)
            if entry is not before:
                self._write_facts(entry)
                self._entries[entry_id] = entry
            return entry

    def make_room(self, workspace: str) -> None:
        """In the workspace that was written to; where all of them together hold too much, in the one that holds most."""
        self._remove_forgotten()
        with self._lock:
            entries = list(self._entries.values())
        self._remove(_going([entry for entry in entries if entry.workspace == workspace], self.most_entries, self.most_bytes))
        if (over := sum(entry.n_bytes for entry in entries) - self.most_bytes_in_all) > 0:
            held = Counter()
            for entry in entries:
                held[entry.workspace] += entry.n_bytes
            greediest, most = held.most_common(1)[0]
            self._remove(_going([entry for entry in entries if entry.workspace == greediest], self.most_entries, most - over))

    def delete(self, entry_ids: Collection[str], workspace: str) -> str:
        """Delete those of that workspace, starred or not; what this gives is what `restore` takes. Nobody hears them from now on.

        Raises EntryUnknown where none is there, OSError, after which all are there.
        """
        with self._lock:
            going = [entry for entry in self._entries.values() if entry.id in entry_ids and entry.workspace == workspace]
            for entry in going:
                self._deleted[entry.id] = self._entries.pop(entry.id)
        if not going:
            raise _unknown()
        ids = tuple(entry.id for entry in going)
        try:
            for entry_id in ids:
                remove_file(self._facts_path(entry_id))
            sync_directory(self.directory)
        except BaseException:
            self._put_back(ids)
            raise
        deletion = secrets.token_hex(16)
        self._undo.keep(deletion, _Deletion(workspace, ids))
        return deletion

    def restore(self, deletion: str, workspace: str) -> int:
        """Bring back what that deleted, but for what was spoken in a recording that is gone by now. Returns how many there are.

        Raises UndoTooLate, OSError, after which it can be tried again.
        """
        taken = self._undo.take(deletion, lambda found: found.workspace == workspace)
        try:
            n_back = self._put_back(taken.entry_ids)
        except BaseException:
            self._undo.keep(deletion, taken)
            raise
        if not n_back:
            raise too_late()
        self._submit(lambda: self.make_room(taken.workspace))
        return n_back

    def forget(self, generation_id: str) -> None:
        """Delete all that was spoken in a recording that is gone; one that only has another name keeps it. Never raises OSError."""
        self._forget_where(lambda entry: entry.generation_id == generation_id and not self._is_live(generation_id))

    def forget_dead(self) -> None:
        """Delete what was spoken in recordings that went while nobody looked."""
        self._forget_where(lambda entry: entry.generation_id is not None and not self._is_live(entry.generation_id))

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete the entries of which is_old(workspace, at) says so."""
        self._forget_where(lambda entry: is_old(entry.workspace, entry.at))

    def close(self) -> None:
        """Finish what is being written. A speech that has not ended by then is not kept."""
        self._undo.close()
        self._writer.shutdown(wait=True)
        with self._lock:
            unended = tuple(self._records)
        for record in unended:
            record.close()

    # --- private

    def _forget_where(self, is_gone: Callable[[HistoryEntry], bool]) -> None:
        """From now on nobody hears them, whatever holds up the removal of their files."""
        with self._lock:
            ids = [entry.id for entry in (*self._entries.values(), *self._deleted.values()) if is_gone(entry)]
            self._drop(ids)
        self._remove_forgotten()
        if ids:
            with suppress(OSError):
                sync_directory(self.directory)

    def _drop(self, ids: Iterable[str]) -> None:
        """They are nobody's any more, and their files are to go. The lock is held."""
        for entry_id in ids:
            self._entries.pop(entry_id, None)
            self._deleted.pop(entry_id, None)
            self._forgotten.add(entry_id)

    def _put_back(self, ids: Iterable[str]) -> int:
        """Those that nobody forgot meanwhile, here or in another process: how many. Raises OSError."""
        with self._lock:
            back = [entry_id for entry_id in ids if entry_id in self._deleted and self.audio_path(entry_id).is_file()]
            for entry_id in back:
                if not self._facts_path(entry_id).is_file():  # else its deletion failed before it
                    self._write_facts(self._deleted[entry_id])
                self._entries[entry_id] = self._deleted.pop(entry_id)
        return len(back)

    def _end_deletion(self, deletion: "_Deletion") -> None:
        with self._lock:
            self._drop([entry_id for entry_id in deletion.entry_ids if entry_id in self._deleted])
        self._remove_forgotten()

    def _remove_forgotten(self) -> None:
        """What somebody has open is tried again with what goes next, and at the next start."""
        for entry_id in tuple(self._forgotten):
            try:
                self._remove_files(entry_id)
            except OSError as error:
                log.warning("deleted speech could not be removed from disk yet: %s", error.strerror)

    def _is_read_only(self) -> bool:
        place = self.directory if self.directory.is_dir() else self.directory.parent
        return not os.access(place, os.W_OK)

    def _submit(self, verb: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the studio is closing
            self._writer.submit(self._told, verb)

    def _told(self, verb: Callable[[], None]) -> None:
        """Nobody waits for this, so a disk that does not take a speech must speak up for itself."""
        try:
            verb()
        except DiskError as refusal:
            if self.refusal is None or isinstance(refusal, DiskFailed):
                number = getattr(refusal.__cause__, "errno", None)
                log.warning("speech is not kept while that lasts: %s (%s, errno %s)", refusal.fact, refusal.values, number)
            self.refusal = refusal

    def _write(self, entry: HistoryEntry, sound: EncodedFile) -> None:
        """sound: a FLAC file. Raises what `disk_error` tells."""
        try:
            self._write_files(entry, sound)
            owner = entry.generation_id
            if owner is not None and not self._is_live(owner):  # asked after it can be found, so that no deletion slips in between
                self._remove([entry.id])
            self.make_room(entry.workspace)
            self.refusal = None
        except OSError as error:
            raise (disk_error(error) or DiskFailed()) from error

    def _write_files(self, entry: HistoryEntry, sound: EncodedFile) -> None:
        """Both or none. Raises OSError."""
        self.directory.mkdir(exist_ok=True)
        staged = StagedFile(self.directory, sound.blocks(BLOCK_BYTES))
        try:
            staged.publish(self.audio_path(entry.id))  # first: facts without sound would be an entry that cannot be heard
            with self._lock:
                self._write_facts(entry)
                self._entries[entry.id] = entry
        except BaseException:
            staged.discard()
            remove_file(self.audio_path(entry.id))
            raise

    def _remove(self, ids: Iterable[str]) -> None:
        """Raises OSError, before anything has changed of the entry whose sound somebody has open."""
        for entry_id in ids:
            self._remove_files(entry_id)
        if ids:
            sync_directory(self.directory)

    def _remove_files(self, entry_id: str) -> None:
        """Sound first: facts without sound are no entry, and are removed at the next start. Raises OSError."""
        with self._lock:  # or a sound that is replaced meanwhile would stay
            remove_file(self.audio_path(entry_id))
            self._drop([entry_id])
        remove_parts(self.directory, entry_id)
        remove_file(self._facts_path(entry_id))
        self._forgotten.discard(entry_id)

    def _write_facts(self, entry: HistoryEntry) -> None:
        put_file(self._facts_path(entry.id), [json.dumps(asdict(entry), ensure_ascii=False).encode()])
        sync_directory(self.directory)

    def _restore(self) -> None:
        """What cannot be removed stays, and is not shown."""
        remove_leftovers(self.directory)
        for path in self.directory.glob("*.json"):
            entry = read_entry(path)
            if entry is not None and self.audio_path(entry.id).is_file():
                self._entries[entry.id] = entry
            else:
                self._forgotten.add(path.stem)
        self._forgotten.update(path.stem for path in self.directory.glob("*.flac") if path.stem not in self._entries)
        self._remove_forgotten()

    def _facts_path(self, entry_id: str) -> Path:
        return self.directory / f"{entry_id}.json"


def _going(entries: Sequence[HistoryEntry], most_entries: int, most_bytes: int) -> list[str]:
    """Ids of the entries that make room, so that the rest is within both bounds; one with a star never does."""
    oldest_first = sorted(entries, key=lambda entry: (entry.starred, entry.at))
    n_bytes, too_many = sum(entry.n_bytes for entry in oldest_first), len(oldest_first) - most_entries
    leaving = []
    for entry in oldest_first:
        if entry.starred or (too_many <= len(leaving) and n_bytes <= most_bytes):
            break
        leaving.append(entry.id)
        n_bytes -= entry.n_bytes
    return leaving


def _unknown() -> EntryUnknown:
    return EntryUnknown()


def _leave(verb: Callable[[], None]) -> None:
    """Nothing is kept."""
