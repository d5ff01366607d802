"""PromptSupply: gets a SpeakerPrompt from memory, disk or the engine, for whatever workspace, and writes it in the background."""

import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import partial

from engines.clips.clip import Clip
from engines.contract.contract import Engine
from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import LEARNED_OF, refinement_of
from studio.prompt_key import PromptKey
from studio.prompts.activity import PromptActivity
from studio.prompts.cache import CacheResult, SpeakerCache
from studio.prompts.refiner import Refiner
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.prompts.source import PromptSource, WrittenWords
from studio.prompts.status import refusals
from studio.running.pool import EnginePool
from studio.speakers.speaker import Generation, Speaker
from studio.speakers.store import SpeakerStore
from studio.timeline import Timeline

__all__ = ["PromptSupply"]

MOST_WARMING = 4  # prompts made in the background at one time; each engine has one thread anyway

log = logging.getLogger("studio")


class PromptSupply:
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
        self.store = store
        self.cache = cache
        self.pool = pool
        self._remote_cleanup = remote_cleanup
        self._background = ThreadPoolExecutor(MOST_WARMING, thread_name_prefix="warming")
        self._refusals: set[int | None] = set()  # of the disk, by errno, since the last write that went well
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="prompt-writer")  # prompts reach the disk behind the listener's back

    def get(
        self, key: PromptKey, source: PromptSource, timeline: Timeline, *, asker: str, patience_seconds: float = 0.0, waits: bool = True
    ) -> CacheResult:
        """The source's prompt from memory, disk or the engine. Raises what the engine raises. waits: whether a listener does.

        asker: the workspace that it is counted for.
        A new one is written behind, where it has the words that are stored: those of one request are the business of who sent it.
        """

        def extract() -> SpeakerPrompt:
            with self.activity.attempt(source.owner, key.engine):
                learn = source.open()
                work = self.pool.worker(key.engine).call(
                    lambda engine: self._timed(key, timeline, asker, lambda: learn(engine)), patience_seconds=patience_seconds
                )
                return work.result()

        owner = source.owner
        read = (lambda: self.store.read_prompt(owner, key)) if owner is not None else None
        lookup = self.cache.get_or_extract(key, extract, owner=owner, read=read, asker=asker, waits=waits)
        if owner is not None and lookup.adopted and lookup.outcome != "disk":
            self._writer.submit(self._write, owner, key, lookup.prompt.with_transcript(source.owner_transcript))
        if LEARNED_OF in lookup.prompt.facts:
            self.refiner.want(key, source)
        return lookup

    def prepare(self, key: PromptKey, source: PromptSource, *, asker: str, patience_seconds: float = 0.0) -> CacheResult:
        """The same, with the engine made ready to speak with it, unless it was forgotten meanwhile."""
        lookup = self.get(key, source, Timeline(), asker=asker, patience_seconds=patience_seconds, waits=False)
        make_ready = partial(self._make_ready, key, lookup.prompt.with_transcript(source.words_for(self.pool.infos[key.engine])))
        self.pool.worker(key.engine).call(make_ready, patience_seconds=patience_seconds).result()
        return lookup

    def note_refusals(self, speaker: Speaker, clip: Clip | None) -> frozenset[str]:
        """The engines that will refuse the clip for its sound, which they look at as they do when they learn; each with a note why."""
        learning = [info for info in self.pool.infos.values() if not speaker.blend_with(info.id)]
        found = {} if clip is None else refusals(clip, learning)
        for engine, error in found.items():
            self.activity.failed(speaker.generation_id, engine, error)
        return frozenset(found)

    def begin(self, work: Callable[..., None], *given: object) -> None:
        """Do it in the background, as whoever asks now: that may matter to an engine."""
        self._background.submit(copy_context().run, work, *given)

    def remove_files(self, owner: Generation, engine: str) -> None:
        """Delete what was written of it, in its turn: a write would bring it back."""
        self._writer.submit(self.store.remove_prompts, owner, engine).result()
        self.activity.touch()

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

    def _timed(self, key: PromptKey, timeline: Timeline, asker: str, learn: Callable[[], SpeakerPrompt]) -> SpeakerPrompt:
        self.cache.learning(key)
        started = timeline.now()
        prompt = learn()
        seconds = timeline.now() - started
        timeline.span("extract", seconds)
        self.cache.took(key.engine, seconds, asker)
        return prompt

    def _make_ready(self, key: PromptKey, prompt: SpeakerPrompt, engine: Engine) -> None:
        """On the engine's thread."""
        with self._remote_cleanup.using(key) if engine.info.runs == "elsewhere" else nullcontext():
            if self.cache.contains(key, prompt):
                engine.prepare(prompt)
        if not self.cache.contains(key, prompt):  # whoever forgot it told the engine, one of many threads maybe before this
            engine.forget(prompt.content_digest)

    def _publish_better(self, owners: Collection[Generation], key: PromptKey, prompt: SpeakerPrompt) -> None:
        """A better prompt has taken the place of another in memory."""
        self.pool.worker(key.engine).tell(partial(self._make_ready, key, prompt))
        for owner in owners:
            self._writer.submit(self._rewrite, owner, key, prompt)

    def _rewrite(self, owner: Generation, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """In the place of the one on disk, with its words; not where that was deleted, or another studio has learned it better."""
        kept = self.store.read_prompt(owner, key)
        reached, better = (None if one is None else refinement_of(one) for one in (kept, prompt))
        if kept is not None and reached is not None and better is not None and reached.step <= better.step:
            self._write(owner, key, prompt.with_transcript(kept.transcript))

    def _write(self, owner: Generation, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """Nobody waits for this, so a full disk must speak up for itself, once; the prompt still serves from memory."""
        try:
            self.store.write_prompt(owner, key, prompt)
            self._refusals.clear()
        except OSError as error:
            if error.errno not in self._refusals:
                log.warning("what %s learned was not written, nor is more of it while that lasts: %s", key.engine, error.strerror or error)
            self._refusals.add(error.errno)
        self.activity.touch()
