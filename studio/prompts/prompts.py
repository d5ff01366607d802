"""Prompts: gets a SpeakerPrompt from memory, disk or the engine. It warms, pins and drops prompts, and writes them in the background."""

import logging
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypedDict

from engines.clips.clip import Clip
from engines.contract.contract import Engine
from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import LEARNED_OF, refinement_of
from engines.errors import EngineError
from studio.errors import SpeechCancelled
from studio.prompt_key import PromptKey
from studio.prompts.activity import PromptActivity
from studio.prompts.cache import CachedPrompt, CacheResult, SpeakerCache
from studio.prompts.refiner import Learning, Refiner
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.prompts.source import PromptSource, WrittenWords, from_speaker
from studio.prompts.status import check_taken, refusals
from studio.running.pool import EnginePool
from studio.speakers.speaker import Generation, Speaker
from studio.speakers.store import SpeakerStore
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.timeline import CacheOutcome, Timeline

__all__ = ["HowToWarm", "Prompts", "Until", "WarmResult"]

# A prompt that nobody waits for yet goes behind streams that run dry within this time, and before all others: one extraction of 0.1 to 1 s
# is felt by no listener who has more than this ahead.
WARMING_PATIENCE_SECONDS = 2.0
MOST_WARMING = 4  # prompts made in the background at one time; each engine has one thread anyway

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
    """Every method may be called from any thread. What begins work in the background says so; the others block until they are done.

    activity: what is remembered of each speaker and engine beside the prompt. words: those of recordings that came without.
    refiner: makes prompts more alike, for learn_seconds of CPU per voice.
    """

    def __init__(
        self,
        store: SpeakerStore,
        cache: SpeakerCache,
        pool: EnginePool,
        words: WrittenWords,
        remote_cleanup: RemoteCleanup,
        *,
        learn_seconds: float,
    ):
        self.activity = PromptActivity()
        self.refiner = Refiner(cache, pool, self._publish_better, learn_seconds)
        self.words = words
        self._workspace_speakers = WorkspaceSpeakers(store)
        self._store = store
        self._cache = cache
        self._pool = pool
        self._remote_cleanup = remote_cleanup
        self._background = ThreadPoolExecutor(MOST_WARMING, thread_name_prefix="warming")
        self._refusals: set[int | None] = set()  # of the disk, by errno, since the last write that went well
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="prompt-writer")  # prompts reach the disk behind the listener's back

    def seen_from(self, workspace_speakers: WorkspaceSpeakers) -> "Prompts":
        """The same prompts; speakers are those of that workspace."""
        view = copy(self)
        view._workspace_speakers = workspace_speakers
        return view

    # --- for a speech

    def get(
        self, key: PromptKey, source: PromptSource, timeline: Timeline, *, patience_seconds: float = 0.0, waits: bool = True
    ) -> CacheResult:
        """The source's prompt from memory, disk or the engine. Raises what the engine raises. waits: whether a listener does.

        A new one is written behind, where it has the words that are stored: those of one request are the business of who sent it.
        """

        def extract() -> SpeakerPrompt:
            with self.activity.attempt(source.owner, key.engine):
                learn = source.open()
                work = self._pool.worker(key.engine).call(
                    lambda engine: self._timed(key, timeline, lambda: learn(engine)), patience_seconds=patience_seconds
                )
                return work.result()

        owner = source.owner
        read = (lambda: self._store.read_prompt(owner, key)) if owner is not None else None
        lookup = self._cache.get_or_extract(key, extract, owner=owner, read=read, asker=self._workspace_speakers.workspace, waits=waits)
        if owner is not None and lookup.adopted and lookup.outcome != "disk":
            self._writer.submit(self._write, owner, key, lookup.prompt.with_transcript(source.owner_transcript))
        if LEARNED_OF in lookup.prompt.facts:
            self.refiner.want(key, source)
        return lookup

    def prepare(self, key: PromptKey, source: PromptSource, *, patience_seconds: float = 0.0) -> CacheResult:
        """The same, with the engine made ready to speak with it, unless it was forgotten meanwhile."""
        lookup = self.get(key, source, Timeline(), patience_seconds=patience_seconds, waits=False)
        make_ready = partial(self._make_ready, key, lookup.prompt.with_transcript(source.words_for(self._pool.infos[key.engine])))
        self._pool.worker(key.engine).call(make_ready, patience_seconds=patience_seconds).result()
        return lookup

    def places(self, speaker: Speaker) -> dict[str, Place]:
        """Where the speaker's prompts are, per engine; engines without one are absent."""
        places: dict[str, Place] = dict.fromkeys((file.engine for file in self._store.prompt_files(speaker.generation)), "disk")
        places |= dict.fromkeys(self._cache.engines_in_flight(speaker.generation), "processing")
        places |= dict.fromkeys(self._cache.engines_of(speaker.generation), "memory")
        return places

    def learning(self, speaker: Speaker) -> dict[str, Learning]:
        """How alike the speaker's prompts in memory are by now, per engine that learns in steps."""
        keys = {name: self._current_key(speaker, name) for name, info in self._pool.infos.items() if info.refines}
        found = {name: self.refiner.learning(key) for name, key in keys.items() if key is not None}
        return {name: learning for name, learning in found.items() if learning is not None}

    # --- ahead of the first speech

    def note_refusals(self, speaker: Speaker, clip: Clip | None) -> frozenset[str]:
        """The engines that will refuse the clip for its sound, which they look at as they do when they learn; each with a note why."""
        learning = [info for info in self._pool.infos.values() if not speaker.blend_with(info.id)]
        found = {} if clip is None else refusals(clip, learning)
        for engine, error in found.items():
            self.activity.failed(speaker.generation_id, engine, error)
        return frozenset(found)

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
        lookup = self.prepare(key, source)
        self.flush()  # what is acknowledged is on disk
        if on_disk and not any(file.digest == key.digest for file in self._store.prompt_files(speaker.generation)):
            self._store.write_prompt(speaker.generation, key, lookup.prompt.with_transcript(source.owner_transcript))
        if until == "best":
            self.refiner.wait(key, MOST_REFINING_SECONDS)
            self.flush()
        status = "extracted" if lookup.outcome in ("miss", "joined") else "existing"
        seconds = time.perf_counter() - started
        learning = self.refiner.learning(key) if worker.info.refines else None
        return WarmResult(speaker, key.engine, status, lookup.outcome, seconds, learning)

    def warm_unasked(self, speaker: Speaker, engine: str) -> None:
        """Begin to extract and prepare a prompt that nobody waits for, behind whoever is listening."""
        self._background.submit(copy_context().run, self._warm_unasked, speaker, engine)

    def extract(self, name: str, engine: str, *, force: bool = False) -> Speaker:
        """Begin to warm, again where `force`; the prompt's status tells how it goes. A pin is kept.

        Raises SpeakerUnknown, SpeakerNotYours (for force), EngineUnknown.
        """
        speaker = self._workspace_speakers.own(name) if force else self._workspace_speakers.get(name)
        self._pool.worker(engine)
        if self.activity.ask(speaker.generation_id, engine):
            self._background.submit(copy_context().run, self._extract, speaker, engine, force)  # who asks may matter to the engine
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
        self.flush()  # or it would be in no place while it is being written
        self._forget(speaker, engine)
        return speaker

    def delete_files(self, name: str, engine: str) -> Speaker:
        """Delete what was written of it; what is in memory stays there. Raises what `evict` does."""
        speaker = self._workspace_speakers.own(name)
        self._pool.worker(engine)
        self._delete(speaker, engine)
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
        self._writer.submit(lambda: None).result()  # one thread, so whatever came before is over

    def stop_learning(self) -> None:
        """Begin nothing more in the background. Before the engines are closed, which ends what is under way."""
        self.refiner.stop()
        self._background.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Finish what is being written. After the engines are closed."""
        self.refiner.close()
        self._background.shutdown(wait=True)
        self._writer.shutdown(wait=True)

    # --- private

    def _timed(self, key: PromptKey, timeline: Timeline, learn: Callable[[], SpeakerPrompt]) -> SpeakerPrompt:
        self._cache.learning(key)
        started = timeline.now()
        prompt = learn()
        seconds = timeline.now() - started
        timeline.span("extract", seconds)
        self._cache.took(key.engine, seconds, self._workspace_speakers.workspace)
        return prompt

    def _make_ready(self, key: PromptKey, prompt: SpeakerPrompt, engine: Engine) -> None:
        """On the engine's thread."""
        with self._remote_cleanup.using(key):
            if self._cache.contains(key, prompt):
                engine.prepare(prompt)
        if not self._cache.contains(key, prompt):  # whoever forgot it told the engine, one of many threads maybe before this
            engine.forget(prompt.content_digest)

    def _publish_better(self, owners: Collection[Generation], key: PromptKey, prompt: SpeakerPrompt) -> None:
        """A better prompt has taken the place of another in memory."""
        self._pool.worker(key.engine).tell(partial(self._make_ready, key, prompt))
        for owner in owners:
            self._writer.submit(self._rewrite, owner, key, prompt)

    def _rewrite(self, owner: Generation, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """In the place of the one on disk, with its words; not where that was deleted, or another studio has learned it better."""
        kept = self._store.read_prompt(owner, key)
        reached, better = (None if one is None else refinement_of(one) for one in (kept, prompt))
        if kept is not None and reached is not None and better is not None and reached.step <= better.step:
            self._write(owner, key, prompt.with_transcript(kept.transcript))

    def _write(self, owner: Generation, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """Nobody waits for this, so a full disk must speak up for itself, once; the prompt still serves from memory."""
        try:
            self._store.write_prompt(owner, key, prompt)
            self._refusals.clear()
        except OSError as error:
            if error.errno not in self._refusals:
                log.warning("what %s learned was not written, nor is more of it while that lasts: %s", key.engine, error.strerror or error)
            self._refusals.add(error.errno)
        self.activity.touch()

    def _warm_unasked(self, speaker: Speaker, engine: str) -> None:
        """What it cannot learn, the first request will be told; what is gone meanwhile, nobody will ask for."""
        source = from_speaker(speaker, engine)
        try:
            self.prepare(source.key(self._pool.worker(engine).load()), source, patience_seconds=WARMING_PATIENCE_SECONDS)
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
            self.activity.failed(speaker.generation_id, engine, error)
        finally:
            self.activity.answered(speaker.generation_id, engine)

    def _drop(self, speaker: Speaker, engine: str) -> None:
        self._forgive(speaker, engine)
        self._delete(speaker, engine)
        self._forget(speaker, engine)

    def _delete(self, speaker: Speaker, engine: str) -> None:
        self._writer.submit(self._store.remove_prompts, speaker.generation, engine).result()  # in its turn: a write would bring it back
        self.activity.touch()

    def _forget(self, speaker: Speaker, engine: str) -> None:
        for cached in self._cached(speaker, engine):
            self._cache.drop(cached.key)
        self.activity.touch()

    def _forgive(self, speaker: Speaker, engine: str) -> None:
        """What could not be refined may be tried again."""
        if key := self._current_key(speaker, engine):
            self.refiner.forgive(key)

    def _cached(self, speaker: Speaker, engine: str) -> list[CachedPrompt]:
        """Out of date or not. Raises EngineUnknown."""
        key = self._current_key(speaker, engine)
        entries, _ = self._cache.look()
        return [cached for cached in entries if cached.key.engine == engine and cached.concerns(speaker.generation_id, key)]

    def _current_key(self, speaker: Speaker, engine: str) -> PromptKey | None:
        """The key of what the engine would learn now; None before it was opened for the first time. Raises EngineUnknown."""
        extractor = self._pool.worker(engine).extractor
        return from_speaker(speaker, engine).key(extractor) if extractor else None
