"""Feeding: an utterance that is spoken while its text comes, in as few units as its silences and its length allow."""

import re
from collections.abc import Callable

from studio.api.socket.spoken_unit import SpokenUnit
from studio.reading.parts import NOTHING, Pause, Reading
from studio.reading.reader import Reader
from studio.reading.units import PieceReader
from studio.speech.utterance import FedText

__all__ = ["Feeding"]

_ENDS_SENTENCE = re.compile(r"[.!?…。！？]\W*\Z")
_LAST_CHARACTERS = 200  # of what an engine takes at once: behind them nobody waits for the end of a sentence any more


class Feeding(PieceReader):
    """It has no units of its own. speak: has a text spoken that goes on. most_characters: of one unit."""

    def __init__(self, reader: Reader, speak: Callable[[FedText], SpokenUnit], most_characters: int):
        super().__init__(reader)
        self._speak, self._most_characters = speak, most_characters
        self._text: FedText | None = None
        self._unit: SpokenUnit | None = None
        self._waiting = NOTHING  # silences, marks and what is told of the text, for the next word to be said with

    def feed(self, written: str, *, is_over: bool = False) -> tuple[Reading, ...]:
        """Speak what can be read now. is_over: nothing more seems to come, so that a unit whose sentence has ended is over."""
        self._add(self._reader.feed(written, is_over=is_over))
        is_whole = is_over and not self._reader.has_waiting_words
        if is_whole and self._text is not None and _ENDS_SENTENCE.search(self._text.reading.text):
            self.end()
        return ()

    def rest(self, written: str = "") -> tuple[Reading, ...]:
        """Speak the rest of what has come."""
        self._add(self._reader.rest(written))
        return ()

    def end(self) -> Reading:
        """Nothing more comes. Returns what was read and is said with no word."""
        if self._text is not None:
            self._text.end()
        self._text = self._unit = None
        waiting, self._waiting = self._waiting, NOTHING
        return waiting

    def _add(self, reading: Reading) -> None:
        """What was read next. A silence ends a unit, which others follow."""
        self._waiting = self._waiting.then(Reading((), reading.left_out, reading.changed, reading.untaken))
        for part in reading.parts:
            self._waiting = self._waiting.then(Reading((part,)))
            if isinstance(part, Pause):
                if self._is_under_way:
                    self._hand_over()
                    self.end()
            elif self._is_under_way or any(map(str.isalnum, part.text)):
                self._hand_over()

    @property
    def _is_under_way(self) -> bool:
        """A unit that was spoken to its end, or has failed, takes no more."""
        return self._unit is not None and not self._unit.is_over

    def _hand_over(self) -> None:
        text = self._text if self._is_under_way else None
        if text is None:
            text = self._text = FedText()
        text.add_reading(self._waiting)
        self._waiting = NOTHING
        if not self._is_under_way:
            self._unit = self._speak(text)
        n_left = self._most_characters - text.reading.n_characters
        if n_left < _LAST_CHARACTERS or (n_left < self._most_characters / 2 and _ENDS_SENTENCE.search(text.reading.text)):
            self.end()
