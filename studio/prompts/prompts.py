"""Prompts: the prompts of the speakers that a workspace sees. It warms, pins and drops them by a speaker's name."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from engines.errors import EngineError
from studio.errors import SpeechCancelled
from studio.prompt_key import PromptKey
from studio.prompts.cache import CachedPrompt
from studio.prompts.refiner import Learning
from studio.prompts.source import from_speaker
from studio.prompts.status import check_taken
from studio.prompts.supply import PromptSupply
from studio.speakers.speaker import Speaker
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.timeline import CacheOutcome, Start, TimeToFirstSound

__all__ = ["HowToWarm", "Prompts", "Until", "WarmResult"]

# A prompt that nobody waits for yet goes behind streams that run dry within this time, and before all others: one extraction of 0.1 to 1 s
# is felt by no listener who has more than this ahead.
WARMING_PATIENCE_SECONDS = 2.0

MOST_REFINING_SECONDS = 600.0  # that somebody waits for a prompt to be as alike as it gets

Place = Literal["processing", "memory", "disk"]  # of a speaker's prompt
Until = Literal["learned", "best"]

log = logging.getLogger("studio")


@dataclass(frozen=True)
class WarmResult:
    """What `warm` found or did. status: extracted now, existing already, or processing (somebody else's extraction is under way).

    learning: how alike it is by now, None where its engine learns all at once.
    """

    speaker: Speaker
    engine: str
    status: Literal["extracted", "existing", "processing"]
    outcome: CacheOutcome | None
    seconds: float
    learning: Learning | None = None


class HowToWarm(TypedDict, total=False):
    """See Prompts.warm."""

    force: bool
    join: bool
    on_disk: bool
    until: Until


class Prompts:
    """Of one workspace. Every method may be called from any thread. What begins work in the background says so; the others block until
    they are done.

    words: those of recordings that came without.
    """

    def __init__(self, supply: PromptSupply, workspace_speakers: WorkspaceSpeakers):
        self.words = supply.words
        self._supply = supply
        self._workspace_speakers = workspace_speakers
        self._store, self._cache, self._pool = supply.store, supply.cache, supply.pool

    @property
    def can_write_words(self) -> bool:
        """Whether words that came without a recording can be written down."""
        return self.words.can_write

    def record_heard(self, generation_id: str, engine: str, start: Start | None, heard: TimeToFirstSound) -> None:
        """See PromptActivity."""
        self._supply.activity.record_heard(generation_id, engine, start, heard)

    def places(self, speaker: Speaker) -> dict[str, Place]:
        """Where the speaker's prompts are, per engine; engines without one are absent."""
        places: dict[str, Place] = dict.fromkeys((file.engine for file in self._store.prompt_files(speaker.generation)), "disk")
        places |= dict.fromkeys(self._cache.engines_in_flight(speaker.generation), "processing")
        places |= dict.fromkeys(self._cache.engines_of(speaker.generation), "memory")
        return places

    def learning(self, speaker: Speaker) -> dict[str, Learning]:
        """How alike the speaker's prompts in memory are by now, per engine that learns in steps."""
        keys = {name: self._current_key(speaker, name) for name, info in self._pool.infos.items() if info.refines}
        found = {name: self._supply.refiner.learning(key) for name, key in keys.items() if key is not None}
        return {name: learning for name, learning in found.items() if learning is not None}

    def learning_costs(self) -> Mapping[str, tuple[int, float]]:
        """Of all workspaces, by engine: steps so far, and their seconds of CPU."""
        return self._supply.refiner.costs

    # --- ahead of the first speech

    def warm(
        self, name: str, engine: str, *, force: bool = False, join: bool = True, on_disk: bool = False, until: Until = "learned"
    ) -> WarmResult:
        """Extract, store and prepare a speaker's prompt, so that the first listener need not wait for it.

        force: extract again. join: wait for an extraction that is under way; when False, report "processing". on_disk: whether a disk
        that does not take the prompt is an error; in memory it is all the same. until: "best", to wait until it is as alike as it gets.
        Raises SpeakerUnknown, EngineUnknown, PromptUntaken, ClipsUnsupported, WordsMissing, SpeakerNotYours (for force), what the engine
        raises, OSError (for on_disk), LearningUnfinished.
        """
        started = time.perf_counter()
        speaker = self._workspace_speakers.get(name)
        worker = self._pool.worker(engine)
        check_taken(speaker, worker.info, self._pool.infos.values())
        source = self.words.added_to(from_speaker(speaker, worker.info.id), worker.info)
        source.check_words(worker.info)
        key = source.key(worker.load())
        if not join and self._cache.in_flight(key):
            return WarmResult(speaker, key.engine, "processing", None, time.perf_counter() - started)
        if force:
            self._drop(self._workspace_speakers.own(name), key.engine)
        lookup = self._supply.prepare(key, source, asker=self._workspace_speakers.workspace)
        self._supply.flush()  # what is acknowledged is on disk
        if on_disk and not any(file.digest == key.digest for file in self._store.prompt_files(speaker.generation)):
            self._store.write_prompt(speaker.generation, key, lookup.prompt.with_transcript(source.owner_transcript))
        if until == "best":
            self._supply.refiner.wait(key, MOST_REFINING_SECONDS)
            self._supply.flush()
        status = "extracted" if lookup.outcome in ("miss", "joined") else "existing"
        seconds = time.perf_counter() - started
        learning = self._supply.refiner.learning(key) if worker.info.refines else None
        return WarmResult(speaker, key.engine, status, lookup.outcome, seconds, learning)

    def warm_unasked(self, speaker: Speaker, engine: str) -> None:
        """Begin to extract and prepare a prompt that nobody waits for, behind whoever is listening."""
        self._supply.begin(self._warm_unasked, speaker, engine)

    def extract(self, name: str, engine: str, *, force: bool = False) -> Speaker:
        """Begin to warm, again where `force`; the prompt's status tells how it goes. A pin is kept.

        Raises SpeakerUnknown, SpeakerNotYours (for force), EngineUnknown.
        """
        speaker = self._workspace_speakers.own(name) if force else self._workspace_speakers.get(name)
        self._pool.worker(engine)
        if self._supply.activity.ask(speaker.generation_id, engine):
            self._supply.begin(self._extract, speaker, engine, force)
        return speaker

    # --- keeping and dropping

    def pin(self, name: str, engine: str) -> bool:
        """Keep a prompt in memory; whether it is there. Raises SpeakerUnknown, SpeakerNotYours, EngineUnknown, PinsFull."""
        key = self._current_key(self._workspace_speakers.own(name), engine)
        return key is not None and self._cache.pin(key)

    def unpin(self, name: str, engine: str) -> None:
        """Raises SpeakerUnknown, SpeakerNotYours, EngineUnknown."""
        for cached in self._cached(self._workspace_speakers.own(name), engine):
            self._cache.unpin(cached.key)

    def forget_in_memory(self, name: str, engine: str) -> Speaker:
        """Drop what the engine knows of a speaker from memory and engine; its file stays. Raises what `evict` does."""
        speaker = self._workspace_speakers.own(name)
        self._supply.flush()  # or it would be in no place while it is being written
        self._forget(speaker, engine)
        return speaker

    def delete_files(self, name: str, engine: str) -> Speaker:
        """Delete what was written of it; what is in memory stays there. Raises what `evict` does."""
        speaker = self._workspace_speakers.own(name)
        self._pool.worker(engine)
        self._supply.remove_files(speaker.generation, engine)
        return speaker

    def evict(self, name: str, engine: str) -> Speaker:
        """Drop all that the engine knows of a speaker, out of date or not, from memory, disk and engine.

        Raises SpeakerUnknown, SpeakerNotYours, EngineUnknown.
        """
        speaker = self._workspace_speakers.own(name)
        self._pool.worker(engine)
        self._drop(speaker, engine)
        return speaker

    def flush(self) -> None:
        """Wait until everything that was handed over for writing is on disk, or has been refused."""
        self._supply.flush()

    # --- private

    def _warm_unasked(self, speaker: Speaker, engine: str) -> None:
        """What it cannot learn, the first request will be told; what is gone meanwhile, nobody will ask for."""
        source = from_speaker(speaker, engine)
        try:
            key, asker = source.key(self._pool.worker(engine).load()), self._workspace_speakers.workspace
            self._supply.prepare(key, source, asker=asker, patience_seconds=WARMING_PATIENCE_SECONDS)
        except EngineError as error:
            log.info("%s did not learn %s ahead: %s", engine, speaker.generation.key, error.fact)
        except Exception:
            log.exception("%s could not learn %s ahead", engine, speaker.generation.key)

    def _extract(self, speaker: Speaker, engine: str, force: bool) -> None:
        was_pinned = any(cached.pinned for cached in self._cached(speaker, engine))
        self._forgive(speaker, engine)
        try:
            self.warm(speaker.name, engine, force=force)
            if was_pinned:
                self.pin(speaker.name, engine)
        except SpeechCancelled:
            return  # the studio is closing
        except Exception as error:
            if not isinstance(error, EngineError):
                log.exception("%s could not learn %s", engine, speaker.generation.key)
            self._supply.activity.failed(speaker.generation_id, engine, error)
        finally:
            self._supply.activity.answered(speaker.generation_id, engine)

    def _drop(self, speaker: Speaker, engine: str) -> None:
        self._forgive(speaker, engine)
        self._supply.remove_files(speaker.generation, engine)
        self._forget(speaker, engine)

    def _forget(self, speaker: Speaker, engine: str) -> None:
        for cached in self._cached(speaker, engine):
            self._cache.drop(cached.key)
        self._supply.activity.touch()

    def _forgive(self, speaker: Speaker, engine: str) -> None:
        """What could not be refined may be tried again."""
        if key := self._current_key(speaker, engine):
            self._supply.refiner.forgive(key)

    def _cached(self, speaker: Speaker, engine: str) -> list[CachedPrompt]:
        """Out of date or not. Raises EngineUnknown."""
        key = self._current_key(speaker, engine)
        entries, _ = self._cache.look()
        return [cached for cached in entries if cached.key.engine == engine and cached.concerns(speaker.generation_id, key)]

    def _current_key(self, speaker: Speaker, engine: str) -> PromptKey | None:
        """The key of what the engine would learn now; None before it was opened for the first time. Raises EngineUnknown."""
        extractor = self._pool.worker(engine).extractor
        return from_speaker(speaker, engine).key(extractor) if extractor else None
