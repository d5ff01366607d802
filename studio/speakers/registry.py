"""Registry: which file stands for every name now. The folder may be changed by this process, another studio, vLLM-Omni, or a person.

Whoever asks for a name is answered from memory after a `stat` of the folder and one of the file. The folder's modification time moves
with every file that comes, goes or takes another's place, and with it everything is looked at again; a file that is gone is a speaker that
was deleted. A reader waits for nobody: while a writer holds the lock, its look moves nothing and is good for this one answer. Who holds
the lock makes the registry say what the folder says, and clears away what is bad, replaced or left over.
LiveGenerations says which recording every name stands for now. It is made before store, cache and history, so that none of them needs
another.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from engines.durable import file_system_now_ns, locked_directory, remove_file
from studio.errors import SpeakersUnreachable
from studio.speakers.directory import SpeakerDirectory, StoredSpeaker, is_unchanged
from studio.speakers.speaker import Generation, Speaker
from studio.storage.prompt_files import PromptFiles
from studio.storage.quarantine import Quarantine

__all__ = ["LiveGenerations", "Registry"]


class LiveGenerations:
    """The store publishes; whoever keeps something of a generation asks before keeping it, and is told when it is gone.

    Thread-safe: what is published is one mapping that replaces another, so that asking takes no lock and may be done under any.
    """

    def __init__(self):
        self._ids: Mapping[str, str] = {}  # generation id by speaker key; replaced, never changed
        self._listeners: tuple[Callable[[Generation], None], ...] = ()

    def __contains__(self, generation: Generation) -> bool:
        """Whether this is what the name stands for now."""
        return self._ids.get(generation.key) == generation.id

    def holds(self, generation_id: str) -> bool:
        """Whether a speaker of whatever name is this generation."""
        return generation_id in self._ids.values()

    def publish(self, ids: Mapping[str, str]) -> None:
        """Say what is live: generation ids by speaker key. The mapping must not change afterwards."""
        self._ids = ids

    def when_gone(self, listener: Callable[[Generation], None]) -> None:
        """Tell `listener` of every generation that went without the knowledge of whoever keeps something of it."""
        self._listeners = (*self._listeners, listener)

    def tell_gone(self, generation: Generation) -> None:
        """Called with no lock held: listeners take their own."""
        for listener in self._listeners:
            listener(generation)


SETTLED_SECONDS = 5.0  # a bad file younger than this may be one that vLLM-Omni is still writing

log = logging.getLogger("studio.store")


class Registry:
    """live: by key, as of the last look; replaced, never changed, so that readers take no lock.

    last_created_at: by workspace, of all that were ever seen and are not ahead of the clock. Methods but `current` and `exclusively` are
    called exclusively.
    """

    def __init__(self, files: SpeakerDirectory, prompts: PromptFiles, quarantine: Quarantine, live_generations: LiveGenerations):
        self.live: Mapping[str, StoredSpeaker] = {}
        self.last_created_at: Counter[str] = Counter()
        self._files = files
        self._prompts = prompts
        self._quarantine = quarantine
        self._live_generations = live_generations
        self._lock = threading.Lock()  # taken before the directory's lock
        self._superseded: dict[str, StoredSpeaker] = {}  # by file name: old files that could not be removed
        self._gone: list[Generation] = []
        self._undropped: dict[str, Speaker] = {}  # by generation id: whose prompts could not be removed
        self._seen: tuple[int, ...] | None = None  # the folder's state that `live` is good for

    def current(self) -> Mapping[str, StoredSpeaker]:
        """By key, as the folder is now. Raises SpeakersUnreachable where it cannot be looked at: what was known may be deleted by now."""
        try:
            return self.live if self._files.state() == self._seen else self._looked_again()
        except OSError as error:
            raise SpeakersUnreachable(error.strerror or type(error).__name__) from error

    def find(self, keys: Iterable[str]) -> StoredSpeaker | None:
        """What the first of these keys stands for that stands for any, in `current`; also where its file was written over in its place,
        which no folder tells."""
        keys = tuple(keys)
        found = _first(self.current(), keys)
        if found is None or is_unchanged(found):
            return found
        try:
            return _first(self._looked_again(), keys)
        except OSError as error:
            raise SpeakersUnreachable(error.strerror or type(error).__name__) from error

    @contextmanager
    def exclusively(self, *, patient: bool = True) -> Iterator[bool]:
        """Hold registry and directory; afterwards tell of generations that a scan found gone.

        patient: wait until both are free. Else gives whether they are held.
        """
        if not self._lock.acquire(blocking=patient):
            yield False
            return
        try:
            with locked_directory(self._files.path, patient=patient) as is_held:
                yield is_held
        finally:
            gone, self._gone = self._gone, []
            self._lock.release()
            for generation in gone:
                self._live_generations.tell_gone(generation)

    def scan(self, settled_seconds: float = SETTLED_SECONDS) -> None:
        """Make the registry say what the directory says, and clear it of what stands for nobody. Raises OSError.

        settled_seconds: a bad file that is new to us and was written more recently is left alone, for somebody may still be writing it.
        """
        now_ns = file_system_now_ns(self._files.path)  # before the look
        look = self._files.look(self._known(), settled_seconds, now_ns=now_ns)
        before = self.live
        for path, reason in look.bad:
            self._quarantine.take(path, reason)
        self.take_over(dict(look.live))
        for speaker in (stored.speaker for stored in look.live.values() if not self._files.is_ahead(stored.speaker)):
            self.last_created_at[speaker.workspace] = max(speaker.created_at, self.last_created_at[speaker.workspace])
        self._superseded = {}
        for old in look.outdated:
            self.supersede(old)
        for old in look.losers:
            new = self.live[old.speaker.key].speaker
            if old.ours or old.speaker.name.lower() == new.name.lower():
                self.supersede(old)
            else:  # two voices for vLLM-Omni, which made it and folds case only; one for us. Nobody asked for its deletion.
                self._quarantine.take(old.path, f"the speaker {new.name!r} has the same name and is newer")
        for stored in before.values():
            if stored.speaker.generation not in self._live_generations:
                self._gone.append(stored.speaker.generation)
                self.drop_prompts(stored.speaker)
        for speaker in tuple(self._undropped.values()):
            self.drop_prompts(speaker)
        self._seen = look.state

    def take_over(self, live: Mapping[str, StoredSpeaker]) -> None:
        """Make this the registry. Published first: nobody may keep a prompt for a speaker that can no longer be found."""
        self._live_generations.publish({key: stored.speaker.generation_id for key, stored in live.items()})
        self.live = live

    def take_out(self, speaker: Speaker) -> None:
        """Make this a registry without that speaker, of whose end whoever asks for it will tell."""
        self.take_over({key: kept for key, kept in self.live.items() if key != speaker.key})
        self._gone = [generation for generation in self._gone if generation != speaker.generation]

    def supersede(self, old: StoredSpeaker) -> None:
        """Remove the file and prompts of a speaker that has been replaced. A file that cannot be removed is tried again."""
        try:
            remove_file(old.path)
        except OSError as error:
            log.warning("%s, which is superseded, could not be removed: %s", old.path.name, error.strerror)
            self._superseded[old.path.name] = old
        self.drop_prompts(old.speaker)

    def remove_superseded(self, speaker: Speaker) -> None:
        """Older files that would bring the speaker back at the next start, were they to outlive it. Raises OSError."""
        for old in [old for old in self._superseded.values() if _may_return_as(old.speaker, speaker)]:
            remove_file(old.path)
            del self._superseded[old.path.name]

    def drop_prompts(self, speaker: Speaker) -> None:
        """Remove the prompts of a generation that is no more. What cannot be removed is tried again."""
        self._undropped.pop(speaker.generation_id, None)
        if self._live_generations.holds(speaker.generation_id):  # a copy of its file was removed, or its older name
            return
        try:
            self._prompts.remove(speaker.generation_id)
        except OSError as error:
            log.warning("prompts of a removed speaker could not be removed yet: %s", error.strerror)
            self._undropped[speaker.generation_id] = speaker

    def _looked_again(self) -> Mapping[str, StoredSpeaker]:
        """Raises OSError."""
        with self.exclusively(patient=False) as is_held:
            if is_held:
                self.scan()
                return self.live
        return self._files.look(self._known()).live

    def _known(self) -> list[StoredSpeaker]:
        return [*self.live.values(), *self._superseded.values()]


def _first(live: Mapping[str, StoredSpeaker], keys: Iterable[str]) -> StoredSpeaker | None:
    return next((live[key] for key in keys if key in live), None)


def _may_return_as(old: Speaker, speaker: Speaker) -> bool:
    """Whether an older file, were it found alone, would bring the speaker back."""
    return old.key == speaker.key or old.generation_id == speaker.generation_id
