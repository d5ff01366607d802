"""TextStream: a text that comes in pieces, from `synthesize-start` to `synthesize-stop`. It gives the sentences that are settled."""

from collections.abc import Callable

from engines.contract.contract import EngineInfo
from studio.reading.parts import Reading, Words
from studio.reading.units import UnitReader
from studio.service import Studio
from studio.speech.body import SpeechBody
from studio.speech.request import named_speaker

__all__ = ["TextStream"]

GRANULARITY = "sentence"
Units = tuple[Reading, ...]
Sentences = list[tuple[SpeechBody, Reading]]


class TextStream:
    """One engine speaks all of it. Where the client names none, and the default does not speak a sentence's language, the embedded one
    speaks from there on: what the first words are in can hardly be told. The sound keeps its rate.

    asked: who speaks, as the client asked for it; its text is none.
    """

    def __init__(self, studio: Studio, asked: SpeechBody):
        self._studio, self._asked = studio, asked
        self._info: EngineInfo = studio.engine_info(asked.model or studio.engine_meant(asked))
        self._may_move = asked.model is None  # to another engine
        self._text = ""  # so far, while it may
        self._sample_rate: int | None = None  # of all of it, once a sentence was given
        self._units = self._reader()

    @property
    def waiting_characters(self) -> int:
        return self._units.waiting_characters

    def feed(self, text: str, *, is_over: bool = False) -> Sentences:
        """What can be spoken now. is_over: nothing more seems to come."""
        self._text += text if self._may_move else ""
        return self._sentences(self._units.feed(text, is_over=is_over), lambda text: self._units.feed(text, is_over=is_over))

    def rest(self) -> Sentences:
        """At the end of the text."""
        return self._sentences(self._units.rest(), lambda text: self._units.rest(text))  # noqa: PLW0108 - the reader may be another one

    def _sentences(self, units: Units, read: Callable[[str], Units]) -> Sentences:
        """read: reads a text as the units were."""
        found = []
        for unit in units:
            if self._may_move and (meant := self._meant(unit)) != self._info.id:
                start = 0 if self._sample_rate is None else min(part.start for part in unit.parts if isinstance(part, Words))
                return found + self._moved(meant, self._text[start:], read)
            found.append(self._sentence(unit))
        return found

    def _meant(self, unit: Reading) -> str:
        """The engine of a sentence: of the first one, as at every door; after it for the language alone, whoever listens meanwhile."""
        if self._sample_rate is None:
            return self._studio.engine_meant(self._asked, self._text)
        return self._studio.default.meant_by(_text_of(unit), self._asked.language, named_speaker(self._asked))

    def _moved(self, engine: str, text: str, read: Callable[[str], Units]) -> Sentences:
        """That text, read for that engine, which speaks from here on."""
        self._may_move, self._text = False, ""
        self._info = self._studio.engine_info(engine)
        self._units = self._reader()
        return [self._sentence(unit) for unit in read(text)]

    def _sentence(self, unit: Reading) -> tuple[SpeechBody, Reading]:
        own = self._info.sample_rate
        self._sample_rate = self._sample_rate or own
        rate = None if self._sample_rate == own else self._sample_rate
        return self._asked.model_copy(update={"input": _text_of(unit), "model": self._info.id, "sample_rate": rate}), unit

    def _reader(self) -> UnitReader:
        return UnitReader(self._studio.readings.reader(self._asked, self._info, GRANULARITY), GRANULARITY, as_one=True)


def _text_of(unit: Reading) -> str:
    """What is said; of nothing but marks these."""
    return " ".join(piece.text for piece in unit.pieces) or "".join(unit.told_marks)
