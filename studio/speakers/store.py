"""SpeakerStore: the only code that reads or writes speakers and prompts on disk.

A speaker is one file, so a rename creates or replaces it and an unlink deletes it: killed at any moment, the directory holds the old
speaker or the new one. When both are there (killed between rename and unlink) the newest created_at wins.

Two processes on one directory: changes are made under a lock of the directory, after looking at what others changed, so names, cap and
created_at hold for all. Whoever asks for a name is answered as the directory is at that moment (registry.py): what another process added
is there, what it replaced or removed is not, and nobody waits for a writer. vLLM-Omni takes no lock: its changes are found the same way.
"""

import difflib
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.contract.prompt import SpeakerPrompt
from engines.durable import StagedFile, remove_file, remove_leftovers, replace_file, sync_directory
from engines.errors import PromptInvalid
from studio.errors import ClipMissing, NameTaken, SpeakerExists, SpeakerLimitReached, SpeakerUnknown, WorkspaceFull
from studio.prompt_key import PromptKey
from studio.speakers.directory import SpeakerDirectory, StoredSpeaker
from studio.speakers.edit import SpeakerEdit, WordsFound
from studio.speakers.enrollment import enrolled
from studio.speakers.file import SpeakerFileBad, header_bytes, read_source, read_speaker
from studio.speakers.registry import LiveGenerations, Registry
from studio.speakers.speaker import Enrollment, Generation, Speaker, key_within, preset_of, speaker_key
from studio.speakers.tensor import SpeakerTensor
from studio.storage.prompt_files import PromptFile, PromptFiles
from studio.storage.quarantine import Quarantine
from studio.workspace import EVALUATIONS, EVERYBODY

__all__ = ["SpeakerStore"]

log = logging.getLogger("studio.store")


