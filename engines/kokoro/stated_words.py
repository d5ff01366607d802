"""StatedWords: says of a running stream where each word of its text is, by the lengths that were planned for its symbols."""

from dataclasses import dataclass
from functools import cached_property

from torch import Tensor

from engines.contract.word_marks import WordMark, are_heard, mark
from engines.kokoro.network.networks import KokoroPlan
from engines.kokoro.symbols import phone_places
from engines.kokoro.word_places import SymbolWord, said_words
from engines.text.text_places import TextPlaces, said_places

__all__ = ["HALF_FRAME_SAMPLES", "SILENT_BEHIND", "NumberedPart", "StatedWords"]

HALF_FRAME_SAMPLES = 300  # 12.5 ms at 24 kHz; a symbol lasts whole frames of two
# Symbols sound that much before their planned place: with 50 ms the symbols of 103 s of speech explain most of its cepstra
# (studio/measure/DIARY.md). The official pipeline takes 75 ms off (hexgrad, kokoro/pipeline.py, join_timestamps).
AHEAD_SAMPLES = 1_200
SILENT_BEHIND = 0.0  # of the plan's energy: what fades out has peaks under -43 dB of full scale below that. Speech has up to 9


@dataclass(frozen=True)
class NumberedPart:
    """numbers: of symbols[first:], as many, with a 0 before and behind them. piece: of the text, read as these symbols."""

    numbers: list[int]
    piece: str
    symbols: str
    first: int


class StatedWords:
    """text: as it was given. said: as it is cut into pieces. language: of the symbols."""

    def __init__(self, text: str, said: str, language: str):
        self._text, self._said, self._language = text, said, language
        self._piece, self._piece_at = "", 0  # the one that was stated last, and where in `said` it begins
        self._n_samples = 0
        self._words: list[SymbolWord] = []

    def handed_out(self, n_samples: int) -> int:
        """So many more samples are; how many were before."""
        before, self._n_samples = self._n_samples, self._n_samples + n_samples
        return before

    def state(self, part: NumberedPart, plan: KokoroPlan, offset_samples: int) -> None:
        """Its words. offset_samples: what the first sample of the plan would be in the stream, below 0 where it is left out."""
        if not are_heard() or plan.lengths is None:
            return
        self._read(part)
        ends = (2 * HALF_FRAME_SAMPLES * plan.lengths.cumsum(0) + offset_samples - AHEAD_SAMPLES).tolist()  # of each number, in samples
        last = part.first + len(part.numbers) - 2
        for word in self._words:
            first, behind = max(word.first, part.first), min(word.last, last)
            if behind <= first:
                continue
            start, end = (max(0, int(ends[symbol - part.first])) for symbol in (first, behind))
            end = _sounding_end(plan.energy[0], start - offset_samples, end - offset_samples) + offset_samples
            if end > start:
                mark(WordMark(*self._given.of(self._piece_at + word.start, self._piece_at + word.end), start, end))

    def _read(self, part: NumberedPart) -> None:
        if part.first == 0 or part.piece != self._piece:
            searched = self._piece_at + len(self._piece)
            self._piece, self._piece_at = part.piece, max(searched, self._said.find(part.piece, searched))
            self._words = said_words(part.piece, part.symbols, self._language)

    @cached_property
    def _given(self) -> TextPlaces:
        """Of what is said in what was given."""
        return said_places(self._text, self._said, lambda spoken: phone_places(spoken, self._language))


def _sounding_end(energy: Tensor, start: int, end: int) -> int:
    """Where the last sound ends in samples [start, end) of a plan: before a pause the last symbol lasts on. energy: (half frames,)."""
    first, last = max(0, start // HALF_FRAME_SAMPLES), end // HALF_FRAME_SAMPLES
    loud = (energy[first:last] > SILENT_BEHIND).nonzero()
    return min(end, (first + int(loud[-1]) + 1) * HALF_FRAME_SAMPLES) if len(loud) else end
