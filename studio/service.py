"""Studio: the verbs, in one object that every door holds. It calls the rooms in order, and knows no HTTP and no page."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Unpack

from engines import catalog
from engines.contract.contract import Engine, EngineInfo
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineError
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.consents.kept_consents import KeptConsents
from studio.errors import EngineInUse, EngineUnknown, SpeakerShadowed
from studio.lexicons.kept_lexicon import KeptLexicon
from studio.library.expiry import Expiry
from studio.library.library import Library
from studio.listening.listening import Listening
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.prompts.matrix import CacheMatrix
from studio.prompts.prompts import HowToWarm, Prompts, WarmResult
from studio.prompts.refiner import learn_seconds
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.prompts.source import WrittenWords
from studio.prompts.stats import CacheStats
from studio.prompts.status import incompatibility_of
from studio.reading.parts import Reading
from studio.reference.reference_audio import Fetch
from studio.reference.remote_audio import RemoteAudio
from studio.running.delivery import Delivery
from studio.running.lifecycle import EngineStatus
from studio.running.offer.machine import MachineFits
from studio.running.offer.memory_check import check_memory, free_bytes, is_small
from studio.running.offer.offer import offered, open_from_catalog, sources
from studio.running.offer.releases import Releases
from studio.running.offer.weights import AcceptedLicenses, Weights
from studio.running.pool import DefaultEngine, EnginePool
from studio.running.release_choice import ReleaseChoice
from studio.running.worker import EngineWorker
from studio.running.zero_gpu.zero_gpu import ZeroGpu, open_zero_gpu
from studio.settings import Settings
from studio.speakers.clips_at_hand import ClipsAtHand
from studio.speakers.registry import LiveGenerations
from studio.speakers.speaker import Enrollment, Generation, Speaker, speaker_key
from studio.speakers.speaker_aliases import SpeakerAliases
from studio.speakers.store import SpeakerStore
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.speech.body import ConversionBody, Inline, SpeechBody, SpeechFields
from studio.speech.conversion import ConversionRequest, ReadSource, check_converts, chosen_converter, conversion_of
from studio.speech.history import History
from studio.speech.opener import SpeechOpener
from studio.speech.request import SpeechRequest, named_speaker, request_of
from studio.speech.request_log import RequestLog
from studio.speech.speech import Speech
from studio.speech.utterance import Readings
from studio.speech.voice_of import Fields, as_meant, can_learn, has_speaker, shadow_of
from studio.storage.trash import Trash
from studio.timeline import Timeline
from studio.web.owners import owner_refusal
from studio.workspace import EVERYBODY

__all__ = ["Studio"]


class Studio:
    """Engines, speakers, prompts and speech. Every method may be called from any thread and blocks until it is done.

    infos, open_engine, weights, free_bytes: the engines on offer, where their weights come from, and the memory that is free for one on a
    device; the catalog's and the machine's by default, fakes in tests. gpu_host: what lends a GPU; None for the one that settings
    say. default: the engine of who names none. estimators: what the studio hears by itself, as estimates.
    store: all speakers, of whatever workspace. weights: fetches what can be downloaded. licenses: those that forbid uses and were accepted.
    releases: which weights engines open, of several; release_choice: chooses. request_log: for doors to write into. remote_audio: fetches
    recordings that requests name. transcriber: writes down what is said in one. end_speech(): tells all listeners that the studio is
    closing, which it is from then on, and waits for nothing. What belongs to a workspace is seen through `within`, everybody's without
    it: workspace_speakers: its speakers. prompts: the way to a speaker's prompt. matrix: what every engine knows of every speaker.
    readings: of texts. aliases: other names of speakers. consents: those that were recorded. history, library, listening: for the page.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        infos: Mapping[str, EngineInfo] | None = None,
        open_engine: Callable[[str], Engine] | None = None,
        weights: Mapping[str, catalog.WeightsSource] | None = None,
        free_bytes: Callable[[str | None], int | None] = free_bytes,
        gpu_host: ZeroGpu | None = None,
    ):
        self.settings, self._free_bytes = settings, free_bytes
        self.releases = Releases(settings, None if infos is not None else settings.speakers_dir / "releases.json")
        self._infos = dict(infos) if infos is not None else offered(self.releases.settings)
        if settings.default_engine not in self._infos:
            raise EngineUnknown(settings.default_engine, tuple(self._infos))
        self._pool = EnginePool(
            self._infos,
            lambda name: self.default.opening(name, lambda: self._open_where_it_fits(name, open_engine or self._open_from_catalog)),
            settings,
            availability=lambda name: None if open_engine else self.releases.look(name)(),
            gpu_host=gpu_host or (open_zero_gpu() if settings.zero_gpu else None),
            when_opened=lambda name, engine: self._remote_cleanup.clean_up_now(name, engine),  # noqa: PLW0108 - which is made later
        )
        self.end_speech = self._pool.begin_closing
        live, self._clips_at_hand = LiveGenerations(), ClipsAtHand()
        self.request_log, self.remote_audio, self.fits = RequestLog(), RemoteAudio(), MachineFits(settings, self._infos)
        self.store = SpeakerStore(
            settings.speakers_dir,
            most_speakers=settings.most_speakers,
            policy=settings.registration_policy,
            engines=lambda: self._pool.infos.values(),  # noqa: PLW0108 - those that run elsewhere declare more later
            live_generations=live,
        )
        n_bytes, n_entries = settings.cache_max_bytes, settings.cache_max_entries
        self._cache = SpeakerCache(live, max_bytes=n_bytes, max_entries=n_entries, on_drop=self._forget_prepared)
        self._remote_cleanup = RemoteCleanup(self.store, self._cache, self._pool, lambda: self._trash.files())  # noqa: PLW0108
        self.transcriber = Transcriber(settings.transcriber, 60 * settings.unload_after_minutes)
        self.estimators = Estimators(self.transcriber, 60 * settings.unload_after_minutes)
        words = WrittenWords(self.transcriber, self.store, is_allowed=not settings.strict_compat)
        self.prompts = Prompts(self.store, self._cache, self._pool, words, self._remote_cleanup, learn_seconds=learn_seconds(settings))
        self.licenses = AcceptedLicenses(settings.speakers_dir / "licences.json", settings.accept_licenses)
        origins = sources(self.releases.settings, infos) if weights is None else weights
        self.weights = Weights(self._infos, origins, self._reconsider, licenses=self.licenses)
        self.release_choice = ReleaseChoice(self.releases, self._infos, self._pool, self.weights, self.fits)
        self.default = DefaultEngine(settings, self._infos, lambda name: not self.weights.are_lacking(name), self._pool.carries_one_more)
        self.history = History(settings.speakers_dir / "history", most_entries=settings.most_history_entries, is_live=live.holds)
        self._trash = Trash(settings.speakers_dir / "trash", on_gone=self._forget_trashed)
        self.listening = Listening(settings.speakers_dir / "listening", has_shared_memory=not settings.space_id)
        self.history.forget_dead()
        live.when_gone(self._forget_generation)
        self.matrix = CacheMatrix(WorkspaceSpeakers(self.store), self._cache, self._pool, self.prompts, self.weights.are_lacking)
        self.readings = Readings(settings, KeptLexicon(settings.speakers_dir / "lexicons"))
        self.aliases = SpeakerAliases(settings.speakers_dir / "aliases", settings.speaker_aliases)
        self.consents = KeptConsents(settings.speakers_dir / "consents", settings, in_use=self.store.consents)
        self._settle_in(EVERYBODY, is_owner=not settings.has_visitors)
        of_workspaces = (self.history, self.listening, self.readings.lexicon, self.aliases, self.consents)
        self._expiry = Expiry(settings, self.store, of_workspaces, self._forget_generation)

    def within(self, workspace: str, *, is_owner: bool | None = None) -> "Studio":
        """The same studio as one workspace sees it: its speakers and everybody's, its history, its counts.

        workspace: EVERYBODY, NOBODY, or a visitor's (studio/workspace.py). is_owner: whether who asks runs the studio; None: as here for
        this workspace, and not for another. The view is for one request; it is never closed.
        """
        is_owner = self.is_owner and workspace == self.workspace if is_owner is None else is_owner
        if (workspace, is_owner) == (self.workspace, self.is_owner):
            return self
        view = copy(self)
        view._settle_in(workspace, is_owner=is_owner)
        return view

    def check_owner(self, of: str = EVERYBODY) -> None:
        """Before what changes something of that workspace: what is everybody's is the owner's alone to change. Raises OwnerOnly."""
        if of == EVERYBODY and not self.is_owner:
            raise owner_refusal(self.settings)

    def _settle_in(self, workspace: str, *, is_owner: bool) -> None:
        self.workspace, self.is_owner = workspace, is_owner
        self.workspace_speakers = speakers = WorkspaceSpeakers(self.store, workspace, self.settings.most_workspace_speakers)
        self.prompts, self.matrix = self.prompts.seen_from(speakers), self.matrix.seen_from(speakers)
        self.history = self.history.seen_from(workspace)
        self.readings, self.aliases = self.readings.seen_from(workspace), self.aliases.seen_from(workspace)
        self.consents = self.consents.seen_from(workspace)
        of_workspace = speakers, self.prompts, self.history, self.readings, self.aliases
        self._opener = SpeechOpener(self._pool, self._cache, self._remote_cleanup, *of_workspace)
        self.listening = self.listening.seen_from(self)
        when_renamed = (self.listening.speaker_renamed, self.aliases.speaker_renamed)
        self.library = Library(speakers, self._cache, self._trash, self.enroll, self.forget, when_renamed=when_renamed)

    # --- engines

    def engines(self) -> tuple[EngineStatus, ...]:
        return self._pool.statuses()

    def engine_info(self, engine: str | None = None) -> EngineInfo:
        """What an engine (the default one when None) declares. Raises EngineUnknown."""
        return self._worker(engine).info

    def engine_id(self, engine: str | None = None) -> str:
        """Of the engine that has this name: its id, the hub's id of its weights, or an alias that was set. Raises EngineUnknown."""
        return self._pool.engine_id(engine or self.default.id)

    def engine_meant(self, fields: SpeechFields, text: str = "") -> str:
        """Of a request that names none the id, see DefaultEngine.meant_by. fields: of the request."""
        fields = fields if self.default.id == self.default.usual else self.as_meant(fields)
        name, inline = named_speaker(fields), fields.inline
        return self.default.meant_by(
            text, fields.language, name or inline, lambda info: can_learn(info, name, inline, self.workspace_speakers)
        )

    def as_meant(self, fields: Fields) -> Fields:
        """The fields of a request, with the voice that its `voice` stands for where that is an alias. Raises EngineUnknown."""
        return as_meant(fields, self.aliases, lambda: self.engine_info(fields.model), self.workspace_speakers)

    def begin_loading(self, engine: str | None = None) -> None:
        """Start opening an engine without waiting; when None the default one, and all that run elsewhere. Raises EngineUnknown."""
        for name in (self.engine_id(engine),) if engine else sorted({self.default.id} | self._pool.far):
            self._pool.worker(name).begin_loading()

    def check_memory(self, engine: str) -> None:
        """Raises EngineUnknown; InsufficientMemory where an engine that is not loaded is certain not to fit into memory."""
        worker, chosen = self._worker(engine), self.settings.for_engine(self.engine_id(engine))
        if worker.ready or is_small(worker.info):
            return
        loaded = [(status.info, status.memory_bytes) for status in self._pool.statuses() if status.state == "ready"]
        check_memory(worker.info, self._free_bytes(chosen.device), loaded)

    def load(self, engine: str | None = None) -> EngineStatus:
        """Open an engine now, the default one when None: where opening it shows that it cannot be that, the one that is instead.

        Raises EngineUnknown, EngineUnavailable, EngineFailed, InsufficientMemory.
        """
        name = self.engine_id(engine)
        try:
            self._pool.worker(name).load()
        except EngineError:
            if engine or self.default.id == name:
                raise
        return self._pool.worker(name).status() if engine or self.default.id == name else self.load()

    def unload(self, engine: str) -> EngineStatus:
        """Close an engine and free its memory; the next request opens it again. Raises EngineUnknown, EngineInUse, NothingToUnload."""
        self._worker(engine).unload()
        return self._worker(engine).status()

    # --- speakers

    def enroll(self, recording: Enrollment, prompts: Sequence[tuple[PromptKey, SpeakerPrompt]] = ()) -> Speaker:
        """Store a speaker. One of the same name is replaced and forgotten once the new one is safe on disk. Raises what the store does.

        prompts: what is known of it already. Engines that are loaded learn the rest in the background, if the settings say so.
        """
        speaker, replaced = self.workspace_speakers.add(recording if self.settings.strict_compat else recording.measured())
        if replaced is not None:
            self._forget_generation(replaced.generation)
        with suppress(OSError):  # the disk that took the voice and is full now: it is learned again
            for key, prompt in prompts:
                self.store.write_prompt(speaker.generation, key, prompt)
        refusing = self.prompts.note_refusals(speaker, recording.clip)
        if self.settings.warm_uploads:
            lent = self._clips_at_hand.lend(speaker, recording.clip)
            for status in self._pool.statuses():
                if status.state == "ready" and status.info.id not in refusing and incompatibility_of(speaker, status.info) is None:
                    self.prompts.warm_unasked(lent, status.info.id)
        return speaker

    def speakers(self) -> tuple[Speaker, ...]:
        """All that this workspace sees, as the folder is now. Raises SpeakersUnreachable."""
        return self.workspace_speakers.speakers()

    def speaker(self, name: str) -> Speaker:
        """Raises SpeakerUnknown, SpeakersUnreachable."""
        return self.workspace_speakers.get(name)

    def shadow_of(self, speaker: Speaker) -> SpeakerShadowed | None:
        """Why nobody can speak with it by its name: built-in speakers are called the same. None where it can be asked for."""
        return shadow_of(speaker, self._pool.infos.values()) if self.store.is_reserved(speaker_key(speaker.name)) else None

    def forget(self, name: str) -> Speaker:
        """Delete a speaker from disk, cache and engines. Speech under way ends in the voice it began with.

        Raises SpeakerUnknown, SpeakerNotYours.
        """
        speaker = self.workspace_speakers.own(name)
        try:
            speaker = self.workspace_speakers.remove(name)
        finally:  # a disk that fails after the file is gone must not keep the voice in memory
            if speaker.generation not in self.store.live_generations:
                self._forget_generation(speaker.generation)
        return speaker

    # --- prompts

    def warm(self, name: str, engine: str | None = None, **how: Unpack[HowToWarm]) -> WarmResult:
        """Extract, store and prepare a speaker's prompt for an engine (the default one when None); see Prompts.warm."""
        return self.prompts.warm(name, self.engine_id(engine), **how)

    def evict(self, name: str, engine: str | None = None) -> Speaker:
        """Drop a speaker's prompt for one engine from memory, disk and engine; the next request extracts it again."""
        return self.prompts.evict(name, self.engine_id(engine))

    def stats(self) -> CacheStats:
        """One consistent snapshot of the speaker cache: what this workspace has of it, and all of it without one."""
        return self._cache.stats() if self.workspace == EVERYBODY else self._cache.stats(self.workspace)

    # --- speech

    def say(
        self,
        body: SpeechBody,
        timeline: Timeline,
        *,
        keep: bool = False,
        fetch: Fetch | None = None,
        reading: Reading | None = None,
        delivery: Delivery = Delivery(),
    ) -> Speech:
        """`speak` what a body asks for; what goes wrong is told in its words. Blocks while reference audio is fetched and decoded.

        keep: whether the speech goes into the history. fetch: how http(s) recordings come, the studio's own way when None.
        reading: what a door has read already, of a text that came in pieces.
        Raises EngineUnknown, RequestInvalid, FetchesBusy, and what `speak` raises.
        """
        worker = self._worker(body.model or self.engine_meant(body, body.input))
        info, fetch = worker.info_for(timeline), fetch or self.remote_audio.fetch
        request = request_of(body, info, self.settings, timeline, fetch, keep=keep, reading=reading, delivery=delivery)
        with self._opener.told_as_asked(request, info):
            return self._opener.begin(worker, request, timeline)

    def repeat(
        self,
        body: ConversionBody,
        read_source: ReadSource,
        timeline: Timeline,
        *,
        keep: bool = False,
        fetch: Fetch | None = None,
        delivery: Delivery = Delivery(),
    ) -> Speech:
        """`convert` recorded speech as a body asks; else as `say`. read_source: the recording; blocks.

        Raises RequestInvalid, FetchesBusy, what `converter` and `convert` raise, and what reading does.
        """
        body = self.as_meant(body)
        worker = self._pool.worker(self.converter(body.model or None, named_speaker(body), body.inline).id)
        info, fetch = worker.info_for(timeline), fetch or self.remote_audio.fetch
        request = conversion_of(body, info, self.settings, timeline, fetch, read_source=read_source, keep=keep, delivery=delivery)
        with self._opener.told_as_asked(request, info):
            return self.convert(request, timeline)

    def speak(self, request: SpeechRequest, timeline: Timeline | None = None) -> Speech:
        """Start speaking. Returns once the speaker prompt is at hand and the stream is queued; the chunks come through the Speech.

        Raises EngineUnknown, SpeakerUnknown, SpeakerRequired, SpeakerShadowed, SpeakersUnreachable, WordsMissing, EngineBusy, and what the
        engine raises about clip, text and options.
        """
        return self._opener.begin(self._worker(request.engine), request, timeline or Timeline())

    def convert(self, request: ConversionRequest, timeline: Timeline | None = None) -> Speech:
        """Start saying recorded speech again, by another speaker; else as `speak`.

        Raises ConversionUnsupported, RecordedSpeechUnusable as well.
        """
        info = self.converter(request.engine, request.speaker, request.inline)
        return self._opener.begin(self._pool.worker(info.id), replace(request, engine=info.id), timeline or Timeline())

    def converter(self, engine: str | None = None, speaker: str | None = None, inline: Inline = None) -> EngineInfo:
        """What the named engine declares, which converts recorded speech; None for the first that does and has the speaker.

        inline: what of the speaker comes with the request, if anything, and is meant in place of a name.
        Raises EngineUnknown, ConversionUnsupported, SpeakersUnreachable.
        """
        if engine is None:
            return chosen_converter(self.engines(), self.default.id, lambda e: has_speaker(e, speaker, inline, self.workspace_speakers))
        check_converts(info := self.engine_info(engine), self._pool.infos.values())
        return info

    def close(self) -> None:
        """Cancel speech, close engines, finish what is being written."""
        self._expiry.close()
        self.prompts.stop_learning()
        for part in (self.listening, self.weights, self._pool, self.estimators, self.transcriber, self.prompts, self._trash, self.history):
            part.close()

    # --- private

    def _worker(self, engine: str | None) -> EngineWorker:
        return self._pool.worker(self.engine_id(engine))

    def _forget_generation(self, generation: Generation) -> None:
        """What a speaker leaves in memory and elsewhere, and what was kept of its speech."""
        self._cache.forget(generation)
        self._forget_trashed(generation.id)

    def _forget_trashed(self, generation_id: str) -> None:
        self.history.forget(generation_id)
        self._remote_cleanup.clean_up()

    def _forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """It has left the cache."""
        self._pool.forget_prepared(key, prompt)
        self._remote_cleanup.clean_up(key.engine)

    def _open_where_it_fits(self, name: str, open_engine: Callable[[str], Engine]) -> Engine:
        self.check_memory(name)
        return open_engine(name)

    def _open_from_catalog(self, name: str) -> Engine:
        if (lack := self.releases.look(name)()) is not None:
            raise lack
        self.weights.bring(name)  # they are here, or a hub has them and it was said that it should be asked
        return open_from_catalog(self.releases.settings, name)

    def _reconsider(self, engine: str) -> None:
        """Its weights have come: what made it unavailable is over."""
        with suppress(EngineInUse):
            self._pool.worker(engine).unload()
        if self.default.awaits(engine):
            self.begin_loading(engine)
