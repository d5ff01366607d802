"""Editing: changes of recordings, as one workspace asks for them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from studio.analysis.transcriber import Transcriber
from studio.errors import RequestInvalid, TranscriberMissing
from studio.reading.language import asked_code
from studio.reference.reference_audio import Fetch
from studio.running.jobs.stop_signal import StopSignal
from studio.running.pool import EnginePool
from studio.settings import Settings
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.speech.body import Inline
from studio.speech.conversion import ReadSource
from studio.speech.editing.edit_body import EditBody
from studio.speech.editing.edit_request import EditRequest, check_edits, chosen_editor
from studio.speech.editing.edited_sound import EditedSound
from studio.speech.editing.making import edited
from studio.speech.opener import SpeechOpener
from studio.speech.request import named_speaker, speaker_of, timed_decode
from studio.speech.speech import Speech
from studio.speech.voice_of import has_speaker
from studio.timeline import Timeline

__all__ = ["Editing", "Watch"]

LANGUAGE = "language"  # option of engines


@dataclass(frozen=True)
class Watch:
    """Who waits for an edited recording. stop: given when nobody does any more. on_begun: is told the engine's speech."""

    stop: StopSignal
    on_begun: Callable[[Speech], None] = lambda speech: None


@dataclass(frozen=True, eq=False)
class Editing:
    """opener, workspace_speakers: of the workspace. default_engine: its id. Thread-safe; every method blocks."""

    settings: Settings
    pool: EnginePool
    opener: SpeechOpener
    workspace_speakers: WorkspaceSpeakers
    transcriber: Transcriber
    default_engine: Callable[[], str]

    def editor(self, engine: str | None, speaker: str | None, inline: Inline) -> EngineInfo:
        """See Studio.editor."""
        if engine is None:
            speakers = self.workspace_speakers
            return chosen_editor(self.pool.statuses(), self.default_engine(), lambda info: has_speaker(info, speaker, inline, speakers))
        infos = self.pool.infos
        check_edits(info := self.pool.worker(self.pool.engine_id(engine)).info, infos.values())
        return info

    def edit(self, request: EditRequest, timeline: Timeline, watch: Watch) -> EditedSound:
        """See Studio.edit."""
        info = self.editor(request.engine, request.speaker, "recording" if request.speaks_as_source else request.inline)
        worker = self.pool.worker(info.id)

        def begin(asked: EditRequest) -> Speech:
            speech = self.opener.begin(worker, asked, timeline)
            watch.on_begun(speech)
            return speech

        return edited(replace(request, engine=info.id), begin, watch.stop)

    def edit_as_asked(self, body: EditBody, read_source: ReadSource, timeline: Timeline, fetch: Fetch, watch: Watch) -> EditedSound:
        """`edit` as a body asks, whose voice is no alias; what goes wrong is told in its words. read_source: the recording; blocks.

        Raises RequestInvalid, FetchesBusy, what `editor` and `edit` raise, and what reading and the transcriber do.
        """
        speaker = named_speaker(body)
        inline = body.inline or (None if speaker else "recording")
        info = self.pool.worker(self.editor(body.model or None, speaker, inline).id).info_for(timeline)
        request = self._request(body, info, read_source, timeline, fetch)
        with self.opener.told_as_asked(request, info):
            return self.edit(request, timeline, watch)

    def _request(self, body: EditBody, info: EngineInfo, read_source: ReadSource, timeline: Timeline, fetch: Fetch) -> EditRequest:
        """What the body asks of that engine. Blocks while recordings are fetched and decoded, and words written down."""
        body.check_suited()
        speaker = speaker_of(body, info, self.settings, timeline, fetch)
        words, language = body.known_words, asked_code(body.language, info)
        source = timed_decode(timeline, lambda: read_source(info))
        if not words and (written := self._written(source, language)):
            words, language = written.text, language or written.language
        if not words:
            fact, hint = "The words of the recording are not known.", "Send them as words."
            raise RequestInvalid("edit_invalid", fact, "words", hint, sentence="edit_words_missing")
        if not body.known_words and any(one.has_place for one in body.operations):
            # Who did not see the words cannot count their characters: "nine" may be written "9".
            fact, hint = "start and end count characters of words that were not sent.", "Send words, or name those that change as old."
            raise RequestInvalid("edit_invalid", fact, "words", hint, sentence="edit_words_missing")
        if language and any(option.name == LANGUAGE for option in info.options):
            speaker["options"] = {LANGUAGE: language} | dict(speaker["options"])
        operations = tuple(one.operation(words) for one in body.operations)
        return EditRequest(source, words, operations, whole=body.whole, language=language, **{**speaker, "sample_rate": None})

    def _written(self, source: Clip, language: str | None) -> Transcript | None:
        """None where there is no transcriber, or nothing is heard."""
        try:
            return self.transcriber.write(source, language)
        except TranscriberMissing:
            return None
