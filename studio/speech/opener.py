"""SpeechOpener: from a request to a Speech: whose voice is meant, its prompt, and the stream that the engine is given to make."""

from contextlib import ExitStack
from copy import copy
from dataclasses import replace

from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from studio.audio.time_stretch import SPEED, at_speed, with_speed
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.prompts.left_elsewhere import LeftElsewhere
from studio.prompts.prompts import Prompts
from studio.running.pool import EnginePool
from studio.running.worker import EngineWorker
from studio.settings import Settings
from studio.speakers.shelf import Shelf
from studio.speech.history import History, HistoryEntry
from studio.speech.request import SpeakerRequest
from studio.speech.source import found
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.workspace import NOBODY

__all__ = ["SpeechOpener"]


class SpeechOpener:
    """Thread-safe. What belongs to a workspace comes with `seen_from`, before anything is spoken."""

    def __init__(self, settings: Settings, pool: EnginePool, cache: SpeakerCache, elsewhere: LeftElsewhere):
        self._settings = settings
        self._pool = pool
        self._cache = cache
        self._elsewhere = elsewhere

    def seen_from(self, shelf: Shelf, prompts: Prompts, history: History) -> "SpeechOpener":
        """The same, for whoever has that shelf."""
        view = copy(self)
        view._shelf, view._prompts, view._history = shelf, prompts, history
        return view

    def begin(self, worker: EngineWorker, request: SpeakerRequest, timeline: Timeline) -> Speech:
        """Returns once the prompt is at hand and the stream is queued. Raises what Studio.speak and Studio.convert do.

        worker: of the engine that speaks.
        """
        opened = worker.load_for(timeline)
        info = opened.info
        said = request.said(info, self._settings.most_text_characters)
        schema = with_speed(info.options)
        resolved = dict(resolve_options(schema, request.options))
        options = dict(resolved)
        stretch = 1.0 if schema == info.options else options.pop(SPEED.name)  # of the sound, where the engine knows one pace only
        source, lookup = found(request, opened, timeline, shelf=self._shelf, engines=self._pool.infos, prompts=self._prompts)
        key = source.key(opened)
        prompt = lookup.prompt.with_transcript(source.transcript)
        timeline.cache = lookup.outcome
        timeline.mark("prompt")
        use = ExitStack()

        def chunks(engine: Engine):
            if engine.info.runs == "elsewhere":  # what it needs there stays, until the speech is over
                use.enter_context(self._elsewhere.using(key))
            return at_speed(said.chunks(engine, prompt, options), info.sample_rate, stretch)

        def end(engine: Engine) -> None:
            with use:
                self._prompts.notes.spoke(source.owner, key.engine, timeline)
                self._drop_uncached(key, prompt, engine)

        stream = worker.stream(
            chunks,
            timeline,
            on_end=end,
            expected_seconds=said.seconds(resolved, own=options),
            knows_length=said.knows_length,
            hearing=request.hearing,
        )
        record = None
        # inline recordings are nobody's, so nobody could delete what they said
        if request.keep and source.speaker is not None and self._shelf.workspace != NOBODY:
            entry = HistoryEntry.begun(request, info, source, resolved, self._shelf.workspace)
            record = self._history.recorder(entry, timeline)
        if said.left_out:
            request = replace(request, left_out=request.left_out + said.left_out)
        return Speech(request, stream, info, source.speaker, prompt.facts, record=record)

    def _drop_uncached(self, key: PromptKey, prompt: SpeakerPrompt, engine: Engine) -> None:
        """What the engine prepared of it, where the cache did not take it or has it no longer. On the engine's thread."""
        if self._cache.contains(key):
            return
        if engine.info.runs == "here":
            engine.forget(prompt.content_digest)
        else:  # which may take its time, and a listener waits for the end of the speech
            self._pool.forget_prepared(key, prompt)