class SpeakerStore:
    """Speakers by workspace and name, and the prompts extracted from them. Thread-safe; readers never wait for the disk work of writers.

    directory: created if missing. engines: those on offer, asked anew each time. clock: seconds since 1970.
    live_generations: where every change is published; tells of generations that another process replaced or removed, not of those that
    `add` and `remove` return.
    quarantined: (file name, reason) of what could not be trusted.
    """

    def __init__(
        self,
        directory: Path,
        *,
        most_speakers: int = 1000,
        policy: Literal["overwrite", "immutable"] = "overwrite",
        engines: Callable[[], Iterable[EngineInfo]] = tuple,
        clock: Callable[[], float] = time.time,
        live_generations: LiveGenerations | None = None,
    ):
        if policy not in ("overwrite", "immutable"):
            raise ValueError(f"policy is 'overwrite' or 'immutable', not {policy!r}")
        self.directory = Path(directory)
        self._most_speakers = most_speakers
        self._policy = policy
        self._engines = engines
        self._clock = clock
        self.live_generations = LiveGenerations() if live_generations is None else live_generations
        self.directory.mkdir(parents=True, exist_ok=True)
        self._quarantine = Quarantine(self.directory / "quarantine")
        self._files = SpeakerDirectory(self.directory, self._read_source, clock)
        self._prompts = PromptFiles(self.directory / "prompts")
        self._registry = Registry(self._files, self._prompts, self._quarantine, self.live_generations)
        with self._registry.exclusively():
            remove_leftovers(self.directory)
            self._registry.scan(settled_seconds=0.0)
            self._prompts.remove_orphans({stored.speaker.generation_id for stored in self._registry.live.values()})

    def is_reserved(self, key: str) -> bool:
        """Whether a name of that key means a built-in speaker, or a blend of some: nobody can store it, and a file that is called so is
        shadowed."""
        return any(preset_of(key, info, key) is not None for info in self._engines())

    @property
    def quarantined(self) -> tuple[tuple[str, str], ...]:
        return self._quarantine.entries

    # --- speakers

    def add(self, recording: Enrollment, most: int | None = None) -> tuple[Speaker, Speaker | None]:
        """Store a speaker: (the new one, the one of the same name that it replaced). most: speakers that its workspace may have.

        Everything is checked, and all of the new file is on disk, before anything changes. Raises what `enrolled` does, OptionInvalid
        (words too long), SpeakerExists, SpeakerLimitReached, WorkspaceFull, OSError.
        """
        now = max(int(self._clock()), self._registry.last_created_at[recording.workspace] + 1)
        speaker, values = enrolled(recording, self.is_reserved, now)
        self._check_room(speaker, most)
        staged, header_bytes_long = self._files.stage(speaker, values)
        try:
            with self._registry.exclusively():
                self._registry.scan()
                self._check_room(speaker, most)
                earliest = max(now, self._registry.last_created_at[speaker.workspace] + 1)
                stamped = replace(speaker, created_at=self._files.free_time(speaker, earliest))
                if stamped.created_at != speaker.created_at:  # somebody else took this second meanwhile
                    staged.overwrite_start(header_bytes(stamped, values, room=header_bytes_long))
                return self._publish(staged, stamped)
        finally:
            staged.discard()

    def get(self, name: str, workspaces: Iterable[str] = (EVERYBODY,)) -> Speaker:
        """The speaker of that name in any spelling, of the first workspace that has one. Raises SpeakerUnknown, naming the nearest, and
        SpeakersUnreachable."""
        speaker = self.find(name, workspaces)
        if speaker is None:
            raise self._unknown(name, workspaces)
        return speaker

    def find(self, name: str, workspaces: Iterable[str] = (EVERYBODY,), *, as_known: bool = False) -> Speaker | None:
        """The same, None where there is none. as_known: as of the last look, whatever happened since. Raises SpeakersUnreachable."""
        return self.find_keyed(speaker_key(name), workspaces, as_known=as_known)

    def find_keyed(self, key: str, workspaces: Iterable[str] = (EVERYBODY,), *, as_known: bool = False) -> Speaker | None:
        """The same, by the name's key (speaker_key), for whoever has it already."""
        keys = [key_within(key, workspace) for workspace in workspaces]
        stored = next(filter(None, map(self._registry.live.get, keys)), None) if as_known else self._registry.find(keys)
        return stored.speaker if stored is not None else None

    def speakers(self) -> tuple[Speaker, ...]:
        """All speakers of all workspaces, sorted by key. Raises SpeakersUnreachable."""
        return tuple(stored.speaker for _, stored in sorted(self._registry.current().items()))

    def consents(self) -> frozenset[str]:
        """Those that were given for speakers, of all workspaces. Raises SpeakersUnreachable."""
        return frozenset(speaker.consent for speaker in self.speakers())

    def edit(self, name: str, edit: SpeakerEdit | WordsFound, workspace: str = EVERYBODY) -> tuple[Speaker, Speaker]:
        """Say other things about a speaker: (as it is now, as it was). Its generation, recording and prompts stay what they are.

        The new file is whole on disk before the old one goes. Raises SpeakerUnknown, NameInvalid, NameReserved, NameTaken, OptionInvalid
        (words too long), ClipMissing, OSError.
        """
        with self._registry.exclusively():
            self._registry.scan()
            old = self._registry.live.get(speaker_key(name, workspace))
            if old is None:
                raise self._unknown(name, [workspace])
            speaker = edit.of(old.speaker, self.is_reserved)
            if speaker is old.speaker:
                return speaker, speaker
            if speaker.key != old.speaker.key and speaker.key in self._registry.live:
                raise NameTaken(self._registry.live[speaker.key].speaker.name)
            return self._rewrite(old, speaker), old.speaker

    def remove(self, name: str, workspace: str = EVERYBODY, *, into: Path | None = None) -> Speaker:
        """Delete a speaker and its prompts from disk. Raises SpeakerUnknown, OSError.

        into: a folder of the same disk that takes the file as `<generation id>.safetensors`, for `put_back`, instead.
        """
        key = speaker_key(name, workspace)
        known = self._registry.live.get(key)
        with self._registry.exclusively():
            self._registry.scan()
            stored = self._registry.live.get(key) or known
            if stored is None:
                raise self._unknown(name, [workspace])
            self._registry.remove_superseded(stored.speaker)  # first
            if into is None:
                remove_file(stored.path)
            else:
                replace_file(stored.path, into / f"{stored.speaker.generation_id}.safetensors")
            self._registry.take_out(stored.speaker)
            try:
                sync_directory(self.directory)
            finally:
                self._registry.drop_prompts(stored.speaker)
        return stored.speaker

    def put_back(self, path: Path, most: int | None = None) -> Speaker:
        """A speaker that `remove` put into a folder, as it was, without its prompts. most: as `add` has it. Raises NameTaken,
        SpeakerLimitReached, WorkspaceFull, OSError."""
        speaker = read_speaker(path).speaker
        with self._registry.exclusively():
            self._registry.scan()
            if speaker.key in self._registry.live:
                raise NameTaken(self._registry.live[speaker.key].speaker.name)
            self._check_room(speaker, most)
            replace_file(path, self._files.free_path(speaker))
            sync_directory(self.directory)
            self._registry.scan(settled_seconds=0.0)
            return self._registry.live[speaker.key].speaker

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
            with self._registry.exclusively():
                return self._prompt_or_quarantine(generation, key)

    def write_prompt(self, generation: Generation, key: PromptKey, prompt: SpeakerPrompt) -> bool:
        """Keep a prompt beside its speaker, in place of one that other words shaped.

        Returns False, with nothing on disk, where that generation is not live (any more), or has other words (by now).
        Raises PromptInvalid where the prompt is not what the key says, OSError.
        """
        if not self._takes(generation, key):
            return False
        staged = self._prompts.stage(key, prompt)
        try:
            with self._registry.exclusively():
                if not (self._takes(generation, key) and self._registry.live[generation.key].path.exists()):
                    return False
                self._prompts.publish(staged, generation.id, key)
                if key.is_of(self._registry.live[generation.key].speaker.transcript):
                    self._prompts.remove_of_other_words(generation.id, key)
        finally:
            staged.discard()
        self._prompts.sync(generation.id)
        return True

    def prompts(self, generation: Generation) -> list[tuple[PromptKey, SpeakerPrompt]]:
        """All that is on disk and whole. Raises OSError."""
        return self._prompts.read_all(generation.id)

    def remove_prompts(self, generation: Generation, engine: str | None = None) -> None:
        """Remove that generation's prompts, of one engine or of all. Raises OSError."""
        with self._registry.exclusively():
            self._prompts.remove(generation.id, engine)

    def prompt_files(self, generation: Generation) -> tuple[PromptFile, ...]:
        """What is on disk of that generation's prompts."""
        return self._prompts.files(generation.id)

    # --- private: adding and editing

    def _check_room(self, speaker: Speaker, most: int | None = None) -> None:
        if speaker.key in self._registry.live:
            if self._policy == "immutable":
                raise SpeakerExists(speaker.name)
            return
        if speaker.workspace.startswith(EVALUATIONS):  # a copy of a voice, for a while, which is nobody's to count
            return
        if sum(not stored.speaker.workspace.startswith(EVALUATIONS) for stored in self._registry.live.values()) >= self._most_speakers:
            raise SpeakerLimitReached(self._most_speakers)
        if most is not None and sum(stored.speaker.workspace == speaker.workspace for stored in self._registry.live.values()) >= most:
            raise WorkspaceFull(most)

    def _takes(self, generation: Generation, key: PromptKey) -> bool:
        """Whether that generation is live, and no words but those that it has shaped the prompt."""
        stored = self._registry.live.get(generation.key) if generation in self.live_generations else None
        return stored is not None and key.suits(stored.speaker.transcript)

    def _publish(self, staged: StagedFile, speaker: Speaker) -> tuple[Speaker, Speaker | None]:
        """Rename, then swap the registry, then remove what was replaced. Called exclusively."""
        path = self._files.path_of(speaker)
        staged.publish(path)
        try:
            sync_directory(self.directory)
        except OSError:
            with suppress(OSError):
                remove_file(path)  # not known to be safe: the old speaker stays
            raise
        stored = self._files.stored(speaker, path, ours=True)
        old = self._registry.live.get(speaker.key)
        self._registry.take_over({**self._registry.live, speaker.key: stored})
        self._registry.last_created_at[speaker.workspace] = speaker.created_at
        if old is not None:
            self._registry.supersede(old)
        return stored.speaker, old.speaker if old else None

    def _rewrite(self, old: StoredSpeaker, speaker: Speaker) -> Speaker:
        """Write a speaker anew, in place where its name stays. Called exclusively."""
        path = self._files.free_path(speaker, unless=old.path)
        try:
            source = read_source(old.path, speaker)
        except (OSError, SpeakerFileBad) as error:
            raise ClipMissing(old.speaker.name) from error
        staged, _ = self._files.stage(speaker, source.samples if isinstance(source, Clip) else source.read())
        try:
            staged.publish(path)
            sync_directory(self.directory)  # before the old name goes
        finally:
            staged.discard()
        stored = self._files.stored(speaker, path, ours=True)
        self._registry.take_over({key: kept for key, kept in self._registry.live.items() if key != old.speaker.key} | {speaker.key: stored})
        if path != old.path:
            self._registry.supersede(old)
        return stored.speaker

    # --- private: reading

    def _read_source(self, speaker: Speaker, path: Path) -> Clip | SpeakerTensor:
        """That generation's clip or tensor. Raises ClipMissing; what is damaged is quarantined."""
        try:
            return read_source(path, speaker)
        except OSError as error:
            renamed = [stored for stored in self._registry.live.values() if stored.speaker.generation_id == speaker.generation_id]
            if renamed and renamed[0].path != path:
                return self._read_source(renamed[0].speaker, renamed[0].path)
            raise ClipMissing(speaker.name) from error
        except SpeakerFileBad as error:
            with self._registry.exclusively():
                self._quarantine_damaged(speaker, path)
            raise ClipMissing(speaker.name) from error

    def _quarantine_damaged(self, speaker: Speaker, path: Path) -> None:
        """Looks again: meanwhile the file may have been replaced by a good one."""
        self._registry.scan()
        if speaker.generation not in self.live_generations or self._registry.live[speaker.key].path != path:
            return
        try:
            read_source(path, speaker)
        except OSError:
            return
        except SpeakerFileBad as error:
            self._quarantine.take(path, str(error))
            self._registry.scan()

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
        speakers = [stored.speaker for _, stored in sorted(self._registry.live.items())]
        names = {speaker_key(speaker.name): speaker.name for speaker in speakers if speaker.workspace in workspaces}
        near = difflib.get_close_matches(speaker_key(name)[:255], names, n=3)
        return SpeakerUnknown(name, tuple(names[key] for key in near))
