"""EditRequest: the meaning of a request to change what is said in a recording, and which engine is to do it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.contract.editing import EditOperation, checked_edit
from engines.errors import EditUnsupported
from studio.running.lifecycle import EngineStatus
from studio.speech.conversion import first_suited
from studio.speech.editing.edit_utterance import EditUtterance
from studio.speech.request import SpeakerRequest
from studio.speech.timed_words import TimedWord
from studio.speech.utterance import Readings

__all__ = ["EditRequest", "check_edits", "chosen_editor"]


@dataclass(frozen=True, eq=False)
class EditRequest(SpeakerRequest):
    """Say what is said in `source`, with that changed. Nothing of the source is kept.

    words: that are said in it. operations: on them, in characters. word_times: of `words` in the source, where they are known already.
    whole: the engine's sound is the answer as it is; else nothing but the changed words is taken from it.
    language: the code of the words, None where nobody says.
    The voice: as of every SpeakerRequest; of whoever speaks in the source where no voice is named.
    """

    source: Clip
    words: str
    operations: Sequence[EditOperation]
    word_times: Sequence[TimedWord] | None = None
    whole: bool = False
    language: str | None = None

    @property
    def source_seconds(self) -> float:
        return self.source.seconds

    @property
    def text_language(self) -> str | None:
        return self.language

    @property
    def speaks_as_source(self) -> bool:
        """Whether the voice is that of the recording."""
        return self.inline is None and self.speaker is None

    def with_speaker(self) -> Self:
        """The same, whose voice is told."""
        if not self.speaks_as_source:
            return self
        return replace(self, clip=self.source, transcript=Transcript.of(self.words, self.language))

    def utterance(self, info: EngineInfo, readings: Readings) -> EditUtterance:
        """Raises EditUnsupported, EditInvalid, OptionInvalid, RecordedSpeechUnusable."""
        check_edits(info)
        change = checked_edit(info.title, info.edits, self.words, self.operations)
        plain = tuple(replace(one, values=dict(one.values)) for one in change.operations)  # which can be sent to another process
        return EditUtterance.of(self.source, replace(change, operations=plain), info)


# --- the engine


def check_edits(info: EngineInfo, others: Iterable[EngineInfo] = ()) -> None:
    """Raises EditUnsupported where it does not; others: on offer, of which those that do are named."""
    if info.edits:
        return
    able = tuple(other.title for other in others if other.edits)
    if not able:
        raise EditUnsupported(engine=info.title)
    raise EditUnsupported(hint=f"Choose {' or '.join(able)}.", sentence="edit_by_others", engine=info.title, others=able)


def chosen_editor(statuses: Sequence[EngineStatus], default: str, suits: Callable[[EngineInfo], bool]) -> EngineInfo:
    """The engine for who named none, of those that edit. suits: whether it can be asked for the voice; see first_suited.

    Raises EditUnsupported where none edits.
    """
    able = [status for status in statuses if status.info.edits]
    if not able:
        raise EditUnsupported(sentence="edit_by_none")
    return first_suited(able, default, suits)
