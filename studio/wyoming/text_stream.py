"""TextStream: a text that comes in pieces, from `synthesize-start` to `synthesize-stop`. It gives the sentences that are settled."""

from collections.abc import Callable

from engines.contract.contract import EngineInfo
from studio.reading.parts import Reading
from studio.reading.units import UnitReader
from studio.service import Studio
from studio.speech.body import SpeechBody

__all__ = ["TextStream"]

GRANULARITY = "sentence"
Spoken = list[tuple[SpeechBody, Reading]]


class TextStream:
    """One engine speaks all of it, or its sound would change its rate. Where the client names none, the first sentence tells its language.

    asked: who speaks, as the client asked for it; its text is none. info: of the engine that was asked for.
    """

    def __init__(self, studio: Studio, asked: SpeechBody):
        self._studio, self._asked = studio, asked
        self._info: EngineInfo = studio.engine_info(asked.model or studio.engine_meant(asked))
        self._is_settled = asked.model is not None
        self._text = ""  # so far, until the engine is settled
        self._units = self._reader()

    @property
    def waiting_characters(self) -> int:
        return self._units.waiting_characters

    def feed(self, text: str, *, is_over: bool = False) -> Spoken:
        """What can be spoken now. is_over: nothing more seems to come."""
        self._text += "" if self._is_settled else text
        return self._bodies(self._units.feed(text, is_over=is_over), lambda: self._units.feed(self._text, is_over=is_over))

    def rest(self) -> Spoken:
        """At the end of the text."""
        return self._bodies(self._units.rest(), lambda: self._units.rest(self._text))

    def _bodies(self, units: tuple[Reading, ...], read_again: Callable[[], tuple[Reading, ...]]) -> Spoken:
        if units and not self._is_settled:
            units = self._settled(units, read_again)
        return [(self._asked.model_copy(update={"input": _text_of(unit), "model": self._info.id}), unit) for unit in units]

    def _settled(self, units: tuple[Reading, ...], read_again: Callable[[], tuple[Reading, ...]]) -> tuple[Reading, ...]:
        """The units; where the first of them is for another engine, those of all the text so far, read for that."""
        self._is_settled = True
        meant = self._studio.engine_meant(self._asked, _text_of(units[0]))
        if meant == self._info.id:
            return units
        self._info = self._studio.engine_info(meant)
        self._units = self._reader()
        return read_again()

    def _reader(self) -> UnitReader:
        return UnitReader(self._studio.readings.reader(self._asked, self._info, GRANULARITY), GRANULARITY)


def _text_of(unit: Reading) -> str:
    """What is said; of nothing but marks these."""
    return " ".join(piece.text for piece in unit.pieces) or "".join(unit.told_marks)
