"""EditUtterance: what an engine is given of a recording that is to be changed."""

from collections.abc import Container, Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from engines.clips.clip import Clip
from engines.contract.contract import Engine, EngineInfo
from engines.contract.editing import EditedWords, EditKind, RecordingEdit, edited_words
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import SpeechEnd
from engines.errors import ClipUnusable
from studio.errors import RecordedSpeechUnusable
from studio.speech.in_turn import SpeechTrack, spoken_part
from studio.speech.utterance import ClipUtterance

__all__ = ["EditUtterance"]


@dataclass(frozen=True)
class EditUtterance:
    """clip: the recording. change: checked. kinds: of the engine."""

    # It is an estimate, and as near as that of a clip: how long typed texts turned out to be says nothing of it.
    knows_length: ClassVar[bool] = True

    clip: Clip
    change: RecordingEdit
    kinds: tuple[EditKind, ...]

    @property
    def reading(self) -> None:
        return None

    @classmethod
    def of(cls, clip: Clip, change: RecordingEdit, info: EngineInfo) -> Self:
        """Raises RecordedSpeechUnusable for a clip that holds no sound, or more than the engine takes at a time."""
        ClipUtterance.of(clip, info)
        return cls(clip, change, info.edits)

    @cached_property
    def edited(self) -> EditedWords:
        """What is said afterwards."""
        return edited_words(self.change, self.kinds)

    @property
    def changes_all(self) -> bool:
        """Whether a change is of all of it: then no sample stays."""
        places = {kind.name: kind.place for kind in self.kinds}
        return any(places[one.kind] == "whole" for one in self.change.operations)

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float, track: SpeechTrack
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """Raises NoAudio, RecordedSpeechUnusable, and what the engine raises."""
        part = track.begin(self.edited.text, 0, engine.info.sample_rate * pace)
        try:
            return (yield from spoken_part(engine, engine.edit(self.clip, self.change, prompt, options), lambda chunk: chunk, part))
        except ClipUnusable as error:
            raise RecordedSpeechUnusable.instead_of(error) from error

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return self.clip.seconds * max(1, len(self.edited.text)) / len(self.change.words)
