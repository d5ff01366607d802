"""KeptConsents: the recorded consents of a workspace, on disk. ConsentsFolder: what those of all workspaces share.

Each is one file, which is whole or absent, killed at any moment. Changes are made under a lock of the folder. A damaged file is set aside
and is there no more.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Container
from dataclasses import replace
from pathlib import Path

import soxr

from engines.clips.clip import Clip
from engines.durable import locked_directory, put_file, remove_file, remove_leftovers, sync_directory
from engines.errors import OptionInvalid
from engines.text.characters import unwritable_character
from studio.audio.encode import encode
from studio.consents.consent_file import (
    SUFFIX,
    ConsentFileBad,
    RecordedConsent,
    WordsCheck,
    file_bytes,
    is_consent_id,
    new_consent_id,
    read_stored,
)
from studio.errors import ConsentsFull, ConsentUnknown, WorkspaceRequired
from studio.settings import Settings
from studio.storage.quarantine import Quarantine
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["MOST_NAME_CHARACTERS", "ConsentsFolder", "KeptConsents"]

MOST_NAME_CHARACTERS = 200
MOST_HEARD_CHARACTERS = 2_000
MOST_RATE_HZ = 48_000  # so that half a minute takes 3 MB at most

log = logging.getLogger("studio.store")


class ConsentsFolder:
    """Of all workspaces. Thread-safe.

    directory: made when the first is kept. settings: there may be as many as speakers, of a visitor and of all.
    in_use(): ids on which voices rest, which outlive their time. clock: seconds since 1970.
    """

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        *,
        in_use: Callable[[], Container[str]] = tuple,
        clock: Callable[[], float] = time.time,
    ):
        self.directory = directory
        self.limits = (settings.most_workspace_speakers, settings.most_speakers)
        self._in_use = in_use
        self.clock = clock
        self.quarantine = Quarantine(directory / "quarantine")
        if directory.is_dir():
            remove_leftovers(directory)

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete those of which is_old(workspace, seconds since 1970 when it was made) says so, but none on which a voice rests."""
        for path in self.directory.glob(f"*{SUFFIX}"):
            try:
                self._forget_where(path, is_old)
            except (ConsentFileBad, OSError) as error:
                log.warning("%s stays until the next look: %s", path.name, error)

    def _forget_where(self, path: Path, is_old: Callable[[str, float], bool]) -> None:
        with locked_directory(self.directory):
            consent, _ = read_stored(path, with_sound=False)
            if is_old(consent.workspace, consent.created_at) and consent.id not in self._in_use():
                remove_file(path)


class KeptConsents:
    """Thread-safe. They are seen by nobody else; NOBODY has none."""

    def __init__(self, folder: ConsentsFolder, workspace: str = EVERYBODY):
        self.directory = folder.directory
        self._folder = folder
        self._workspace = workspace
        self._prefix = hashlib.sha256(workspace.encode()).hexdigest()[:32]  # whose name may be no name of a file

    # --- reading

    def all(self) -> tuple[RecordedConsent, ...]:
        """The newest first. Raises OSError."""
        found = [stored[0] for path in self._files() if (stored := self._read(path))]
        return tuple(sorted(found, key=lambda consent: consent.id, reverse=True))

    def get(self, consent_id: str) -> RecordedConsent:
        """Raises ConsentUnknown, OSError."""
        return self._found(consent_id)[0]

    def recording(self, consent_id: str) -> bytes:
        """As WAV, 16 bits, at its own rate. Raises ConsentUnknown, OSError."""
        return self._found(consent_id, with_sound=True)[1]

    # --- writing

    def check(self, name: str) -> str:
        """The name as it is kept. Raises OptionInvalid, WorkspaceRequired."""
        if self._workspace == NOBODY:
            raise WorkspaceRequired
        return _checked_name(name)

    def add(self, name: str, language: str, clip: Clip, words: WordsCheck) -> RecordedConsent:
        """Raises OptionInvalid, ConsentsFull, WorkspaceRequired, OSError."""
        name, now = self.check(name), self._folder.clock()
        words = replace(words, heard=words.heard[:MOST_HEARD_CHARACTERS])
        identity = (new_consent_id(int(now * 1000)), self._workspace, int(now))
        consent = RecordedConsent(*identity, name, language, round(clip.seconds, 3), words)
        rate = min(clip.sample_rate, MOST_RATE_HZ)
        wav = encode(soxr.resample(clip.samples, clip.sample_rate, rate), rate, "wav")
        self.directory.mkdir(parents=True, exist_ok=True)
        with locked_directory(self.directory):
            self._check_room()
            self._put(consent, wav)
        return consent

    def rename(self, consent_id: str, name: str) -> RecordedConsent:
        """Raises OptionInvalid, ConsentUnknown, OSError."""
        name = _checked_name(name)
        self.get(consent_id)  # before a lock, which wants a folder
        with locked_directory(self.directory):
            consent, wav = self._found(consent_id, with_sound=True)
            self._put(renamed := replace(consent, name=name), wav)
        return renamed

    def delete(self, consent_id: str) -> RecordedConsent:
        """Raises ConsentUnknown, OSError."""
        self.get(consent_id)
        with locked_directory(self.directory):
            consent = self.get(consent_id)
            remove_file(self._path(consent_id))
            sync_directory(self.directory)
        return consent

    # --- private

    def _files(self) -> list[Path]:
        return [] if self._workspace == NOBODY else list(self.directory.glob(f"{self._prefix}-*{SUFFIX}"))

    def _path(self, consent_id: str) -> Path:
        return self.directory / f"{self._prefix}-{consent_id}{SUFFIX}"

    def _found(self, consent_id: str, *, with_sound: bool = False) -> tuple[RecordedConsent, bytes]:
        is_named = is_consent_id(consent_id) and self._workspace != NOBODY
        found = self._read(self._path(consent_id), with_sound=with_sound) if is_named else None
        if found is None:
            raise ConsentUnknown(consent_id)
        return found

    def _read(self, path: Path, *, with_sound: bool = False) -> tuple[RecordedConsent, bytes] | None:
        """None where there is none, or none that is whole."""
        try:
            consent, wav = read_stored(path, with_sound=with_sound)
            if consent.workspace != self._workspace or path != self._path(consent.id):
                raise ConsentFileBad("it is another's")
        except FileNotFoundError:
            return None
        except ConsentFileBad as error:
            self._folder.quarantine.take(path, str(error))
            return None
        return consent, wav

    def _check_room(self) -> None:
        most, most_of_all = self._folder.limits
        if self._workspace != EVERYBODY and len(self._files()) >= most:
            raise ConsentsFull(most)
        if sum(1 for _ in self.directory.glob(f"*{SUFFIX}")) >= most_of_all:
            raise ConsentsFull(most_of_all)

    def _put(self, consent: RecordedConsent, wav: bytes) -> None:
        put_file(self._path(consent.id), [file_bytes(consent, wav)])
        sync_directory(self.directory)


def _checked_name(name: str) -> str:
    """Raises OptionInvalid."""
    kept = " ".join(name.split())
    if not 1 <= len(kept) <= MOST_NAME_CHARACTERS:
        raise OptionInvalid("name", sentence="consent_name", n=len(kept), most=MOST_NAME_CHARACTERS)
    if hidden := unwritable_character(kept):
        raise OptionInvalid("name", sentence="option_with_hidden_character", character=hidden)
    return kept
