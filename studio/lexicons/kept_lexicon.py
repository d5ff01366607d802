"""KeptLexicon: the pronunciation dictionary of a workspace, on disk.

A dictionary is one file, which a change replaces as a whole: killed at any moment, the folder holds the old one or the new one. Changes
are made under a lock of the folder and to what is there by then, so two processes lose nothing of each other's. Readers look whether the
file is another than the one they know, and wait for nobody. A damaged file is set aside, and whoever lists the dictionary is told.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import copy
from pathlib import Path

from engines.durable import locked_directory, put_file, remove_file, remove_leftovers, sync_directory
from studio.errors import LexiconEntryUnknown, LexiconOwnerUnknown
from studio.lexicons.file import SUFFIX, LexiconFileBad, file_bytes, file_name, read_head, read_stored
from studio.reading.lexicon.entry import LexiconEntry, entry_key
from studio.reading.lexicon.lexicon import NO_LEXICON, Lexicon
from studio.storage.quarantine import Quarantine
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["KeptLexicon"]

MOST_KNOWN = 64  # dictionaries in memory, of the workspaces that asked last; one of 5,000 entries takes some 4 MB
_Signature = tuple[int, int, int]
_Entries = dict[tuple[str, str], LexiconEntry]

log = logging.getLogger("studio.store")


class KeptLexicon:
    """Thread-safe. Another workspace's is seen through `seen_from`; that of NOBODY is empty and cannot be changed.

    directory: made when the first entry is kept. clock: seconds since 1970.
    """

    def __init__(self, directory: Path, clock: Callable[[], float] = time.time):
        self.directory = directory
        self._clock = clock
        self._quarantine = Quarantine(directory / "quarantine")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[_Signature, Lexicon]] = OrderedDict()  # of all workspaces, by the name of the file
        self._workspace, self._path = EVERYBODY, directory / file_name(EVERYBODY)
        if directory.is_dir():
            remove_leftovers(directory)

    def seen_from(self, workspace: str) -> "KeptLexicon":
        """That of the workspace."""
        view = copy(self)
        view._workspace, view._path = workspace, self.directory / file_name(workspace)
        return view

    # --- reading

    @property
    def was_set_aside(self) -> bool:
        """Whether its file was damaged, in this process's life, and lies in quarantine."""
        return any(name == self._path.name for name, _ in self._quarantine.entries)

    def read(self) -> Lexicon:
        """As it is now. Raises OSError."""
        signature = self._signature()
        if signature is None:
            return NO_LEXICON
        with self._lock:
            known = self._known.get(self._path.name)
            if known is not None and known[0] == signature:
                self._known.move_to_end(self._path.name)
                return known[1]
        return self._read_file(signature)

    def get(self, written: str, language: str = "") -> LexiconEntry:
        """Raises LexiconEntryUnknown, OSError."""
        entry = self.read().get(written, language)
        if entry is None:
            raise LexiconEntryUnknown(written, language)
        return entry

    # --- writing

    def put(self, entry: LexiconEntry) -> LexiconEntry:
        """Keep an entry, in place of the one with its key. Raises LexiconEntryInvalid, LexiconFull, LexiconOwnerUnknown, OSError."""
        kept = entry.checked()
        self._change(lambda entries: entries | {kept.key: kept})
        return kept

    def add(self, new: Iterable[LexiconEntry], *, replace: bool = False) -> Lexicon:
        """Keep checked entries, in place of those with their keys, or of all. Raises LexiconFull, LexiconOwnerUnknown, OSError."""
        added = {entry.key: entry for entry in new}
        return self._change(lambda entries: added if replace else entries | added)

    def delete(self, written: str, language: str = "") -> LexiconEntry:
        """Raises LexiconEntryUnknown, LexiconOwnerUnknown, OSError."""
        deleted: list[LexiconEntry] = []
        key = entry_key(written, language)

        def without(entries: _Entries) -> _Entries:
            if key not in entries:
                raise LexiconEntryUnknown(written, language)
            deleted.append(entries[key])
            return {other: entry for other, entry in entries.items() if other != key}

        self._change(without)
        return deleted[0]

    def clear(self) -> int:
        """Returns how many there were. Raises LexiconOwnerUnknown, OSError."""
        n_entries: list[int] = []
        self._change(lambda entries: n_entries.append(len(entries)) or {})
        return n_entries[0]

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete those of which is_old(workspace, seconds since 1970 of the last change) says so."""
        for path in self.directory.glob(f"*{SUFFIX}"):
            try:
                self._forget_where(path, is_old)
            except (LexiconFileBad, OSError) as error:
                log.warning("%s stays until the next look: %s", path.name, error)

    # --- private

    def _forget_where(self, path: Path, is_old: Callable[[str, float], bool]) -> None:
        with locked_directory(self.directory):
            if is_old(*read_head(path)):
                remove_file(path)

    def _signature(self) -> _Signature | None:
        """Of the file as it is, None where there is none."""
        if self._workspace == NOBODY:
            return None
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read_file(self, signature: _Signature) -> Lexicon:
        try:
            lexicon = read_stored(self._path).lexicon
        except FileNotFoundError:
            return NO_LEXICON
        except LexiconFileBad as error:
            self._quarantine.take(self._path, str(error))
            return NO_LEXICON
        with self._lock:
            self._known[self._path.name] = (signature, lexicon)
            self._known.move_to_end(self._path.name)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return lexicon

    def _change(self, change: Callable[[_Entries], _Entries]) -> Lexicon:
        """What `change` makes of the entries, on disk when this returns. Raises what it does, LexiconFull, LexiconOwnerUnknown, OSError."""
        if self._workspace == NOBODY:
            raise LexiconOwnerUnknown
        self.directory.mkdir(parents=True, exist_ok=True)
        with locked_directory(self.directory):
            made = Lexicon(change({entry.key: entry for entry in self.read().entries}).values())
            if len(made):
                put_file(self._path, [file_bytes(self._workspace, self._clock(), made.entries)])
            elif self._path.exists():
                remove_file(self._path)
            sync_directory(self.directory)
        with self._lock:  # of a file that is written twice within a tick of the disk's clock the signature may be the same
            self._known.pop(self._path.name, None)
        return made
