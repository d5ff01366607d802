"""KeptParts: the parts of one take on disk, in a folder that goes with its history entry.

first.flac is the take as it was first spoken; a file for each time that a part was said again; parts.json tells what they are.
One process per folder changes them, as it does the history.
Bound: MOST_RENDITIONS of a part. Their bytes count as the entry's, so that they make room as any take does.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from engines.durable import put_file, sync_directory
from engines.plain_json import read_json
from studio.audio.flac import flac_of, samples_of
from studio.errors import PartUnknown
from studio.speech.history import History
from studio.speech.kept.parts_folder import parts_folder, remove_parts
from studio.takes.joining import JoinedPart, put_together
from studio.takes.take_part import Rendition, TakePart

__all__ = ["MOST_RENDITIONS", "KeptParts", "PartedTake"]

MOST_RENDITIONS = 9  # of a part, that of the take included
BLOCK_BYTES = 1 << 18
FIRST, FACTS = "first.flac", "parts.json"
_FORMAT = 1


@dataclass(frozen=True)
class PartedTake:
    """text: as first spoken, which the places of its parts are about."""

    text: str
    parts: tuple[TakePart, ...]

    def part(self, number: int) -> TakePart:
        """From 1. Raises PartUnknown."""
        if not 1 <= number <= len(self.parts):
            raise PartUnknown(number)
        return self.parts[number - 1]

    def with_part(self, number: int, part: TakePart) -> "PartedTake":
        return replace(self, parts=(*self.parts[: number - 1], part, *self.parts[number:]))

    @property
    def heard_text(self) -> str:
        """With the words that were said in place of others."""
        text, at = "", 0
        for part in self.parts:
            text += self.text[at : part.start] + (part.heard.text if part.heard else self.text[part.start : part.end])
            at = part.end
        return text + self.text[at:]

    @property
    def is_whole(self) -> bool:
        """Whether each of its parts is heard to its end."""
        return all(part.chosen > 1 or (part.chosen == 1 and not part.is_cut) for part in self.parts)


class KeptParts:
    """Of one entry of that history. Where nothing was said again there is nothing on disk, and `read` gives None."""

    def __init__(self, history: History, entry_id: str):
        self._history, self._entry_id = history, entry_id
        self._folder = parts_folder(history.directory, entry_id)

    def read(self) -> PartedTake | None:
        """None too where the file is damaged: the take is then what it was at first."""
        try:
            facts = read_json((self._folder / FACTS).read_bytes())
            return PartedTake(facts["text"], tuple(_part_of(one) for one in facts["parts"])) if facts["format"] == _FORMAT else None
        except (OSError, LookupError, ValueError, TypeError):
            return None

    def first_sound(self) -> tuple[np.ndarray, int]:
        """((T,) int16, Hz) of the take as first spoken. Raises EntryUnknown, OSError."""
        first = self._folder / FIRST
        return samples_of(first.read_bytes() if first.is_file() else self._history.audio(self._entry_id))

    def sound(self, part: TakePart, number: int) -> np.ndarray:
        """(T,) int16 of one of its renditions, from 1. Raises OSError."""
        rendition = part.renditions[number - 1]
        if rendition.file:
            return samples_of((self._folder / rendition.file).read_bytes())[0]
        assert part.place is not None  # what has no file is the take's own
        return self.first_sound()[0][slice(*part.place)]

    def add(self, take: PartedTake, number: int, rendition: Rendition, samples: np.ndarray) -> PartedTake:
        """One more of part `number`, (T,) int16. Raises EntryUnknown, OSError."""
        rate = self._history.entry(self._entry_id).sample_rate
        self._folder.mkdir(parents=True, exist_ok=True)
        if not (self._folder / FIRST).is_file():
            put_file(self._folder / FIRST, [self._history.audio(self._entry_id)])
        file = flac_of(samples, rate)
        try:
            name = f"{number}-{len(take.part(number).renditions) + 1}.flac"
            put_file(self._folder / name, file.blocks(BLOCK_BYTES))
            made = replace(rendition, file=name, n_bytes=len(file))
        finally:
            file.close()
        take = self.write(take.with_part(number, take.part(number).with_rendition(made)))
        self._count_bytes()
        return take

    def write(self, take: PartedTake) -> PartedTake:
        """Raises EntryUnknown where it was deleted meanwhile, OSError."""
        facts = {"format": _FORMAT, "text": take.text, "parts": [asdict(part) for part in take.parts]}
        put_file(self._folder / FACTS, [json.dumps(facts, ensure_ascii=False).encode()])
        sync_directory(self._folder)
        try:
            self._history.entry(self._entry_id)
        except BaseException:
            remove_parts(self._history.directory, self._entry_id)
            raise
        return take

    def put_together(self, take: PartedTake) -> None:
        """Make the entry what is chosen of its parts. Raises EntryUnknown, OSError."""
        entry = self._history.entry(self._entry_id)
        samples, starts = put_together(self._pieces(take), entry.sample_rate)
        file = flac_of(samples, entry.sample_rate)
        try:
            changed = {
                "text": take.heard_text,
                "seconds": len(samples) / entry.sample_rate,
                "part_seconds": tuple(start / entry.sample_rate for start in starts),
                "words": None,
            }
            ended = {"ended": "ended", "warning": ""} if take.is_whole and entry.ended in ("failed", "cancelled") else {}
            self._history.replace_sound(self._entry_id, file, **changed, **ended)
        finally:
            file.close()
        self._count_bytes()

    def _count_bytes(self) -> None:
        beside = sum(path.stat().st_size for path in self._folder.glob("*.flac"))
        self._history.count_bytes(self._entry_id, len(self._history.audio(self._entry_id)) + beside)

    def _pieces(self, take: PartedTake) -> Iterator[JoinedPart]:
        """Of the parts that are heard, in their order."""
        first, rate = self.first_sound()
        for part in take.parts:
            if part.heard is None:
                continue
            said = self.sound(part, part.chosen) if part.heard.file else None
            whole_place = None if part.place is None or (part.is_cut and said is not None) else first[slice(*part.place)]
            yield JoinedPart(whole_place, said, round(part.pause * rate))


def _part_of(facts: dict[str, Any]) -> TakePart:
    renditions, place = tuple(Rendition(**one) for one in facts["renditions"]), facts["place"]
    return TakePart(**facts | {"renditions": renditions, "place": place and tuple(place)})
