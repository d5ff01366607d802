"""PromptSource: what a prompt is learned from. It is decided once per request, so that audio, digest and owner cannot drift apart.

WrittenWords are the words of recordings that nobody has told, for engines that cannot do without: written down once, and kept.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine, EngineInfo
from engines.contract.prompt import SpeakerPrompt, embedding_digest
from engines.errors import EngineError, TranscriptMismatch
from studio.analysis.transcriber import Transcriber
from studio.errors import SpeakerUnknown, TranscriberFailed, WordsMissing
from studio.prompt_key import Extractor, PromptKey
from studio.speakers.edit import WordsFound
from studio.speakers.speaker import Generation, Speaker
from studio.speakers.store import SpeakerStore
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["PromptSource", "WrittenWords", "from_clip", "from_embedding", "from_preset", "from_speaker"]

Learn = Callable[[Engine], SpeakerPrompt]


@dataclass(frozen=True, eq=False)
class PromptSource:
    """digest: of the clip, "embedding:..." or "preset:...". owner: None for inline audio and presets. scope: as PromptKey has it.

    read_clip: of what is learned from a recording; lesson: of all else, it reads what must be read and gives what `open` does.
    transcript: the words that are asked for. owner_transcript: those that are stored with the owner. words_fit: whether they can be those
    of the recording, as far as it was measured; see `words_for`.
    """

    digest: str
    lesson: Callable[[], Learn] | None = None
    read_clip: Callable[[], Clip] | None = None
    transcript: Transcript | None = None
    owner: Generation | None = None
    owner_transcript: Transcript | None = None
    speaker: str | None = None
    scope: str = EVERYBODY
    words_fit: bool = True

    def open(self) -> Learn:
        """Reads what must be read (not on the engine's thread) and returns what then runs on it."""
        if self.read_clip is None:
            assert self.lesson is not None  # it is one or the other
            return self.lesson()
        clip = self.read_clip()
        return lambda engine: _extracted(engine, clip, self.words_for(engine.info))

    def words_for(self, info: EngineInfo) -> Transcript | None:
        """The words with which that engine learns and speaks: none where they do not fit, and it can do without."""
        return self.transcript if self.words_fit or info.transcript == "required" else None

    def lacks_words(self, info: EngineInfo) -> bool:
        """Whether that engine needs the words of a recording and they are not known."""
        return self.read_clip is not None and self.transcript is None and info.transcript == "required"

    def check_words(self, info: EngineInfo) -> None:
        """Raises WordsMissing where it lacks words."""
        if self.lacks_words(info):
            raise WordsMissing(info.title, self.speaker or "")

    def key(self, extractor: Engine | Extractor) -> PromptKey:
        """Of what that engine learns from it."""
        return PromptKey.of(extractor, self.digest, self.words_for(extractor.info), self.scope)


def from_clip(clip: Clip, transcript: Transcript | None, scope: str) -> PromptSource:
    return PromptSource(clip.digest, read_clip=lambda: clip, transcript=transcript, scope=scope)


def from_embedding(embedding: np.ndarray, scope: str) -> PromptSource:
    """embedding: (D,) float32."""
    return PromptSource(embedding_digest(embedding), lambda: lambda engine: engine.embed(embedding), scope=scope)


def from_preset(name: str) -> PromptSource:
    return PromptSource(f"preset:{name}", lambda: lambda engine: engine.preset(name), speaker=name)


def from_speaker(speaker: Speaker, engine: str = "", transcript: Transcript | None = None) -> PromptSource:
    """A stored speaker, as the engine of that id learns it: what is a blend of its built-in speakers it speaks as that blend.

    engine: "" for whichever learns from the recording. transcript: other words than the stored ones, for this request.
    """
    owned = {"owner": speaker.generation, "speaker": speaker.name, "scope": speaker.workspace}
    if blend := speaker.blend_with(engine):
        return replace(from_preset(blend), **owned)
    if speaker.tensor is not None:
        return PromptSource(speaker.tensor.source_digest, speaker.tensor.lesson, **owned)
    words = transcript or speaker.transcript
    owned |= {"owner_transcript": speaker.transcript}
    fit = transcript is not None or speaker.words_fit  # what is sent with a request is obeyed
    return PromptSource(speaker.source_digest, read_clip=speaker.read_clip, transcript=words, words_fit=fit, **owned)


def _extracted(engine: Engine, clip: Clip, words: Transcript | None) -> SpeakerPrompt:
    """What the engine learns; without words that it hears not to be those of the clip, where it can do without and would weave them in."""
    try:
        return engine.extract(clip, words)
    except TranscriptMismatch:
        if words is None or engine.info.transcript != "optional" or not engine.info.transcript_shapes_prompt:
            raise
        return engine.extract(clip, None).without_words()


# --- words that a transcriber writes


MOST_KEPT = 64  # of recordings that are nobody's voice

log = logging.getLogger("studio")


class WrittenWords:
    """Thread-safe; whoever asks waits for the transcriber, and no listener does.

    Of a stored speaker they become part of it, marked as a machine's: people see and mend them. Of a recording of a request they stay in
    memory, by content and by whose request it was, the last MOST_KEPT, and so does that there are none to be sure of. Of one that is
    nobody's nothing stays.
    is_allowed: whether what nobody asked for may be written at all.
    """

    def __init__(self, transcriber: Transcriber, store: SpeakerStore, *, is_allowed: bool = True):
        self._transcriber = transcriber
        self._store = store
        self._is_allowed = is_allowed
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, str], Future[Transcript | None]] = OrderedDict()

    @property
    def can_write(self) -> bool:
        return self._is_allowed and self._transcriber.is_here

    def added_to(self, source: PromptSource, info: EngineInfo) -> PromptSource:
        """The source, with words where that engine lacks them and they can be written; without, where they can hardly be heard right.

        Raises ClipMissing, TranscriberBusy, SpeechCancelled, SpeakersUnreachable.
        """
        if not source.lacks_words(info) or not self.can_write:
            return source
        try:
            words = self._of(source)
        except TranscriberFailed:  # it is logged; the words are wanted from who asks
            return source
        return replace(source, transcript=words, owner_transcript=words if source.owner else None) if words else source

    def _of(self, source: PromptSource) -> Transcript | None:
        """Who comes while they are being written waits for the same."""
        key = (source.scope, source.digest)
        with self._lock:
            known = self._kept.get(key)
            mine = self._kept.setdefault(key, Future())
            self._kept.move_to_end(key)
        if known is not None:
            words = known.result()
            return self._kept_with(source, words) if words else None
        stays = False
        try:
            words = self._told_meanwhile(source) or self._written(source)
            stays = not source.scope.startswith(NOBODY) and (source.owner is None or words is None)
            mine.set_result(words)
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            self._settle(key, stays=stays)
        return words

    def _settle(self, key: tuple[str, str], *, stays: bool) -> None:
        """What need not stay goes, and the oldest of too many."""
        with self._lock:
            if not stays:
                self._kept.pop(key, None)
            done = [known for known, future in self._kept.items() if future.done()]
            for known in done[: max(0, len(done) - MOST_KEPT)]:
                del self._kept[known]

    def _told_meanwhile(self, source: PromptSource) -> Transcript | None:
        """What the speaker has by now: of whoever wrote it down a moment ago, or has typed it."""
        if source.owner is None or source.speaker is None:
            return None
        speaker = self._store.find(source.speaker, [source.scope])
        return speaker.transcript if speaker is not None and speaker.generation_id == source.owner.id else None

    def _written(self, source: PromptSource) -> Transcript | None:
        assert source.read_clip is not None  # what lacks words is a recording
        words = self._transcriber.certain_words(source.read_clip())
        return self._kept_with(source, words) if words else None

    def _kept_with(self, source: PromptSource, words: Transcript) -> Transcript:
        """The words that the speaker has by now, where they are one's. Where these cannot be kept, they are good for this one speech."""
        if source.owner is None or source.speaker is None:
            return words
        if told := self._told_meanwhile(source):
            return told
        try:
            self._store.edit(source.speaker, WordsFound(source.owner.id, words), source.scope)
        except SpeakerUnknown:
            pass  # deleted meanwhile
        except (EngineError, OSError) as error:
            log.warning("the words of a voice were written down and could not be kept with it: %s", error)
        return self._told_meanwhile(source) or words
