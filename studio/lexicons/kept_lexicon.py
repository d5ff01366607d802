"""KeptLexicon: the pronunciation dictionary of a workspace, on disk. Whoever lists it is told where a damaged one was set aside."""

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from studio.errors import LexiconEntryUnknown, LexiconOwnerUnknown
from studio.reading.lexicon.entry import LexiconEntry, entry_key
from studio.reading.lexicon.lexicon import NO_LEXICON, Lexicon
from studio.storage.workspace_file import FileForm, WorkspaceFile, WorkspaceFiles
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["KeptLexicon", "lexicon_files"]

_Entries = dict[tuple[str, str], LexiconEntry]
_FORM = FileForm(
    ".lexicon",
    NO_LEXICON,
    plain=lambda lexicon: [asdict(entry) for entry in lexicon.entries],
    read=lambda entries: Lexicon(LexiconEntry(**entry).checked() for entry in entries),
)


def lexicon_files(directory: Path, clock: Callable[[], float] = time.time) -> WorkspaceFiles[Lexicon]:
    """Of all workspaces. directory: made when the first entry is kept. clock: seconds since 1970."""
    return WorkspaceFiles(directory, _FORM, clock)


class KeptLexicon:
    """Thread-safe. That of NOBODY is empty and cannot be changed."""

    def __init__(self, files: WorkspaceFiles[Lexicon], workspace: str = EVERYBODY):
        self._file = WorkspaceFile(files, workspace)

    # --- reading

    @property
    def was_set_aside(self) -> bool:
        """Whether its file was damaged, in this process's life, and lies in quarantine."""
        return self._file.was_set_aside

    def read(self) -> Lexicon:
        """As it is now. Raises OSError."""
        return self._file.read()

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

    # --- private

    def _change(self, change: Callable[[_Entries], _Entries]) -> Lexicon:
        """What `change` makes of the entries, on disk when this returns. Raises what it does, LexiconFull, LexiconOwnerUnknown, OSError."""
        if self._file.workspace == NOBODY:
            raise LexiconOwnerUnknown
        return self._file.change(lambda lexicon: Lexicon(change({entry.key: entry for entry in lexicon.entries}).values()))
