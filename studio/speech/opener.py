"""SpeechOpener: turns a request into a Speech: it finds the voice and its prompt, and opens the engine's stream."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from engines.contract.contract import Engine, EngineInfo
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.errors import CallerMistake, PresetUnknown
from studio.audio.time_stretch import SPEED, at_speed, with_speed
from studio.errors import AliasBroken, SpeakerUnknown
from studio.prompt_key import PromptKey
from studio.prompts.cache import CacheResult
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.prompts.source import PromptSource
from studio.prompts.supply import PromptSupply
from studio.running.worker import EngineWorker
from studio.speakers.speaker_aliases import SpeakerAliases
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.speech.explanations import explained
from studio.speech.history import History
from studio.speech.in_turn import SpeechTrack
from studio.speech.kept.entry import HistoryEntry
from studio.speech.request import SpeakerRequest
from studio.speech.speech import Speech
from studio.speech.utterance import Readings
from studio.speech.voice_of import resolve_prompt
from studio.timeline import Timeline
from studio.workspace import NOBODY

__all__ = ["SpeechOpener"]


@dataclass(eq=False)
class SpeechOpener:
    """Of one workspace: the first two are everybody's, all else is its own. Thread-safe."""

    supply: PromptSupply
    remote_cleanup: RemoteCleanup
    workspace_speakers: WorkspaceSpeakers
    history: History
    readings: Readings
    aliases: SpeakerAliases

    @contextmanager
    def told_as_asked(self, request: SpeakerRequest, info: EngineInfo) -> Iterator[None]:
        """What goes wrong within is told in the words of who sent it."""
        try:
            yield
        except CallerMistake as error:
            error.of_engine(info.title)
            names, infos = (lambda: (speaker.name for speaker in self.workspace_speakers.speakers())), self.supply.pool.infos.values()
            raise explained(error, request, info, names, infos) from error

    def begin(self, worker: EngineWorker, request: SpeakerRequest, timeline: Timeline) -> Speech:
        """Returns once the prompt is at hand and the stream is queued. Raises what Studio.speak and Studio.convert do.

        worker: of the engine that speaks.
        """
        opened = worker.load_for(timeline)
        info = opened.info
        utterance = request.utterance(info, self.readings)
        schema = with_speed(info.options)
        resolved = dict(resolve_options(schema, request.options))
        options = dict(resolved)
        # Of the sound, where the engine knows one pace only.
        stretch = 1.0 if schema == info.options else float(options.pop(SPEED.name) or 1.0)
        request, source, lookup = self._resolved(request, opened, timeline)
        key = source.key(opened)
        prompt = lookup.prompt if source.transcript is None else lookup.prompt.with_transcript(source.words_for(info))
        if source.transcript is not None and info.transcript == "optional" and prompt.transcript is None:
            request = replace(request, ignored=(*request.ignored, "ref_text"))  # which whoever asked is told
        timeline.cache = lookup.outcome
        timeline.mark("prompt")
        use, track = ExitStack(), SpeechTrack(timeline.part_seconds)

        def chunks(engine: Engine):
            if engine.info.runs == "elsewhere":  # what it needs there stays, until the speech is over
                use.enter_context(self.remote_cleanup.using(key))
            return at_speed(utterance.chunks(engine, prompt, options, stretch, track), info.sample_rate, stretch)

        def end(engine: Engine) -> None:
            with use:
                self.supply.activity.record_speech(source.owner, key.engine, timeline)
                self._drop_uncached(key, prompt, engine)

        stream = worker.stream(
            chunks,
            timeline,
            on_end=end,
            expected_seconds=utterance.seconds(resolved, own=options),
            knows_length=utterance.knows_length,
            delivery=request.delivery,
        )
        record = None
        # inline recordings are nobody's, so nobody could delete what they said
        if request.keep and source.speaker is not None and self.workspace_speakers.workspace != NOBODY:
            entry = HistoryEntry.begun(request, info, source, {**resolved}, self.workspace_speakers.workspace)
            record = self.history.recorder(entry, timeline)
        speech = Speech(request, stream, info, source.speaker, prompt.facts, record=record)
        speech.utterance, speech.track = utterance, track
        return speech

    def _resolved(self, request: SpeakerRequest, opened: Engine, timeline: Timeline) -> tuple[SpeakerRequest, PromptSource, CacheResult]:
        """The request with the speaker that its name stands for, where nobody is called so; and his prompt. Raises AliasBroken as well."""
        try:
            speakers, engines = self.workspace_speakers, self.supply.pool.infos
            found = resolve_prompt(request, opened, timeline, workspace_speakers=speakers, engines=engines, supply=self.supply)
            return request, *found
        except (SpeakerUnknown, PresetUnknown) as error:
            if request.alias:
                raise AliasBroken(request.alias, request.speaker or "") from error
            alias = self.aliases.get(request.speaker) if request.speaker else None
            if alias is None:
                raise
        return self._resolved(replace(request, speaker=alias.speaker, alias=request.speaker or ""), opened, timeline)

    def _drop_uncached(self, key: PromptKey, prompt: SpeakerPrompt, engine: Engine) -> None:
        """What the engine prepared of it, where the cache did not take it or has it no longer. On the engine's thread."""
        if self.supply.cache.contains(key, prompt):
            return
        if engine.info.runs == "here":
            engine.forget(prompt.content_digest)
        else:  # which may take its time, and a listener waits for the end of the speech
            self.supply.pool.forget_prepared(key, prompt)
