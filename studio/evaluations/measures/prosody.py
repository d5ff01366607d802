"""SpokenProsody: prosody of a sound beside that of the recording of its voice: pitch, pace, length.

Pace is the articulation rate: syllables a second without pauses (de Jong and Wempe, "Praat script to detect syllable nuclei and measure
speech rate automatically", Behavior Research Methods 41, 2009), with the syllables of the text in the place of counted peaks. Languages
differ in it by a half and more (Pellegrino, Coupe, Marsico, "A cross-language perspective on speech information rate", Language 87, 2011):
beside a recording in another language it says how fast the sound is, and not whether it is too fast.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from engines.clips.clip import Clip
from engines.kit.phonemes.syllables import count_syllables
from engines.text.spoken_length import SECONDS_PER_WEIGHT, spoken_seconds
from studio.evaluations.measures.pitch_range import PitchRange
from studio.evaluations.measures.sound_timing import SoundTiming

__all__ = ["SpokenProsody", "SpokenUnits"]


@dataclass(frozen=True)
class SpokenUnits:
    """How much there is to say.

    syllables: None where nobody can count them. letters: in Latin ones, by the rule for any script of engines/text/spoken_length.py.
    """

    syllables: int | None
    letters: float

    @classmethod
    def of(cls, text: str, language: str | None) -> Self:
        return cls(_syllables(text, language), spoken_seconds(text) / SECONDS_PER_WEIGHT)

    def over(self, other: Self) -> float | None:
        """How many times as much: by syllables where both have them, else by letters; None where the other has nothing to say."""
        if self.syllables and other.syllables:
            return self.syllables / other.syllables
        return self.letters / other.letters if self.letters and other.letters else None


@dataclass(frozen=True)
class SpokenProsody:
    """pitch: None where there is too little of one. units: what is said, None where nobody knows."""

    timing: SoundTiming
    pitch: PitchRange | None
    units: SpokenUnits | None

    @classmethod
    def of(cls, clip: Clip, words: str | None, language: str | None) -> Self:
        """clip: not silent. language: a code, of the words; None where they decide."""
        return cls(SoundTiming.of(clip), PitchRange.of(clip), SpokenUnits.of(words, language) if words else None)

    def beside(self, recording: Self) -> dict[str, float]:
        """Figures by name; those that cannot be had are not in it."""
        figures = {}
        if self.pitch and recording.pitch:
            shift = self.pitch.median_semitones - recording.pitch.median_semitones
            figures |= {"pitch_shift": shift, "pitch_distance": abs(shift)}
            if recording.pitch.spread_semitones:
                figures["pitch_spread"] = self.pitch.spread_semitones / recording.pitch.spread_semitones
        if more := self._units_over(recording):
            figures["pace"] = more * recording.timing.sounding_seconds / self.timing.sounding_seconds
        return figures

    def length(self, recording: Self | None, reference: SoundTiming | None) -> float | None:
        """From the first to the last that is heard, over that of the reference, which says the same text; without one over what the text
        takes at the recording's pace, its pauses included; without words of that over `spoken_seconds`, which is good to a third."""
        if reference is not None and reference.extent_seconds:
            return self.timing.extent_seconds / reference.extent_seconds
        if recording and (more := self._units_over(recording)):
            return self.timing.extent_seconds / (more * recording.timing.extent_seconds)
        expected_seconds = self.units.letters * SECONDS_PER_WEIGHT if self.units else 0.0
        return self.timing.extent_seconds / expected_seconds if expected_seconds else None

    def _units_over(self, recording: Self) -> float | None:
        return self.units.over(recording.units) if self.units and recording.units else None


@lru_cache(maxsize=4096)  # many voices say one text
def _syllables(text: str, language: str | None) -> int | None:
    return count_syllables(text, language)
