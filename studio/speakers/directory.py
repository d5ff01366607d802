"""SpeakerDirectory: lists the speaker files, and says which one stands for a name. It remembers nothing: the store does."""

import errno
import itertools
import logging
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from engines.clips.clip import Clip
from engines.durable import TEMP_PREFIX, StagedFile
from studio.speakers.file import SpeakerFileBad, header_bytes, read_speaker
from studio.speakers.metadata import MOST_AHEAD_SECONDS, file_name
from studio.speakers.speaker import Speaker
from studio.speakers.tensor import SpeakerTensor

__all__ = ["DirectoryScan", "SpeakerDirectory", "StoredSpeaker", "is_unchanged"]

# At a folder that changes while it is looked at, each of which takes its writer longer than a look; a network's stale listing stays torn.
MOST_LOOKS = 10
_NOT_THE_FILES_FAULT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)

log = logging.getLogger("studio.store")


@dataclass(frozen=True)
class StoredSpeaker:
    """A speaker and the file that holds it. signature: (inode, bytes, modified ns), which tells that the file is still the same."""

    speaker: Speaker
    path: Path
    signature: tuple[int, int, int]
    ours: bool


@dataclass(frozen=True)
class DirectoryScan:
    """What a look found. live: by key. losers: older files of a name that has a newer one. outdated: what a later edit of the same
    generation left behind, often under another name. bad: files that cannot be served, and why. state: the directory's that this look is
    good for, None where another one may find more."""

    live: Mapping[str, StoredSpeaker]
    losers: tuple[StoredSpeaker, ...]
    outdated: tuple[StoredSpeaker, ...]
    bad: tuple[tuple[Path, str], ...]
    state: tuple[int, ...] | None


def is_unchanged(stored: StoredSpeaker) -> bool:
    """Whether its file is still the one that was read."""
    try:
        return stored.signature == _signature(stored.path)
    except OSError:
        return False


