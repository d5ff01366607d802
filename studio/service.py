"""Studio: the verbs. The one object that every door holds; it orders the rooms and knows no HTTP and no page."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from engines import catalog
from engines.contract import Engine, EngineInfo
from engines.errors import CallerMistake, EngineError
from engines.options import resolve_options
from engines.prompt import SpeakerPrompt
from studio.audio.time_stretch import SPEED, at_speed, with_speed
from studio.errors import EngineInUse, EngineUnknown
from studio.library.library import Library
from studio.prompt_key import PromptKey
from studio.prompts.cache import Lookup, SpeakerCache
from studio.prompts.compatibility import incompatibility_of
from studio.prompts.matrix import CacheMatrix
from studio.prompts.source import PromptSource, from_speaker
from studio.reference.reference_audio import Fetch
from studio.reference.remote_audio import RemoteAudio
from studio.running.memory_check import check_memory, free_bytes, is_small
from studio.running.offer import offered, sources, weights_lacking
from studio.running.pool import EnginePool
from studio.running.weights import Weights
from studio.running.worker import EngineStatus, EngineWorker
from studio.settings import Settings
from studio.speakers.speaker import Generation, Recording, Speaker
from studio.speakers.store import SpeakerStore
from studio.speech.body import SpeechBody
from studio.speech.history import History, HistoryEntry
from studio.speech.request import SpeechRequest, explained, request_of
from studio.speech.request_log import RequestLog
from studio.speech.source import source_of
from studio.speech.speech import Speech
from studio.storage.trash import Trash
from studio.text.long_text import parts_of, spoken_in_turn
from studio.timeline import CacheOutcome, Timeline

__all__ = ["Studio", "Warmth"]

log = logging.getLogger("studio")

# A prompt that nobody waits for yet goes behind streams that run dry within this time, and before all others: one extraction of 0.1 to 1 s
# is felt by no listener who has more than this ahead.
WARMING_PATIENCE_SECONDS = 2.0
MOST_WARMING = 4  # prompts made in the background at one time; each engine has one thread anyway

Place = Literal["processing", "memory", "disk"]  # of a speaker's prompt


@dataclass(frozen=True)
class Warmth:
    """What `warm` found or did. status: extracted now, existing already, or processing (somebody else's extraction is under way)."""

    speaker: Speaker
    engine: str
    status: Literal["extracted", "existing", "processing"]
    outcome: CacheOutcome | None
    seconds: float


class Studio:
    """Engines, speakers, prompts and speech. Every method may be called from any thread and blocks until it is done.

    infos, open_engine, weights, free_bytes: the engines on offer, where their weights come from, and the memory that is free for one on a
    device; the catalog's and the machine's by default, fakes in tests.
    matrix: what every engine knows of every speaker. weights: fetches what can be downloaded. request_log: for doors to write into.
    remote_audio: fetches recordings that requests name.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        infos: Mapping[str, EngineInfo] | None = None,
        open_engine: Callable[[str], Engine] | None = None,
        weights: Mapping[str, catalog.WeightsSource] | None = None,
        free_bytes: Callable[[str | None], int | None] = free_bytes,
    ):
        self.settings = settings
        self._free_bytes = free_bytes
        self._infos = dict(infos) if infos is not None else offered(settings)
        if settings.default_engine not in self._infos:
            raise EngineUnknown(settings.default_engine, tuple(self._infos))
        self._pool = EnginePool(
            self._infos,
            lambda name: self._open_where_it_fits(name, open_engine or self._open_from_catalog),
            most_waiting=settings.most_waiting,
            most_ahead_seconds=settings.most_ahead_seconds,
            availability=lambda name: None if open_engine else weights_lacking(settings, name),
        )
        self.store = SpeakerStore(
            settings.speakers_dir,
            most_speakers=settings.most_speakers,
            policy=settings.registration_policy,
            reserved=[preset for info in self._infos.values() for preset in info.presets],
            on_gone=lambda generation: self._let_go(generation),  # noqa: PLW0108 - the cache is made after the store
        )
        self._cache = SpeakerCache(
            max_bytes=settings.cache_max_bytes,
            max_entries=settings.cache_max_entries,
            is_live=self.store.is_live,
            on_drop=self._forget_prepared,
        )
        self._warming = ThreadPoolExecutor(MOST_WARMING, thread_name_prefix="warming")
        self.matrix = CacheMatrix(
            self.store,
            self._cache,
            self._pool,
            warm=lambda name, engine, force: self.warm(name, engine, force=force),
            submit=self._warming.submit,
        )
        self.weights = Weights(self._infos, weights if weights is not None else sources(settings, infos), on_fetched=self._reconsider)
        self.history = History(settings.speakers_dir / "history", most_entries=settings.most_history_entries, is_live=self.store.holds)
        self._trash = Trash(settings.speakers_dir / "trash", on_gone=self.history.forget)
        self.history.forget_dead()
        self.library = Library(self.store, self._cache, self._trash, self.enroll)
        self.request_log = RequestLog()
        self.remote_audio = RemoteAudio()
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="prompt-writer")  # prompts reach the disk behind the listener's back

    # --- engines

    def engines(self) -> tuple[EngineStatus, ...]:
        return self._pool.statuses()

    def engine_info(self, engine: str | None = None) -> EngineInfo:
        """What an engine (the default one when None) declares. Raises EngineUnknown."""
        return self._pool.worker(engine or self.settings.default_engine).info

    def begin_loading(self, engine: str | None = None) -> None:
        """Start opening an engine (the default one when None) without waiting. Raises EngineUnknown."""
        self._pool.worker(engine or self.settings.default_engine).begin_loading()

    def check_memory(self, engine: str) -> None:
        """Raises EngineUnknown; InsufficientMemory where an engine that is not loaded is certain not to fit into memory."""
        worker, chosen = self._pool.worker(engine), self.settings.for_engine(engine)
        if (
            worker.ready or is_small(worker.info) or chosen.checkpoint is not None
        ):  # of other weights than the declared the size is not known
            return
        loaded = [(status.info.title, status.memory_bytes) for status in self._pool.statuses() if status.state == "ready"]
        check_memory(worker.info, self._free_bytes(chosen.device), loaded)

    def load(self, engine: str | None = None) -> EngineStatus:
        """Open an engine now. Raises EngineUnknown, EngineUnavailable, EngineFailed, InsufficientMemory."""
        worker = self._pool.worker(engine or self.settings.default_engine)
        worker.load()
        return worker.status()

    def unload(self, engine: str) -> EngineStatus:
        """Close an engine and free its memory; the next request opens it again. Raises EngineUnknown, EngineInUse."""
        worker = self._pool.worker(engine)
        worker.unload()
        return worker.status()

    # --- speakers

    def enroll(self, recording: Recording, prompts: Sequence[tuple[PromptKey, SpeakerPrompt]] = ()) -> Speaker:
        """Store a speaker. One of the same name is replaced and forgotten once the new one is safe on disk. Raises what the store does.

        prompts: what is known of it already. Engines that are loaded learn the rest in the background, if the settings say so.
        """
        speaker, replaced = self.store.add(recording)
        if replaced is not None:
            self._let_go(replaced.generation)
        for key, prompt in prompts:
            self.store.write_prompt(speaker.generation, key, prompt)
        if self.settings.warm_uploads:
            for status in self._pool.statuses():
                if status.state == "ready" and incompatibility_of(speaker, status.info) is None:
                    self._warming.submit(self._warm_unasked, speaker, status.info.id)
        return speaker

    def speakers(self) -> tuple[Speaker, ...]:
        """All of them, those too that another process on the same folder has added meanwhile."""
        self.store.rescan()
        return self.store.speakers()

    def speaker(self, name: str) -> Speaker:
        """Raises SpeakerUnknown."""
        return self.store.get(name)

    def forget(self, name: str) -> Speaker:
        """Delete a speaker from disk, cache and engines. Speech under way ends in the voice it began with. Raises SpeakerUnknown."""
        speaker = self.store.get(name)
        try:
            speaker = self.store.remove(name)
        finally:  # a disk that fails after the file is gone must not keep the voice in memory
            if not self.store.is_live(speaker.generation):
                self._let_go(speaker.generation)
        return speaker

    # --- prompts

    def warm(self, name: str, engine: str | None = None, *, force: bool = False, join: bool = True) -> Warmth:
        """Extract, store and prepare a speaker's prompt, so that the first listener need not wait for it.

        force: extract again. join: wait for an extraction that is under way; when False, report "processing".
        Raises SpeakerUnknown, EngineUnknown, what the engine raises.
        """
        started = time.perf_counter()
        speaker = self.store.get(name)
        worker = self._pool.worker(engine or self.settings.default_engine)
        opened = worker.load()
        source = from_speaker(speaker)
        key = PromptKey.of(opened, source.digest, source.transcript)
        if not join and self._cache.in_flight(key):
            return Warmth(speaker, opened.info.id, "processing", None, time.perf_counter() - started)
        if force:
            self._drop(speaker, key.engine)
        lookup = self._prepared(worker, key, source)
        self._disk.submit(lambda: None).result()  # behind the writes so far: what is acknowledged is on disk
        status = "extracted" if lookup.outcome in ("miss", "joined") else "existing"
        return Warmth(speaker, opened.info.id, status, lookup.outcome, time.perf_counter() - started)

    def evict(self, name: str, engine: str | None = None) -> Speaker:
        """Drop a speaker's prompt for one engine from memory, disk and engine; the next request extracts it again."""
        speaker = self.store.get(name)
        engine = engine or self.settings.default_engine
        self._pool.worker(engine)
        self._drop(speaker, engine)
        return speaker

    def prompt_places(self, speaker: Speaker) -> dict[str, Place]:
        """Where the speaker's prompts are, per engine; engines without one are absent."""
        places: dict[str, Place] = dict.fromkeys((file.engine for file in self.store.prompt_files(speaker.generation)), "disk")
        places |= dict.fromkeys(self._cache.engines_in_flight(speaker.generation), "processing")
        return places | dict.fromkeys(self._cache.engines_of(speaker.generation), "memory")

    def stats(self) -> dict[str, object]:
        """One consistent snapshot of the speaker cache."""
        return self._cache.stats()

    # --- speech

    def say(self, body: SpeechBody, timeline: Timeline, *, keep: bool = False, fetch: Fetch | None = None) -> Speech:
        """`speak` what a body asks for; what goes wrong is told in its words. Blocks while reference audio is fetched and decoded.

        keep: whether the speech goes into the history. fetch: how http(s) recordings come, the studio's own way when None.
        Raises EngineUnknown, RequestInvalid, FetchesBusy, and what `speak` raises.
        """
        info = self.engine_info(body.model or None)
        request = request_of(body, info, self.settings, timeline, fetch or self.remote_audio.fetch)
        try:
            return self.speak(replace(request, keep=keep), timeline)
        except CallerMistake as error:
            raise explained(error, request, info, lambda: (speaker.name for speaker in self.speakers())) from error

    def speak(self, request: SpeechRequest, timeline: Timeline | None = None) -> Speech:
        """Start speaking. Returns once the speaker prompt is at hand and the stream is queued; the chunks come through the Speech.

        Raises EngineUnknown, SpeakerUnknown, SpeakerRequired, EngineBusy, and what the engine raises about clip, text and options.
        """
        timeline = timeline or Timeline()
        worker = self._pool.worker(request.engine or self.settings.default_engine)
        opened = self._open(worker, timeline)
        info = opened.info
        parts = parts_of(request.text, info, self.settings.most_text_characters)
        schema = with_speed(info.options)
        resolved = dict(resolve_options(schema, request.options))
        options = dict(resolved)
        stretch = 1.0 if schema == info.options else options.pop(SPEED.name)  # of the sound, where the engine knows one pace only
        source = source_of(request, info, self.store, self._infos)
        timeline.mark("resolved")
        key = PromptKey.of(opened, source.digest, source.transcript)
        lookup = self._prompt(worker, key, source, timeline)
        prompt = lookup.prompt.with_transcript(source.transcript)
        timeline.cache = lookup.outcome
        timeline.mark("prompt")

        def end(engine: Engine) -> None:
            self.matrix.notes.spoke(source.owner, key.engine, timeline)
            if not self._cache.contains(key):
                engine.forget(prompt.content_digest)

        stream = worker.stream(
            lambda engine: at_speed(spoken_in_turn(engine, parts, prompt, options), info.sample_rate, stretch),
            timeline,
            on_end=end,
        )
        record = None
        if request.keep and source.speaker is not None:  # inline recordings are nobody's, so nobody could delete what they said
            record = self.history.recorder(HistoryEntry.begun(request, info, source, resolved), timeline)
        return Speech(request, stream, info, source.speaker, prompt.facts, record=record)

    def close(self) -> None:
        """Cancel speech, close engines, finish what is being written."""
        self._warming.shutdown(wait=False, cancel_futures=True)
        self.weights.close()
        self._pool.close()
        self._warming.shutdown(wait=True)
        self._disk.shutdown(wait=True)
        self._trash.close()
        self.history.close()

    # --- private

    def _let_go(self, generation: Generation) -> None:
        """What a speaker leaves in memory, and what was kept of its speech."""
        self._cache.forget(generation)
        self.history.forget(generation.id)

    def _open_where_it_fits(self, name: str, open_engine: Callable[[str], Engine]) -> Engine:
        self.check_memory(name)
        return open_engine(name)

    def _open_from_catalog(self, name: str) -> Engine:
        if weights_lacking(self.settings, name) is None:  # then they are here, or a hub has them and it was said that it should be asked
            self.weights.bring(name)
        return catalog.open_engine(name, **self.settings.for_engine(name).model_dump())

    def _open(self, worker: EngineWorker, timeline: Timeline) -> Engine:
        started = timeline.now()
        was_ready = worker.ready
        opened = worker.load()
        if not was_ready:
            timeline.span("load", timeline.now() - started)
        return opened

    def _prepared(self, worker: EngineWorker, key: PromptKey, source: PromptSource, *, patience_seconds: float = 0.0) -> Lookup:
        """The source's prompt, with the engine made ready to speak with it."""
        lookup = self._prompt(worker, key, source, Timeline(), patience_seconds=patience_seconds)
        prompt = lookup.prompt.with_transcript(source.transcript)
        worker.call(lambda opened: opened.prepare(prompt), patience_seconds=patience_seconds).result()
        return lookup

    def _warm_unasked(self, speaker: Speaker, engine: str) -> None:
        """Nobody waits for this. What it cannot learn, the first request will be told; what is gone meanwhile, nobody will ask for."""
        source = from_speaker(speaker)
        try:
            worker = self._pool.worker(engine)
            key = PromptKey.of(worker.load(), source.digest, source.transcript)
            self._prepared(worker, key, source, patience_seconds=WARMING_PATIENCE_SECONDS)
        except EngineError as error:
            log.info("%s did not learn %s ahead: %s", engine, speaker.generation.key, error.fact)
        except Exception:
            log.exception("%s could not learn %s ahead", engine, speaker.generation.key)

    def _prompt(
        self, worker: EngineWorker, key: PromptKey, source: PromptSource, timeline: Timeline, *, patience_seconds: float = 0.0
    ) -> Lookup:
        """The source's prompt from memory, disk or the engine; a new one is written behind."""

        def extract() -> SpeakerPrompt:
            with self.matrix.notes.attempt(source.owner, key.engine):
                learn = source.open()
                timed = lambda engine: self._timed(key, timeline, lambda: learn(engine))  # noqa: E731 - one line of a call
                return worker.call(timed, patience_seconds=patience_seconds).result()

        owner = source.owner
        read = (lambda: self.store.read_prompt(owner, key)) if owner is not None else None
        lookup = self._cache.get_or_extract(key, extract, owner=owner, read=read)
        if lookup.adopted and lookup.outcome != "disk":
            self._disk.submit(self._write, owner, key, lookup.prompt)
        return lookup

    def _timed(self, key: PromptKey, timeline: Timeline, learn: Callable[[], SpeakerPrompt]) -> SpeakerPrompt:
        self._cache.learning(key)
        started = timeline.now()
        prompt = learn()
        seconds = timeline.now() - started
        timeline.span("extract", seconds)
        self._cache.took(key.engine, seconds)
        return prompt

    def _write(self, owner: Generation, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """Nobody waits for this, so a full disk must speak up for itself; the prompt still serves from memory."""
        try:
            self.store.write_prompt(owner, key, prompt)
        except OSError as error:
            log.warning("the prompt of %s for %s was not written: %s", owner.key, key.engine, error)
        self.matrix.notes.touch()

    def _drop(self, speaker: Speaker, engine: str) -> None:
        self._disk.submit(lambda: None).result()  # a write under way would bring it back
        self.matrix.evict(speaker, engine)

    def _reconsider(self, engine: str) -> None:
        """Its weights have come: what made it unavailable is over."""
        with suppress(EngineInUse):
            self._pool.worker(engine).unload()

    def _forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        self._pool.worker(key.engine).tell(lambda engine: engine.forget(prompt.content_digest))
