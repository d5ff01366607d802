"""SpeakerStore: the only code that reads or writes speakers and prompts on disk.

A speaker is one file, so a rename creates or replaces it and an unlink deletes it: killed at any moment, the directory holds the old
speaker or the new one. When both are there (killed between rename and unlink) the newest created_at wins.

Two processes on one directory: changes are made under a lock of the directory, after looking at what others changed, so names, cap and
created_at hold for all. What another process added is found by `get` on a miss; what it replaced or removed, by `rescan` and by the next
change made here; until then its clip is missing rather than another speaker's. vLLM-Omni takes no lock: its uploads are found the same way.
"""

import difflib
import logging
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from engines.clip import Clip
from engines.errors import PromptInvalid
from engines.prompt import SpeakerPrompt
from studio.errors import ClipMissing, NameTaken, SpeakerExists, SpeakerLimitReached, SpeakerUnknown, WorkspaceFull
from studio.prompt_key import PromptKey
from studio.speakers.directory import SpeakerDirectory, StoredSpeaker
from studio.speakers.edit import SpeakerEdit
from studio.speakers.enrolment import enrolled
from studio.speakers.file import SpeakerFileBad, header_bytes, read_clip, read_speaker
from studio.speakers.live_generations import LiveGenerations
from studio.speakers.speaker import Generation, Recording, Speaker, speaker_key
from studio.storage.durable import StagedFile, locked_directory, remove_file, remove_leftovers, sync_directory
from studio.storage.prompt_files import PromptFile, PromptFiles
from studio.storage.quarantine import Quarantine
from studio.workspace import EVERYBODY

__all__ = ["SpeakerStore"]

RESCAN_SECONDS = 1.0
SETTLED_SECONDS = 5.0  # a bad file younger than this may be one that vLLM-Omni is still writing

log = logging.getLogger("studio.store")


