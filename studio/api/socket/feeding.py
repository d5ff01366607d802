"""Feeding: an utterance that is spoken while its text comes, in as few units as its silences and its length allow."""

import re
from collections.abc import Callable

from studio.api.socket.spoken_unit import SpokenUnit
from studio.reading.parts import NOTHING, Pause, Reading
from studio.speech.utterance import FedText

__all__ = ["Feeding"]

_ENDS_SENTENCE = re.compile(r"[.!?…。！？]\W*\Z")
_LAST_CHARACTERS = 200  # of what an engine takes at once: behind them nobody waits for the end of a sentence any more


class Feeding:
    """speak: has a text spoken that goes on. most_characters: of one unit."""

    def __init__(self, speak: Callable[[FedText], SpokenUnit], most_characters: int):
        self._speak, self._most_characters = speak, most_characters
        self._text: FedText | None = None
        self._unit: SpokenUnit | None = None
        self._waiting = NOTHING  # silences, marks and what is told of the text, for the next word to be said with

    def add(self, reading: Reading) -> None:
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

    def end_sentence(self) -> None:
        """Nothing more seems to come: end the unit, where its sentence has."""
        if self._text is not None and _ENDS_SENTENCE.search(self._text.reading.text):
            self.end()

    def end(self) -> Reading:
        """Nothing more comes. Returns what was read and is said with no word."""
        if self._text is not None:
            self._text.end()
        self._text = self._unit = None
        waiting, self._waiting = self._waiting, NOTHING
        return waiting

    @property
    def _is_under_way(self) -> bool:
        """A unit that was spoken to its end, or has failed, takes no more."""
        return self._unit is not None and not self._unit.is_over

    def _hand_over(self) -> None:
        if not self._is_under_way:
            self._text = FedText()
        text = self._text
        text.add_reading(self._waiting)
        self._waiting = NOTHING
        if not self._is_under_way:
            self._unit = self._speak(text)
        n_left = self._most_characters - text.reading.n_characters
        if n_left < _LAST_CHARACTERS or (n_left < self._most_characters / 2 and _ENDS_SENTENCE.search(text.reading.text)):
            self.end()
