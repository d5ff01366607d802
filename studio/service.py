"""Studio: the verbs, in one object that every door holds. It calls the rooms in order, and knows no HTTP and no page."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Unpack

import numpy as np

from engines.contract.contract import EngineInfo
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineError
from studio.assembly import StudioParts, Substitutes, assemble
from studio.consents.kept_consents import KeptConsents
from studio.errors import SpeakerShadowed
from studio.evaluations.evaluations import Evaluations
from studio.lexicons.kept_lexicon import KeptLexicon
from studio.library.library import Library
from studio.listening.listening import Listening
from studio.listening.pairs.pairs import BlindPairs
from studio.prompt_key import PromptKey
from studio.prompts.matrix import CacheMatrix
from studio.prompts.prompts import HowToWarm, Prompts, WarmResult
from studio.prompts.stats import CacheStats
from studio.prompts.status import incompatibility_of
from studio.reference.reference_audio import Fetch
from studio.running.delivery import Delivery
from studio.running.jobs.stop_signal import StopSignal
from studio.running.lifecycle import EngineStatus
from studio.running.worker import EngineWorker
from studio.scripts.scripts import Scripts
from studio.settings import Settings
from studio.speakers.speaker import Enrollment, Speaker, speaker_key
from studio.speakers.speaker_aliases import SpeakerAliases
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.speech.body import ConversionBody, Inline, SpeechBody, SpeechFields
from studio.speech.conversion import ConversionRequest, ReadSource, check_converts, chosen_converter, conversion_of
from studio.speech.editing.edit_body import EditBody
from studio.speech.editing.edit_request import EditRequest
from studio.speech.editing.edited_sound import EditedSound
from studio.speech.editing.editing import Editing, Watch
from studio.speech.history import History
from studio.speech.opener import SpeechOpener
from studio.speech.request import DoorFields, SpeechRequest, named_speaker, request_of
from studio.speech.speech import Speech
from studio.speech.timed_words import TimedWord
from studio.speech.utterance import Readings
from studio.speech.voice_of import Fields, as_meant, can_learn, has_speaker, shadow_of
from studio.timeline import Timeline
from studio.web.owners import owner_refusal
from studio.workspace import EVERYBODY, Workspace

__all__ = ["Studio"]


class Studio:
    """Engines, speakers, prompts and speech. Every method may be called from any thread and blocks until it is done.

    `Studio(settings)` opens one, which is everybody's; `within` gives what a workspace sees of it. instead: see Substitutes.
    default: the engine of who names none. estimators: what the studio hears by itself, as estimates.
    store: all speakers, of whatever workspace. weights: fetches what can be downloaded. licenses: those that forbid uses and were accepted.
    releases: which weights engines open, of several; release_choice: chooses. request_log: for doors to write into. remote_audio: fetches
    recordings that requests name. transcriber: writes down what is said in one. end_speech(): tells all listeners that the studio is
    closing, which it is from then on, and waits for nothing. workspace_speakers: those that the workspace sees. history: its speeches that
    are kept. gpu_host: what lends a GPU, where it does.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        parts: StudioParts | None = None,
        workspace: Workspace | None = None,
        **instead: Unpack[Substitutes],
    ):
        """parts: of the studio that is seen from this workspace; None to open one."""
        self._parts = parts = assemble(settings, **instead) if parts is None else parts
        seen_from = workspace or Workspace(EVERYBODY, is_owner=not settings.has_visitors)
        self.workspace, self.is_owner, self.settings = seen_from.name, seen_from.is_owner, settings
        engines, speakers = parts.engines, parts.speakers
        self.releases, self.release_choice, self.fits = engines.releases, engines.release_choice, engines.fits
        self.weights, self.licenses, self.default = engines.weights, engines.licenses, engines.default
        self.transcriber, self.estimators = parts.transcriber, parts.estimators
        self.request_log, self.remote_audio = parts.request_log, parts.remote_audio
        self.store, self._pool, self._cache = speakers.store, engines.pool, speakers.cache
        self.end_speech, self.gpu_host = engines.pool.begin_closing, engines.pool.gpu_host
        self.workspace_speakers = WorkspaceSpeakers(speakers.store, self.workspace, settings.most_workspace_speakers)
        self.history = History(speakers.history, self.workspace)

    def within(self, workspace: str, *, is_owner: bool | None = None) -> "Studio":
        """The same studio as one workspace sees it: its speakers and everybody's, its history, its counts.

        workspace: EVERYBODY, NOBODY, or a visitor's (studio/workspace.py). is_owner: whether who asks runs the studio; None: as here for
        this workspace, and not for another. The view is for one request; it is never closed.
        """
        is_owner = self.is_owner and workspace == self.workspace if is_owner is None else is_owner
        if (workspace, is_owner) == (self.workspace, self.is_owner):
            return self
        return Studio(self.settings, parts=self._parts, workspace=Workspace(workspace, is_owner))

    def check_owner(self, of: str = EVERYBODY) -> None:
        """Before what changes something of that workspace: what is everybody's is the owner's alone to change. Raises OwnerOnly."""
        if of == EVERYBODY and not self.is_owner:
            raise owner_refusal(self.settings)

    # --- parts of the workspace, made when they are asked for

    @cached_property
    def prompts(self) -> Prompts:
        """The way to a speaker's prompt."""
        return Prompts(self._parts.supply, self.workspace_speakers)

    @cached_property
    def matrix(self) -> CacheMatrix:
        """What every engine knows of every speaker."""
        return CacheMatrix(self.workspace_speakers, self._parts.supply, self._parts.keys, self.weights.are_lacking)

    @cached_property
    def lexicon(self) -> KeptLexicon:
        """The pronunciation dictionary."""
        return KeptLexicon(self._parts.lexicons, self.workspace)

    @property
    def readings(self) -> Readings:
        """Of texts, by the dictionary."""
        return Readings(self.settings, self.lexicon)

    @cached_property
    def aliases(self) -> SpeakerAliases:
        """Other names of speakers."""
        return SpeakerAliases(self._parts.aliases, self._parts.outer_aliases, self.workspace)

    @cached_property
    def consents(self) -> KeptConsents:
        """Those that were recorded."""
        return KeptConsents(self._parts.consents, self.workspace)

    @cached_property
    def listening(self) -> Listening:
        """Listening tests."""
        return Listening(self._parts.listening, self)

    @cached_property
    def scripts(self) -> Scripts:
        """Texts with a cast, line by line."""
        return Scripts(self._parts.scripts, self)

    @cached_property
    def evaluations(self) -> Evaluations:
        """Which engine is better, by figures."""
        return Evaluations(self._parts.evaluations, self)

    @cached_property
    def pairs(self) -> BlindPairs:
        """What is heard blind beside the tests, one vote each."""
        return BlindPairs(self._parts.open_pairs, self._parts.votes, self)

    @cached_property
    def library(self) -> Library:
        """What a person does with stored speakers, with a way back."""
        trash = self._parts.speakers.trash
        return Library(self.workspace_speakers, self._cache, trash, self.enroll, self.forget, when_renamed=self._speaker_renamed)

    @cached_property
    def _opener(self) -> SpeechOpener:
        supply, cleanup = self._parts.supply, self._parts.speakers.remote_cleanup
        return SpeechOpener(supply, cleanup, self.workspace_speakers, self.history, self.readings, self.aliases)

    @cached_property
    def _editing(self) -> Editing:
        parts, default = self._parts, lambda: self.default.id
        return Editing(self.settings, self._pool, self._opener, self.workspace_speakers, parts.transcriber, default)

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
        learns = partial(can_learn, name=name, inline=inline, workspace_speakers=self.workspace_speakers)
        return self.default.meant_by(text, fields.language, name or inline, learns, self._pool.carries_one_more)

    def as_meant(self, fields: Fields) -> Fields:
        """The fields of a request, with the voice that its `voice` stands for where that is an alias. Raises EngineUnknown."""
        return as_meant(fields, self.aliases, lambda: self.engine_info(fields.model), self.workspace_speakers)

    def gpu_seconds(self, engine: str | None, spoken_seconds: float) -> int | None:
        """See EngineWorker. Raises EngineUnknown."""
        return self._worker(engine).gpu_seconds(spoken_seconds)

    def begin_loading(self, engine: str | None = None) -> None:
        """Start opening an engine without waiting; when None the default one, and all that run elsewhere. Raises EngineUnknown."""
        for name in (self.engine_id(engine),) if engine else sorted({self.default.id} | self._pool.far):
            self._pool.worker(name).begin_loading()

    def check_memory(self, engine: str) -> None:
        """Raises EngineUnknown; InsufficientMemory where an engine that is not loaded is certain not to fit into memory."""
        self._pool.check_memory(self.engine_id(engine))

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
        speaker, replaced = self.workspace_speakers.add(recording.measured() if self.settings.dialect.measures_uploads else recording)
        if replaced is not None:
            self._parts.speakers.forgetter.forget(replaced.generation)
        with suppress(OSError):  # the disk that took the voice and is full now: it is learned again
            for key, prompt in prompts:
                self.store.write_prompt(speaker.generation, key, prompt)
        refusing = self._parts.supply.note_refusals(speaker, recording.clip)
        if self.settings.warm_uploads:
            lent = self._parts.clips_at_hand.lend(speaker, recording.clip)
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
                self._parts.speakers.forgetter.forget(speaker.generation)
        return speaker

    # --- prompts

    def warm(self, name: str, engine: str | None = None, **how: Unpack[HowToWarm]) -> WarmResult:
        """Extract, store and prepare a speaker's prompt for an engine (the default one when None); see Prompts.warm."""
        return self.prompts.warm(name, self.engine_id(engine), **how)

    def unrefined(self) -> AbstractContextManager[None]:
        """Within it, what engines learn of this workspace's speakers stays as it was learned at first."""
        return self._parts.supply.refiner.resting(self.workspace)

    def evict(self, name: str, engine: str | None = None) -> Speaker:
        """Drop a speaker's prompt for one engine from memory, disk and engine; the next request extracts it again."""
        return self.prompts.evict(name, self.engine_id(engine))

    def stats(self) -> CacheStats:
        """One consistent snapshot of the speaker cache: what this workspace has of it, and all of it without one."""
        return self._cache.stats() if self.workspace == EVERYBODY else self._cache.stats(self.workspace)

    # --- speech

    def say(self, body: SpeechBody, timeline: Timeline, *, fetch: Fetch | None = None, **door: Unpack[DoorFields]) -> Speech:
        """`speak` what a body asks for; what goes wrong is told in its words. Blocks while reference audio is fetched and decoded.

        fetch: how http(s) recordings come, the studio's own way when None. door: what no body says, see SpeakerRequest.
        Raises EngineUnknown, RequestInvalid, FetchesBusy, and what `speak` raises.
        """
        worker = self._worker(body.model or self.engine_meant(body, body.input))
        info, fetch = worker.info_for(timeline), fetch or self.remote_audio.fetch
        request = request_of(body, info, self.settings, timeline, fetch, **door)
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

    def words_of(self, speech: Speech, samples: np.ndarray) -> tuple[TimedWord, ...]:
        """When each word of a speech is heard that is over: as its engine told, else found in its sound. Blocks.

        samples: (T,) float32, all that it handed out. Raises WordTimesUnknown.
        """
        return speech.words_in(samples)

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

    def edit(self, request: EditRequest, timeline: Timeline | None = None, *, stop: StopSignal | None = None) -> EditedSound:
        """Change what is said in a recording; blocks until that is done. Samples that were not to change are the recording's own.

        stop: given by whoever wants it no more. Raises EditUnsupported, EditInvalid, RecordedSpeechUnusable, WordTimesUnknown,
        SpeechCancelled, and what `speak` raises.
        """
        return self._editing.edit(request, timeline or Timeline(), Watch(stop or StopSignal()))

    def edit_as_asked(self, body: EditBody, read_source: ReadSource, timeline: Timeline, watch: Watch) -> EditedSound:
        """`edit` a recording as a body asks; else as `repeat`."""
        return self._editing.edit_as_asked(self.as_meant(body), read_source, timeline, self.remote_audio.fetch, watch)

    def editor(self, engine: str | None = None, speaker: str | None = None, inline: Inline = "recording") -> EngineInfo:
        """What the named engine declares, which changes recordings; None for the first that does and has the speaker.

        inline: what of the speaker comes with the request and is meant in place of a name: as a rule the recording itself.
        Raises EngineUnknown, EditUnsupported, SpeakersUnreachable.
        """
        return self._editing.editor(engine, speaker, inline)

    def close(self) -> None:
        """Cancel speech, close engines, finish what is being written."""
        self._parts.close()

    # --- private

    def _speaker_renamed(self, before: str, after: str) -> None:
        for part in (self.listening, self.scripts, self.aliases):
            part.speaker_renamed(before, after)

    def _worker(self, engine: str | None) -> EngineWorker:
        return self._pool.worker(self.engine_id(engine))