class SpeakerStore:
    """Speakers by workspace and name, and the prompts extracted from them. Thread-safe; readers never wait for the disk work of writers.

    directory: created if missing. reserved: names of built-in speakers. clock: seconds since 1970. live_generations: where every change
    is published; tells of generations that another process replaced or removed, not of those that `add` and `remove` return.
    quarantined: (file name, reason) of what could not be trusted.
    """

    def __init__(
        self,
        directory: Path,
        *,
        most_speakers: int = 1000,
        policy: Literal["overwrite", "immutable"] = "overwrite",
        reserved: Collection[str] = (),
        clock: Callable[[], float] = time.time,
        live_generations: LiveGenerations | None = None,
    ):
        if policy not in ("overwrite", "immutable"):
            raise ValueError(f"policy is 'overwrite' or 'immutable', not {policy!r}")
        self.directory = Path(directory)
        self._most_speakers = most_speakers
        self._policy = policy
        self.reserved = frozenset(map(speaker_key, reserved))
        self._clock = clock
        self.live_generations = LiveGenerations() if live_generations is None else live_generations
        self._lock = threading.Lock()  # taken before the directory's lock
        self._live: dict[str, StoredSpeaker] = {}  # replaced, never changed: readers take no lock
        self._superseded: dict[str, StoredSpeaker] = {}  # by file name: old files that could not be removed
        self._gone: list[Generation] = []
        self._last_created_at: Counter[str] = Counter()  # by workspace
        self._looked_at = -math.inf
        self._seen_modified_ns: int | None = None
        self.directory.mkdir(parents=True, exist_ok=True)
        self._quarantine = Quarantine(self.directory / "quarantine")
        self._files = SpeakerDirectory(self.directory, self._quarantine, self._read_clip)
        self._prompts = PromptFiles(self.directory / "prompts")
        with self._exclusively():
            remove_leftovers(self.directory)
            self._scan(settled_seconds=0.0)
            self._prompts.remove_orphans({stored.speaker.generation_id for stored in self._live.values()})

    @property
    def quarantined(self) -> tuple[tuple[str, str], ...]:
        return self._quarantine.entries

    # --- speakers

    def add(self, recording: Recording, most: int | None = None) -> tuple[Speaker, Speaker | None]:
        """Store a speaker: (the new one, the one of the same name that it replaced). most: speakers that its workspace may have.

        Everything is checked, and all of the new file is on disk, before anything changes. Raises what `enrolled` does, OptionInvalid
        (words too long), SpeakerExists, SpeakerLimitReached, WorkspaceFull, OSError.
        """
        speaker, values = enrolled(recording, self.reserved, max(int(self._clock()), self._last_created_at[recording.workspace] + 1))
        self._check_room(speaker, most)
        staged, header_bytes_long = self._files.stage(speaker, values)
        try:
            with self._exclusively():
                self._scan()
                self._check_room(speaker, most)
                earliest = max(speaker.created_at, self._last_created_at[speaker.workspace] + 1)
                stamped = replace(speaker, created_at=self._files.free_time(speaker, earliest))
                if stamped.created_at != speaker.created_at:  # somebody else took this second meanwhile
                    staged.overwrite_start(header_bytes(stamped, len(values), room=header_bytes_long))
                return self._publish(staged, stamped)
        finally:
            staged.discard()

    def get(self, name: str, workspaces: Iterable[str] = (EVERYBODY,)) -> Speaker:
        """The speaker of that name in any spelling, of the first workspace that has one. Raises SpeakerUnknown, naming the nearest."""
        keys = [speaker_key(name, workspace) for workspace in workspaces]
        stored = next(filter(None, map(self._live.get, keys)), None)
        if stored is None and abs(self._clock() - self._looked_at) >= RESCAN_SECONDS:
            self._looked_at = self._clock()
            self.rescan()
            stored = next(filter(None, map(self._live.get, keys)), None)
        if stored is None:
            raise self._unknown(name, workspaces)
        return stored.speaker

    def speakers(self) -> tuple[Speaker, ...]:
        """All speakers of all workspaces, sorted by key."""
        return tuple(stored.speaker for _, stored in sorted(self._live.items()))

    def edit(self, name: str, edit: SpeakerEdit, workspace: str = EVERYBODY) -> tuple[Speaker, Speaker]:
        """Say other things about a speaker: (as it is now, as it was). Its generation, recording and prompts stay what they are.

        The new file is whole on disk before the old one goes. Raises SpeakerUnknown, NameInvalid, NameReserved, NameTaken, OptionInvalid
        (words too long), ClipMissing, OSError.
        """
        with self._exclusively():
            self._scan()
            old = self._live.get(speaker_key(name, workspace))
            if old is None:
                raise self._unknown(name, [workspace])
            speaker = edit.of(old.speaker, self.reserved)
            if speaker is old.speaker:
                return speaker, speaker
            if speaker.key != old.speaker.key and speaker.key in self._live:
                raise NameTaken(self._live[speaker.key].speaker.name)
            return self._rewrite(old, speaker), old.speaker

    def remove(self, name: str, workspace: str = EVERYBODY, *, into: Path | None = None) -> Speaker:
        """Delete a speaker and its prompts from disk. Raises SpeakerUnknown, OSError.

        into: a folder of the same disk that takes the file as `<generation id>.safetensors`, for `put_back`, instead.
        """
        key = speaker_key(name, workspace)
        known = self._live.get(key)
        with self._exclusively():
            self._scan()
            stored = self._live.get(key) or known
            if stored is None:
                raise self._unknown(name, [workspace])
            for old in [old for old in self._superseded.values() if _may_return_as(old.speaker, stored.speaker)]:
                remove_file(old.path)  # first: an older file that outlives the newest would come back at the next start
                del self._superseded[old.path.name]
            if into is None:
                remove_file(stored.path)
            else:
                os.rename(stored.path, into / f"{stored.speaker.generation_id}.safetensors")
            self._take_over({other: kept for other, kept in self._live.items() if other != key})
            self._gone = [generation for generation in self._gone if generation != stored.speaker.generation]
            try:
                sync_directory(self.directory)
            finally:
                self._drop_prompts(stored.speaker)
        return stored.speaker

    def put_back(self, path: Path, most: int | None = None) -> Speaker:
        """A speaker that `remove` put into a folder, as it was, without its prompts. most: as `add` has it. Raises NameTaken,
        SpeakerLimitReached, WorkspaceFull, OSError."""
        speaker = read_speaker(path).speaker
        with self._exclusively():
            self._scan()
            if speaker.key in self._live:
                raise NameTaken(self._live[speaker.key].speaker.name)
            self._check_room(speaker, most)
            os.rename(path, self._files.free_path(speaker))
            sync_directory(self.directory)
            self._scan(settled_seconds=0.0)
            return self._live[speaker.key].speaker

    def rescan(self) -> None:
        """Take over what other processes added, replaced or removed. One stat call where nothing changed. Raises OSError."""
        if self._files.modified_ns() != self._seen_modified_ns:
            with self._exclusively():
                self._scan()

    # --- prompts

    def read_prompt(self, generation: Generation, key: PromptKey) -> SpeakerPrompt | None:
        """What an engine learned from that generation, or None. A damaged file is quarantined and counts as absent."""
        if generation not in self.live_generations:
            return None
        try:
            return self._prompts.read(generation.id, key)
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("a prompt of %s could not be read: %s", key.engine, error.strerror)
            return None
        except PromptInvalid:
            with self._exclusively():
                return self._prompt_or_quarantine(generation, key)

    def write_prompt(self, generation: Generation, key: PromptKey, prompt: SpeakerPrompt) -> bool:
        """Keep a prompt beside its speaker; False, with nothing on disk, where that generation is not live (any more).

        Raises PromptInvalid where the prompt is not what the key says, OSError.
        """
        if generation not in self.live_generations:
            return False
        staged = self._prompts.stage(key, prompt)
        try:
            with self._exclusively():
                if not (generation in self.live_generations and self._live[generation.key].path.exists()):
                    return False
                self._prompts.publish(staged, generation.id, key)
        finally:
            staged.discard()
        self._prompts.sync(generation.id)
        return True

    def prompts(self, generation: Generation) -> list[tuple[PromptKey, SpeakerPrompt]]:
        """All that is on disk and whole. Raises OSError."""
        return self._prompts.read_all(generation.id)

    def remove_prompts(self, generation: Generation, engine: str | None = None) -> None:
        """Remove that generation's prompts, of one engine or of all. Raises OSError."""
        with self._exclusively():
            self._prompts.remove(generation.id, engine)

    def prompt_files(self, generation: Generation) -> tuple[PromptFile, ...]:
        """What is on disk of that generation's prompts."""
        return self._prompts.files(generation.id)

    # --- private: adding and editing

    def _check_room(self, speaker: Speaker, most: int | None = None) -> None:
        if speaker.key in self._live:
            if self._policy == "immutable":
                raise SpeakerExists(speaker.name)
            return
        if len(self._live) >= self._most_speakers:
            raise SpeakerLimitReached(self._most_speakers)
        if most is not None and sum(stored.speaker.workspace == speaker.workspace for stored in self._live.values()) >= most:
            raise WorkspaceFull(most)

    def _publish(self, staged: StagedFile, speaker: Speaker) -> tuple[Speaker, Speaker | None]:
        """Rename, then swap the registry, then remove what was replaced. Called exclusively."""
        path = self._files.path_of(speaker)
        staged.publish(path)
        try:
            sync_directory(self.directory)
        except OSError:
            with suppress(OSError):
                os.unlink(path)  # not known to be safe: the old speaker stays
            raise
        stored = self._files.stored(speaker, path, ours=True)
        old = self._live.get(speaker.key)
        self._take_over({**self._live, speaker.key: stored})
        self._last_created_at[speaker.workspace] = speaker.created_at
        if old is not None:
            self._supersede(old)
        return stored.speaker, old.speaker if old else None

    def _rewrite(self, old: StoredSpeaker, speaker: Speaker) -> Speaker:
        """Write a speaker anew, in place where its name stays. Called exclusively."""
        path = self._files.free_path(speaker, unless=old.path)
        try:
            values = speaker.embedding if speaker.embedding is not None else read_clip(old.path, speaker.clip_digest).samples
        except (OSError, SpeakerFileBad) as error:
            raise ClipMissing(old.speaker.name) from error
        staged, _ = self._files.stage(speaker, values)
        try:
            staged.publish(path)
            sync_directory(self.directory)  # before the old name goes
        finally:
            staged.discard()
        stored = self._files.stored(speaker, path, ours=True)
        self._take_over({key: kept for key, kept in self._live.items() if key != old.speaker.key} | {speaker.key: stored})
        if path != old.path:
            self._supersede(old)
        return stored.speaker

    # --- private: scanning and removing

    def _scan(self, settled_seconds: float = SETTLED_SECONDS) -> None:
        """Make the registry say what the directory says. Called exclusively."""
        look = self._files.look([*self._live.values(), *self._superseded.values()], settled_seconds)
        before = self._live
        self._take_over(dict(look.live))
        for speaker in (stored.speaker for stored in look.live.values()):
            self._last_created_at |= Counter({speaker.workspace: speaker.created_at})  # the later of the two
        self._superseded = {}
        for old in look.outdated:
            self._supersede(old)
        for old in look.losers:
            new = self._live[old.speaker.key].speaker
            if old.ours or old.speaker.name.lower() == new.name.lower():
                self._supersede(old)
            else:  # two voices for vLLM-Omni, which made it and folds case only; one for us. Nobody asked for its deletion.
                self._quarantine.take(old.path, f"the speaker {new.name!r} has the same name and is newer")
        for stored in before.values():
            if stored.speaker.generation not in self.live_generations:
                self._gone.append(stored.speaker.generation)
                self._drop_prompts(stored.speaker)
        self._seen_modified_ns = look.modified_ns

    def _take_over(self, live: dict[str, StoredSpeaker]) -> None:
        """Make this the registry. Published first: nobody may keep a prompt for a speaker that can no longer be found."""
        self.live_generations.publish({key: stored.speaker.generation_id for key, stored in live.items()})
        self._live = live

    def _supersede(self, old: StoredSpeaker) -> None:
        """Remove the file and prompts of a speaker that has been replaced. Where the file cannot be removed, `remove` tries again."""
        try:
            remove_file(old.path)
        except OSError as error:
            log.warning("%s, which is superseded, could not be removed: %s", old.path.name, error.strerror)
            self._superseded[old.path.name] = old
        self._drop_prompts(old.speaker)

    def _drop_prompts(self, speaker: Speaker) -> None:
        if self.live_generations.holds(speaker.generation_id):  # a copy of its file was removed, or its older name
            return
        try:
            self._prompts.remove(speaker.generation_id)
        except OSError as error:
            log.warning("prompts of a removed speaker stay until the next start: %s", error.strerror)

    # --- private: reading

    def _read_clip(self, speaker: Speaker, path: Path) -> Clip:
        """That generation's clip. Raises ClipMissing; what is damaged is quarantined."""
        try:
            return read_clip(path, speaker.clip_digest)
        except OSError as error:
            renamed = [stored for stored in self._live.values() if stored.speaker.generation_id == speaker.generation_id]
            if renamed and renamed[0].path != path:
                return self._read_clip(renamed[0].speaker, renamed[0].path)
            raise ClipMissing(speaker.name) from error
        except SpeakerFileBad as error:
            with self._exclusively():
                self._quarantine_damaged(speaker, path)
            raise ClipMissing(speaker.name) from error

    def _quarantine_damaged(self, speaker: Speaker, path: Path) -> None:
        """Looks again: meanwhile the file may have been replaced by a good one."""
        self._scan()
        if speaker.generation not in self.live_generations or self._live[speaker.key].path != path:
            return
        try:
            read_clip(path, speaker.clip_digest)
        except OSError:
            return
        except SpeakerFileBad as error:
            self._quarantine.take(path, str(error))
            self._scan()

    def _prompt_or_quarantine(self, generation: Generation, key: PromptKey) -> SpeakerPrompt | None:
        """Looks again: meanwhile the file may have been replaced by a good one. Called exclusively."""
        try:
            return self._prompts.read(generation.id, key)
        except OSError:
            return None
        except PromptInvalid as error:
            self._quarantine.take(self._prompts.path(generation.id, key), error.fact)
            return None

    def _unknown(self, name: str, workspaces: Iterable[str]) -> SpeakerUnknown:
        names = {speaker_key(speaker.name): speaker.name for speaker in self.speakers() if speaker.workspace in workspaces}
        near = difflib.get_close_matches(speaker_key(name)[:255], names, n=3)
        return SpeakerUnknown(name, tuple(names[key] for key in near))

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        """Hold registry and directory; afterwards tell of generations that a scan found gone."""
        try:
            with self._lock, locked_directory(self.directory):
                yield
        finally:
            with self._lock:
                gone, self._gone = self._gone, []
            for generation in gone:
                self.live_generations.tell_gone(generation)


def _may_return_as(old: Speaker, speaker: Speaker) -> bool:
    """Whether an older file, were it found alone, would bring the speaker back."""
    return old.key == speaker.key or old.generation_id == speaker.generation_id
