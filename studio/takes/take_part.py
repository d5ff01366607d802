"""TakePart: what is known of one part of a take: its words, where it is in the sound as first spoken, and what was said of it again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.contract.contract import EngineInfo
from engines.text.text_splitter import split_text
from studio.audio.time_stretch import SPEED
from studio.reading.parts import Reading, turns_of
from studio.reading.units import BETWEEN_SECONDS
from studio.speech.kept.entry import HistoryEntry
from studio.takes.sentence_places import SentencePlaces, sentence_places

__all__ = ["Rendition", "TakePart", "first_parts"]

BROKEN_OFF = ("failed", "cancelled")  # ends of a speech that was not spoken to its end


@dataclass(frozen=True)
class Rendition:
    """One time that a part was said. text: that was said, as written. seed: None of an engine without. seconds: of its words.

    file: in the take's folder; "" of the one that was spoken with the take.
    """

    text: str
    seed: int | None
    seconds: float
    file: str = ""
    n_bytes: int = 0


@dataclass(frozen=True)
class TakePart:
    """said: what the engine is given. start, end: of its words in the text of the take as first spoken.

    place: samples of the sound as first spoken, silence around the words included; None where it was not reached. is_cut: whether the
    sound breaks off within it. pause: seconds of silence behind it where no place tells.
    chosen: the number of its rendition that is heard in the whole, from 1; 0 where there is none.
    """

    said: str
    start: int
    end: int
    place: tuple[int, int] | None
    is_cut: bool = False
    pause: float = 0.0
    renditions: tuple[Rendition, ...] = ()
    chosen: int = 0

    @property
    def heard(self) -> Rendition | None:
        """The one that is chosen."""
        return self.renditions[self.chosen - 1] if self.chosen else None

    def with_rendition(self, rendition: Rendition) -> "TakePart":
        """Chosen where there was none that is whole."""
        lacks = not self.chosen or (self.is_cut and self.chosen == 1)
        made = (*self.renditions, rendition)
        return replace(self, renditions=made, chosen=len(made) if lacks else self.chosen)


@dataclass(frozen=True)
class _WrittenSentence:
    """start, end: where it was written."""

    said: str
    start: int
    end: int


def first_parts(entry: HistoryEntry, reading: Reading, info: EngineInfo, samples: np.ndarray) -> tuple[TakePart, ...]:
    """Of a take as it was spoken. reading: of its text. samples: (T,) float32.

    Each sentence is a part, but where nothing in the sound tells two apart. Where the engine was given several texts in turn, it is known
    where each began.
    """
    turns = list(_turns(reading, info))
    begun = [round(seconds * entry.sample_rate) for seconds in entry.part_seconds]
    starts = [start for start in begun if start < len(samples)]
    is_broken = entry.ended in BROKEN_OFF and len(samples) not in begun
    if not starts or len(starts) > len(turns):  # of an earlier version, or the dictionary is another by now
        turns, starts = [([one for sentences, _ in turns for one in sentences], 0.0)], [0]
    starts[0] = 0
    ends = [*starts[1:], len(samples)]
    paces, found = [], []
    for number, (sentences, pause) in enumerate(turns):
        if number >= len(starts):
            found += [replace(_part(entry, [one], None), pause=BETWEEN_SECONDS) for one in sentences]
        else:
            is_last = number == len(starts) - 1
            pace = _pace(entry, paces) if is_broken and is_last else None
            sound = samples[starts[number] : ends[number]]
            places = sentence_places(sound, entry.sample_rate, [one.said for one in sentences], pace=pace)
            paces.append(places.pace)
            found += _placed(entry, sentences, places, starts[number], ends[number])
        found[-1] = replace(found[-1], pause=pause or BETWEEN_SECONDS)
    found[-1] = replace(found[-1], pause=turns[-1][1])
    return tuple(found)


def _turns(reading: Reading, info: EngineInfo) -> Iterator[tuple[list[_WrittenSentence], float]]:
    """The sentences of each text that the engine is given, and the seconds of silence behind it."""
    for piece in reading.pieces:
        turns, at = turns_of(piece, info), 0
        for turn in turns:
            sentences = []
            for said in split_text(turn, "sentence"):
                start = piece.text.index(said, at)
                at = start + len(said)
                sentences.append(_WrittenSentence(said, *piece.written(start, at)))
            yield sentences, piece.pause if turn is turns[-1] else 0.0


def _pace(entry: HistoryEntry, paces: Sequence[float]) -> float:
    """Seconds of sound for each that is expected: as in what came before, else as the speed says."""
    speed = entry.options.get(SPEED.name)
    return float(np.median(paces)) if paces else 1 / (speed if isinstance(speed, int | float) and speed else 1.0)


def _placed(entry: HistoryEntry, sentences: Sequence[_WrittenSentence], places: SentencePlaces, start: int, end: int) -> Iterator[TakePart]:
    """Those of one text, which is heard from sample `start` to `end`."""
    bounds, at = [*(start + one for one in places.starts), end], 0
    for number, n_joined in enumerate(places.n_sentences):
        is_cut = places.is_cut and number == len(places.starts) - 1
        part = _part(entry, sentences[at : at + n_joined], (bounds[number], bounds[number + 1]))
        yield replace(part, is_cut=True, pause=BETWEEN_SECONDS) if is_cut else part
        at += n_joined
    yield from (replace(_part(entry, [one], None), pause=BETWEEN_SECONDS) for one in sentences[at:])


def _part(entry: HistoryEntry, sentences: Sequence[_WrittenSentence], place: tuple[int, int] | None) -> TakePart:
    start, end = sentences[0].start, sentences[-1].end
    part = TakePart(" ".join(one.said for one in sentences), start, end, place)
    if place is None:
        return part
    seed = entry.options.get("seed")
    seconds = (place[1] - place[0]) / entry.sample_rate
    rendition = Rendition(entry.text[start:end], seed if isinstance(seed, int) else None, seconds)
    return replace(part, renditions=(rendition,), chosen=1)
