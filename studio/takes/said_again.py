"""The verbs of a take in parts: list them, say one again, choose. Page and programs have the same ones."""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engines.contract.contract import EngineInfo
from engines.text.spoken_length import DURATION
from studio.audio.flac import wav_file
from studio.errors import PartFull, PartUnknown, TakeSpeakerGone, TakeUnparted
from studio.reading.parts import Reading, Words
from studio.service import Studio
from studio.speakers.speaker import preset_of
from studio.speech.kept.entry import HistoryEntry
from studio.speech.request import SpeechRequest
from studio.speech.speech import Speech
from studio.takes.kept_parts import MOST_RENDITIONS, KeptParts, PartedTake
from studio.takes.take_part import Rendition, TakePart, first_parts
from studio.timeline import Timeline

__all__ = ["PartSaying", "choose", "part_sound", "take_of"]

SEED, MOST_SEED = "seed", 1 << 31  # what engines take at least
_changing = threading.Lock()  # what is on disk, by one at a time


def take_of(studio: Studio, entry_id: str) -> PartedTake:
    """The parts of a take, as they are by now. Raises EntryUnknown, TakeUnparted, EngineUnknown, and what reading its text does."""
    studio.speakers()  # whose voice another studio on the folder has deleted takes along what was kept of it
    entry = studio.history.entry(entry_id)
    if entry.source_seconds is not None:
        raise TakeUnparted
    kept = KeptParts(studio.history, entry_id)
    if (take := kept.read()) is not None:
        return take
    info = studio.engine_info(entry.engine)
    samples, _ = kept.first_sound()
    reading = studio.readings.read(entry.text, info, _language_of(entry))
    return PartedTake(entry.text, first_parts(entry, reading, info, samples.astype(np.float32) / 32768))


def part_sound(studio: Studio, entry_id: str, number: int, rendition: int) -> bytes:
    """A WAV file of one rendition of a part, both from 1. Raises what `take_of` does, PartUnknown, OSError."""
    part = take_of(studio, entry_id).part(number)
    if not 1 <= rendition <= len(part.renditions):
        raise PartUnknown(number, rendition)
    sample_rate = studio.history.entry(entry_id).sample_rate
    return wav_file(KeptParts(studio.history, entry_id).sound(part, rendition), sample_rate)


def choose(studio: Studio, entry_id: str, number: int, rendition: int) -> PartedTake:
    """Hear that rendition of a part in the whole, which is put together at once. Raises as `part_sound`."""
    with _changing:
        take = take_of(studio, entry_id)
        part = take.part(number)
        if not 1 <= rendition <= len(part.renditions):
            raise PartUnknown(number, rendition)
        if part.chosen == rendition:
            return take
        take, kept = take.with_part(number, replace(part, chosen=rendition)), KeptParts(studio.history, entry_id)
        kept.put_together(kept.write(take))
        return take


@dataclass(frozen=True)
class PartSaying:
    """Part `number` of a take, said again: in its voice, by its engine, with its options and another seed.

    text: other words than those of the part, None for the same. seed: None for any.
    """

    studio: Studio
    entry_id: str
    number: int
    text: str | None = None
    seed: int | None = None

    def open(self, timeline: Timeline) -> Speech:
        """Its speech, for `keep` to take. Raises what Studio.speak does, TakeSpeakerGone, PartFull, and as `part_sound`."""
        part = take_of(self.studio, self.entry_id).part(self.number)
        if len(part.renditions) >= MOST_RENDITIONS:
            raise PartFull(MOST_RENDITIONS)
        return self.studio.speak(self._request(part), timeline)

    def keep(self, speech: Speech, samples: np.ndarray) -> PartedTake:
        """(T,) float32, of all of it. Heard in the whole where the part had no sound to its end.

        Raises EntryUnknown, TakeSpeakerGone where the voice became another while it was spoken, PartFull, OSError.
        """
        entry, said = self.studio.history.entry(self.entry_id), np.rint(np.clip(samples * 32768.0, -32768, 32767)).astype(np.int16)
        if _speaker_of(self.studio, entry) != speech.request.speaker:
            raise _gone(entry)
        with _changing:
            take = take_of(self.studio, self.entry_id)
            part, kept = take.part(self.number), KeptParts(self.studio.history, self.entry_id)
            if len(part.renditions) >= MOST_RENDITIONS:
                raise PartFull(MOST_RENDITIONS)
            seed = speech.request.options.get(SEED)
            words = self._words_of(take, part)
            made = kept.add(
                take, self.number, Rendition(words, seed if isinstance(seed, int) else None, len(said) / speech.sample_rate), said
            )
            if made.part(self.number).chosen != part.chosen:
                kept.put_together(made)
            return made

    def _words_of(self, take: PartedTake, part: TakePart) -> str:
        return take.text[part.start : part.end] if self.text is None else self.text

    def _request(self, part: TakePart) -> SpeechRequest:
        entry = self.studio.history.entry(self.entry_id)
        info = self.studio.engine_info(entry.engine)
        return SpeechRequest(
            part.said if self.text is None else self.text,
            reading=Reading((Words(part.said, 0, len(part.said)),)) if self.text is None else None,
            language=_language_of(entry),
            engine=entry.engine,
            speaker=_speaker_of(self.studio, entry),
            options=self._options(entry, info, part),
            sample_rate=entry.sample_rate,
        )

    def _options(self, entry: HistoryEntry, info: EngineInfo, part: TakePart) -> Mapping[str, object]:
        """Those of the take, with another seed, and the part's share of a length that was asked for."""
        known = {option.name for option in info.options}
        options = {name: value for name, value in entry.options.items() if value is not None}
        if SEED in known:
            options[SEED] = secrets.randbelow(MOST_SEED) if self.seed is None else self.seed
        if options.get(DURATION):
            options[DURATION] = part.renditions[0].seconds if part.renditions else 0.0
        return options


def _speaker_of(studio: Studio, entry: HistoryEntry) -> str:
    """The name that its voice has now: of the very recording, or a built-in one. Raises TakeSpeakerGone, EngineUnknown."""
    if entry.generation_id is None:
        preset = preset_of(entry.speaker or "", studio.engine_info(entry.engine))
        if preset is None:
            raise _gone(entry)
        return preset
    found = next((speaker for speaker in studio.speakers() if speaker.generation_id == entry.generation_id), None)
    if found is None:
        raise _gone(entry)
    return found.name


def _gone(entry: HistoryEntry) -> TakeSpeakerGone:
    return TakeSpeakerGone(entry.speaker or "")


def _language_of(entry: HistoryEntry) -> str | None:
    language = entry.options.get("language")
    return language if isinstance(language, str) and language else None
