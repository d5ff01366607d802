"""SpeakerAliases: other names of speakers, for programs that say names of their own: those that were set outside, and those on disk."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from studio.errors import AliasesFull, WorkspaceRequired
from studio.speakers.metadata import check_name
from studio.speakers.speaker import speaker_key
from studio.storage.workspace_file import FileForm, WorkspaceFile, WorkspaceFiles
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["MOST_ALIASES", "NAMES_OF_PROGRAMS", "SpeakerAlias", "SpeakerAliases", "alias_files", "keyed_aliases"]

log = logging.getLogger("studio.speakers")

MOST_ALIASES = 200  # of a workspace
# That programs say without having been told any: those of OpenAI's API.
NAMES_OF_PROGRAMS = ("alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse")


@dataclass(frozen=True)
class SpeakerAlias:
    """Programs that say `name` hear `speaker`: a stored one, a preset or a blend. is_own: whether who looks may change it."""

    name: str
    speaker: str
    is_own: bool = False


_Kept = dict[str, SpeakerAlias]  # by the name's key


def _follows(alias: SpeakerAlias, key: str, after: str) -> SpeakerAlias:
    return replace(alias, speaker=after) if speaker_key(alias.speaker) == key else alias


def keyed_aliases(pairs: Mapping[str, str]) -> _Kept:
    """By the name's key. pairs: name -> speaker."""
    return {speaker_key(name): SpeakerAlias(name, speaker) for name, speaker in pairs.items()}


def _read(pairs: Mapping[str, str]) -> _Kept:
    return keyed_aliases({check_name(name): check_name(speaker) for name, speaker in pairs.items()})


_FORM = FileForm(".aliases", {}, plain=lambda kept: {alias.name: alias.speaker for alias in kept.values()}, read=_read)


def alias_files(directory: Path, clock: Callable[[], float] = time.time) -> WorkspaceFiles[_Kept]:
    """Of all workspaces. directory: made when the first is kept. clock: seconds since 1970."""
    return WorkspaceFiles(directory, _FORM, clock)


class SpeakerAliases:
    """Thread-safe. A workspace has its own, then everybody's, then those that were set outside.

    outside: for all, see `keyed_aliases`.
    """

    def __init__(self, files: WorkspaceFiles[_Kept], outside: Mapping[str, SpeakerAlias], workspace: str = EVERYBODY):
        self._outside = outside
        self._own, self._everybodys = WorkspaceFile(files, workspace), WorkspaceFile(files, EVERYBODY)

    def get(self, name: str) -> SpeakerAlias | None:
        """What that name stands for, in any spelling; None where it is no alias. Raises OSError."""
        key = speaker_key(name)
        return self._own.read().get(key) or self._everybodys.read().get(key) or self._outside.get(key)

    def all(self) -> tuple[SpeakerAlias, ...]:
        """Sorted by name. Raises OSError."""
        own = {key: SpeakerAlias(alias.name, alias.speaker, is_own=True) for key, alias in self._own.read().items()}
        seen = {**self._outside} | self._everybodys.read() | own
        return tuple(seen[key] for key in sorted(seen))

    def put(self, name: str, speaker: str) -> SpeakerAlias:
        """Let a name stand for a speaker. Raises NameInvalid, AliasesFull, WorkspaceRequired, OSError."""
        alias = SpeakerAlias(check_name(name), check_name(speaker))

        def added(kept: _Kept) -> _Kept:
            made = kept | {speaker_key(alias.name): alias}
            if len(made) > MOST_ALIASES:
                raise AliasesFull(MOST_ALIASES)
            return made

        self._change(added)
        return alias

    def remove(self, name: str) -> None:
        """Of the workspace's own; nothing where it is none of them. Raises WorkspaceRequired, OSError."""
        key = speaker_key(name)
        self._change(lambda kept: {other: alias for other, alias in kept.items() if other != key})

    def speaker_renamed(self, before: str, after: str) -> None:
        """Own names of that speaker stay its names. A disk that takes nothing keeps nobody from another name."""
        key = speaker_key(before)
        try:
            if any(speaker_key(alias.speaker) == key for alias in self._own.read().values()):
                self._change(lambda kept: {name: _follows(alias, key, after) for name, alias in kept.items()})
        except OSError as error:
            log.warning("names of programs do not know that a speaker has another name: %s", error)

    def _change(self, change: Callable[[_Kept], _Kept]) -> None:
        if self._own.workspace == NOBODY:
            raise WorkspaceRequired
        self._own.change(change)
