"""FedText: a text that is spoken while it comes, as it was read so far; and the utterance of it."""

from collections.abc import Container, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines.contract.contract import Engine, EngineInfo, SpeechEnd
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.contract.text_feed import TextFeed
from engines.text.spoken_length import estimated_seconds
from studio.errors import RequestInvalid
from studio.reading.parts import NOTHING, Pause, Reading
from studio.speech.in_turn import Gap, spoken_part

__all__ = ["FedText", "FedUtterance", "check_reads_along"]

USUAL_TEXT = 200 * "a"  # for an estimate of what comes while it is spoken: nobody knows how long it will be


class FedText(TextFeed):
    """reading: of all that has come, with the silence before it and behind it."""

    def __init__(self):
        super().__init__()
        self.reading: Reading = NOTHING

    def add_reading(self, reading: Reading) -> None:
        """More of it. A silence is none within the speech: before its first word or behind its last."""
        self.reading = self.reading.then(reading)
        if words := "".join(part.text for part in reading.parts if not isinstance(part, Pause)):
            self.add(words)


def check_reads_along(info: EngineInfo, others: Iterable[EngineInfo] = ()) -> None:
    """Raises RequestInvalid where that engine speaks whole texts alone."""
    if info.reads_along:
        return
    able = ", ".join(other.id for other in others if other.reads_along)
    fact = f"streaming_mode='token_level' needs an engine that reads a text while it comes; {info.title} does not"
    hint = f"{f'Engines that do: {able}.' if able else 'No engine here does.'} Or use streaming_mode='sentence_commit'."
    raise RequestInvalid("unsupported", fact, "streaming_mode", hint, field="streaming_mode")


@dataclass(frozen=True)
class FedUtterance:
    """text: what has come so far, and what will."""

    knows_length: ClassVar[bool] = False

    text: FedText

    @property
    def reading(self) -> Reading:
        return self.text.reading

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """As of a text that is there, with the silence before its first word and behind its last."""
        gap, lead = Gap(engine.info.sample_rate), self.reading.lead
        yield from gap.silence(lead * pace)
        end = yield from spoken_part(engine, engine.stream_along(self.text, prompt, options), gap.heard, self.reading.text)
        yield from gap.silence((self.reading.silence_seconds - lead) * pace)
        return end

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return max(estimated_seconds(text, options, own) for text in (self.reading.text, USUAL_TEXT))