class SpeakerDirectory:
    """Moves and removes nothing. read_source: what a speaker's clip and the prompt that stands for one are read by, given its file.

    clock: seconds since 1970.
    """

    def __init__(self, path: Path, read_source: Callable[[Speaker, Path], Clip | SpeakerTensor], clock: Callable[[], float] = time.time):
        self.path = path
        self._read_source = read_source
        self._clock = clock

    def is_ahead(self, speaker: Speaker) -> bool:
        """Whether its created_at is a wrong clock's, and says nothing about what came first."""
        return speaker.created_at > self._clock() + MOST_AHEAD_SECONDS

    def state(self) -> tuple[int, ...]:
        """(device, inode, modified ns): another one after every change, also by another disk in this place. Raises OSError."""
        status = os.stat(self.path)
        return status.st_dev, status.st_ino, status.st_mtime_ns

    def look(self, known: Iterable[StoredSpeaker], settled_seconds: float = 0.0, *, now_ns: int = 0) -> DirectoryScan:
        """Read what is new since `known`. Raises OSError where the directory itself cannot be read.

        settled_seconds: a bad file that is new to us and was written more recently is not called bad yet. now_ns: by the file system's
        clock; a directory that changed in this tick of it may change again unseen.
        """
        by_name = {stored.path.name: stored for stored in known}
        look, is_torn = self._look_once(by_name, settled_seconds, now_ns)
        for _ in range(MOST_LOOKS - 1):
            if not is_torn:
                break
            look, is_torn = self._look_once(by_name, settled_seconds, now_ns)
        return look

    def _look_once(self, by_name: Mapping[str, StoredSpeaker], settled_seconds: float, now_ns: int) -> tuple[DirectoryScan, bool]:
        """A look, and whether a file went after it was listed: the one that took its place may have come after that."""
        state = self.state()
        found: list[StoredSpeaker] = []
        bad: list[tuple[Path, str]] = []
        all_settled, is_torn = now_ns > state[-1], False
        for name in self._names():
            stored = by_name.get(name)
            if stored is not None and is_unchanged(stored):
                found.append(stored)
                continue
            path = self.path / name
            stored, reason = self._load(path)
            if stored is not None:
                found.append(stored)
            elif reason is None or (reason and _age_seconds(path) < (0.0 if name in by_name else settled_seconds)):
                all_settled = False
            elif reason:
                bad.append((path, reason))
            else:
                is_torn = True
        current, outdated = _latest_edits(found)
        rivals: dict[str, list[StoredSpeaker]] = {}
        for stored in current:
            rivals.setdefault(stored.speaker.key, []).append(stored)
        live = {key: max(files, key=self._age) for key, files in rivals.items()}
        live, copies = _one_name_per_generation(live)
        bad += [(stored.path, "its generation id belongs to another speaker") for stored in copies]
        losers = [file for key, files in rivals.items() if key in live for file in files if file is not live[key]]
        return DirectoryScan(live, tuple(losers), tuple(outdated), tuple(bad), state if all_settled else None), is_torn

    def _age(self, stored: StoredSpeaker) -> tuple[bool, int, str]:
        """Which of two files of a name is the newer."""
        return not self.is_ahead(stored.speaker), stored.speaker.created_at, stored.path.name

    def stored(self, speaker: Speaker, path: Path, *, ours: bool) -> StoredSpeaker:
        """A speaker together with the file that holds it; of a tensor, nothing but this file has a size. Raises OSError.

        An embedding stays in memory. A prompt may have megabytes, and is read when an engine learns it, as clips are.
        """
        signature = _signature(path)
        tensor = speaker.tensor
        if tensor is None:
            speaker = replace(speaker, read_clip=partial(self._read_source, speaker, path))
            return StoredSpeaker(speaker, path, signature, ours)
        if tensor.form:
            tensor = replace(tensor, read=lambda: self._read_values(speaker, path))
        return StoredSpeaker(replace(speaker, file_bytes=signature[1], tensor=tensor), path, signature, ours)

    def _read_values(self, speaker: Speaker, path: Path) -> np.ndarray:
        source = self._read_source(speaker, path)
        assert isinstance(source, SpeakerTensor)
        return source.read()

    def path_of(self, speaker: Speaker) -> Path:
        return self.path / file_name(speaker.name, speaker.consent, speaker.created_at)

    def free_path(self, speaker: Speaker, unless: Path | None = None) -> Path:
        """The speaker's path, or one that nobody has: a number takes the place of created_at, which its header still states.

        unless: a path that may be taken, since the speaker has it.
        """
        numbers = itertools.chain((speaker.created_at,), itertools.count(1))
        paths = (self.path / file_name(speaker.name, speaker.consent, number) for number in numbers)
        return next(path for path in paths if path == unless or not os.path.lexists(path))

    def free_time(self, speaker: Speaker, earliest: int) -> int:
        """A created_at whose path nobody has."""
        return next(at for at in itertools.count(earliest) if not os.path.lexists(self.path_of(replace(speaker, created_at=at))))

    def stage(self, speaker: Speaker, values: np.ndarray) -> tuple[StagedFile, int]:
        """The speaker's file under a temporary name, and its header's length. Raises OptionInvalid, OSError.

        values: of `header_bytes`.
        """
        header = header_bytes(speaker, values)
        plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        return StagedFile(self.path, [header, plain.data.cast("B")]), len(header)

    def _names(self) -> list[str]:
        with os.scandir(self.path) as entries:
            names = (entry.name for entry in entries)
            return sorted(name for name in names if name.endswith(".safetensors") and not name.startswith(TEMP_PREFIX))

    def _load(self, path: Path) -> tuple[StoredSpeaker | None, str | None]:
        """The speaker in a file. None and why where it cannot be served, "" for a file that is gone, None where another look may tell."""
        try:
            file = read_speaker(path)
            return self.stored(file.speaker, path, ours=file.ours), ""
        except OSError as error:
            if error.errno in _NOT_THE_FILES_FAULT:
                log.warning("%s was not read: %s", path.name, error.strerror)
                return None, None
            return None, (error.strerror or "it cannot be read") if os.path.lexists(path) else ""
        except MemoryError:
            log.warning("%s was not read: there is no memory for it", path.name)
            return None, None
        except SpeakerFileBad as error:
            return None, str(error)
        except Exception as error:  # one bad file must never keep the others from being served
            log.exception("reading %s", path.name)
            return None, f"it cannot be read: {type(error).__name__}"


def _one_name_per_generation(live: dict[str, StoredSpeaker]) -> tuple[dict[str, StoredSpeaker], list[StoredSpeaker]]:
    """(what stays live, what cannot). Prompts are kept by generation id: two names with one (a file that was edited) would share them."""
    owners: dict[str, str] = {}
    for key, stored in live.items():
        owners.setdefault(stored.speaker.generation_id, key)
    mine = {key: stored for key, stored in live.items() if owners[stored.speaker.generation_id] == key}
    return mine, [stored for key, stored in live.items() if key not in mine]


def _latest_edits(found: list[StoredSpeaker]) -> tuple[list[StoredSpeaker], list[StoredSpeaker]]:
    """(the files to go by, those that an edit wrote anew and a sudden end kept from being removed): one recording, one generation."""
    latest: dict[tuple[str, str | None], int] = {}
    for stored in found:
        edited = (stored.speaker.generation_id, stored.speaker.clip_digest)
        latest[edited] = max(stored.speaker.revision, latest.get(edited, 0))
    outdated = [stored for stored in found if stored.speaker.revision < latest[stored.speaker.generation_id, stored.speaker.clip_digest]]
    return [stored for stored in found if stored not in outdated], outdated


def _signature(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _age_seconds(path: Path) -> float:
    """Since the file was last written; infinite where that cannot be known."""
    try:
        return time.time() - os.lstat(path).st_mtime
    except OSError:
        return math.inf
