"""CellJudge: all figures of a sound, beside its text and the recording of whom it should be. The same sound has the same figures.

Words are heard on a thread of their own, while the caller's takes all else: the transcriber and the other estimators compute with half of
the cores each.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from typing import Literal, NamedTuple, Self

import numpy as np

from engines.clips.clip import Clip
from engines.text.language_guess import guess_language
from studio.analysis.estimators import Estimators
from studio.analysis.heard_words import word_errors
from studio.analysis.quiet_worker import half_the_cores, limited_threads
from studio.analysis.transcriber import Transcriber
from studio.analysis.word_floor import word_floor
from studio.evaluations.measures import lacking
from studio.evaluations.measures.judged_sound import FamilyFigures, JudgedSound
from studio.evaluations.measures.known_speakers import JudgedVoice, KnownSpeakers
from studio.evaluations.measures.lacking import MeasureLacking, MeasuringStopped
from studio.evaluations.measures.patient_ears import PatientEars
from studio.evaluations.measures.prosody import SpokenProsody
from studio.evaluations.measures.signal_figures import loudness_figures, signal_figures
from studio.evaluations.measures.sound_timing import SoundTiming
from studio.evaluations.measures.versa_measures import VersaMeasures
from studio.evaluations.measures.voice_facts import VoiceFacts
from studio.evaluations.plan.cell import CellMeasures
from studio.evaluations.plan.evaluation import WordFloor
from studio.evaluations.plan.figures import FAMILIES, Family
from studio.evaluations.plan.plan import EvaluationText

__all__ = ["CellJudge", "never"]

OfQuality = Literal["dnsmos", "distillmos"]
OF_QUALITY: tuple[OfQuality, ...] = ("dnsmos", "distillmos")


def never() -> bool:
    """Of who is not stopped."""
    return False


class _HeardWords(NamedTuple):
    """wrong: errors in a hundred words. n_words: that should be heard. lack: why nothing is known, "" for nothing."""

    heard: str | None = None
    wrong: float | None = None
    n_words: int | None = None
    lack: str = ""


class CellJudge:
    """For one thread. Opened by `opened`; close it, or use it as a context manager."""

    def __init__(self, ears: PatientEars, speakers: Mapping[str, JudgedVoice], families: Collection[Family], versa: str | None):
        self._ears = ears
        self._speakers = speakers
        self._facts = VoiceFacts(ears, speakers)
        self._families = frozenset(families)
        self._versa = VersaMeasures(versa) if versa and "versa" in self._families else None
        self._listener = ThreadPoolExecutor(1, "evaluation-words")

    @classmethod
    def opened(
        cls,
        estimators: Estimators,
        transcriber: Transcriber,
        voices: Mapping[str, JudgedVoice],
        *,
        families: Collection[Family] | None = None,
        versa: str | None = None,
        is_stopped: Callable[[], bool] = never,
    ) -> Self:
        """voices: by their ids in the plan, those that have a recording. families: None for all that can be had. versa: its configuration.

        Loads nothing yet. Estimators and transcriber are somebody else's to close. Raises ValueError for a configuration that is none.
        """
        return cls(PatientEars(estimators, transcriber, is_stopped), voices, FAMILIES if families is None else families, versa)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """What is being heard is heard to its end."""
        self._listener.shutdown()

    @property
    def recognizer(self) -> str:
        """The name of what hears the words; "" for nobody."""
        return "" if self._ears.transcriber.lacking() else self._ears.transcriber.name

    @property
    def known(self) -> KnownSpeakers:
        """Whom speech may be like."""
        return self._facts.known

    @property
    def second(self) -> KnownSpeakers | None:
        """The same by the second encoder; None where it is not installed."""
        return self._facts.second

    def measures(
        self,
        samples: np.ndarray,
        sample_rate: int,
        text: EvaluationText | None,
        voice_id: str,
        *,
        reference: Clip | None = None,
        readings: Sequence[str] = (),
    ) -> CellMeasures | None:
        """None where it was stopped, or the studio closes. Blocks for seconds. What a sound is too short, too silent or too broken for is
        told in `lacking`, and raises nothing; that nothing is heard where words should be is 100 % wrong words.

        samples: (T,) float32. text: None where nobody knows what should be said. voice_id: without a recording where no voice has it.
        reference: a recording of the person with the same text. readings: other ways of writing the text, as by a dictionary; of all of
        them the one counts that was heard best. Raises what reading the recording of a voice raises.
        """
        samples = np.asarray(samples, np.float32)
        if why := JudgedSound.why_none(samples):
            return CellMeasures(lacking=dict.fromkeys(self._asked(text is not None), why))
        sound = JudgedSound(Clip(samples, sample_rate), text, voice_id, reference, readings)
        try:
            self._ears.check_going()
            listening = self._listener.submit(self._words, sound) if "words" in self._families and text else None
            return self._told(sound, listening)
        except MeasuringStopped:
            return None

    def floors(self, languages: Sequence[str], references: Iterable[tuple[Clip, str, str]] = ()) -> tuple[WordFloor, ...] | None:
        """Of each language, by the recordings of voices and by references: (recording, its words, their language). None where it was
        stopped."""
        counted: dict[str, tuple[int, int]] = {}
        own = (
            (voice.read_clip(), voice.words, voice.language or guess_language(voice.words))
            for voice in self._speakers.values()
            if voice.words
        )
        try:
            for clip, words, language in chain(own, references):
                self._ears.check_going()
                if _base(language) in map(_base, languages):
                    before, found = counted.get(_base(language), (0, 0)), self._errors(clip, words, language)
                    counted[_base(language)] = (before[0] + found[0], before[1] + found[1])
        except MeasuringStopped:
            return None
        return tuple(self._floor(language, *counted.get(_base(language), (0, 0))) for language in dict.fromkeys(languages))

    def _asked(self, has_text: bool) -> tuple[Family, ...]:
        """Families that are looked for in a sound."""
        left_out = {"speed": True, "words": not has_text, "versa": self._versa is None}
        return tuple(family for family in FAMILIES if family in self._families and not left_out.get(family))

    def _floor(self, language: str, n_errors: int, n_words: int) -> WordFloor:
        return WordFloor(language, word_floor(self.recognizer, language), n_errors / n_words if n_words else None, n_words)

    def _errors(self, clip: Clip, words: str, language: str) -> tuple[int, int]:
        """(wrong, all); none of a recording that cannot be heard."""
        try:
            return word_errors(words, self._ears.words(clip, language), language)
        except MeasureLacking:
            return 0, 0

    def _told(self, sound: JudgedSound, listening: "Future[_HeardWords] | None") -> CellMeasures:
        values: dict[str, float] = {}
        lacks: dict[str, str] = {}
        for family, found in self._figures(sound):
            values |= found.values
            if found.lack:
                lacks[family] = found.lack
        words = listening.result() if listening else _HeardWords()
        if words.wrong is not None:
            values["wrong_words"] = words.wrong
        if words.lack:
            lacks["words"] = words.lack
        return CellMeasures(values, words.heard, words.n_words, lacks)

    def _figures(self, sound: JudgedSound) -> Iterable[tuple[Family, FamilyFigures]]:
        """Of all families but words and speed, which is nothing of a sound's."""
        if "loudness" in self._families:
            yield "loudness", loudness_figures(sound.clip)
        if "signal" in self._families:
            yield "signal", signal_figures(sound.clip)
        if "prosody" in self._families:
            yield "prosody", FamilyFigures({}, sound.unheard) if sound.unheard else self._prosody(sound)
        if "likeness" in self._families:
            yield "likeness", FamilyFigures({}, sound.unheard) if sound.unheard else self._likeness(sound)
        yield from self._estimates(sound)
        if self._versa is not None:
            yield "versa", FamilyFigures({}, sound.unheard) if sound.unheard else self._versa_figures(self._versa, sound)

    def _words(self, sound: JudgedSound) -> _HeardWords:
        """On its thread."""
        assert sound.text is not None  # nobody asks otherwise
        try:
            self._ears.check_hears()  # for silent sounds, too, where nobody has to listen
            heard = "" if sound.unheard else self._ears.words(sound.clip, sound.language)
        except MeasureLacking as lack:
            return _HeardWords(lack=str(lack))
        counts = (word_errors(words, heard, sound.language) for words in (sound.text.text, *sound.readings))
        errors, n_words = min(counts, key=lambda one: one[0])
        return _HeardWords(heard, 100 * errors / n_words, n_words) if n_words else _HeardWords(heard, lack=lacking.NO_WORDS)

    def _likeness(self, sound: JudgedSound) -> FamilyFigures:
        if sound.speaker not in self._facts:
            return FamilyFigures({}, lacking.NO_RECORDING)
        values: dict[str, float] = {}
        with limited_threads(half_the_cores()):
            for names, known in ((("likeness", "other_likeness"), self.known), (("second_likeness",), self.second)):
                found = known and known.likenesses(known.heard([sound.beginning]), sound.speaker)
                figures = zip(names, (found.own, found.impostor), strict=False) if found else ()
                values |= {name: value for name, value in figures if value is not None}
        return FamilyFigures(values, "" if values else lacking.NOTHING_SAID)

    def _estimates(self, sound: JudgedSound) -> Iterable[tuple[Family, FamilyFigures]]:
        measures: list[OfQuality] = [measure for measure in OF_QUALITY if measure in self._families]
        found = self._ears.estimates(sound.clip, measures) if measures and not sound.unheard else None
        for measure in measures:
            values: dict[str, float] = {}
            if measure == "distillmos" and found and found.distillmos is not None:
                values = {"distillmos": found.distillmos}
            if measure == "dnsmos" and found and found.dnsmos:
                scores = found.dnsmos
                values = {"dnsmos": scores.overall, "dnsmos_speech": scores.signal, "dnsmos_background": scores.background}
            lack = found.lacking.get(measure) if found else sound.unheard
            yield measure, FamilyFigures(values, str(lack or ""))

    def _prosody(self, sound: JudgedSound) -> FamilyFigures:
        said = SpokenProsody.of(sound.clip, sound.text and sound.text.text, sound.language)
        recording = self._facts.prosody(sound.speaker)
        values = said.beside(recording) if recording else {}
        length = said.length(recording, SoundTiming.of(sound.reference) if sound.reference else None)
        if length is not None:
            values["length"] = length
        if recording is None:
            return FamilyFigures(values, lacking.NO_RECORDING)
        return FamilyFigures(values, "" if "pitch_shift" in values else lacking.NO_PITCH)

    def _versa_figures(self, versa: VersaMeasures, sound: JudgedSound) -> FamilyFigures:
        speaker = self._speakers.get(sound.speaker)
        reference = sound.reference or (speaker.read_clip() if speaker else None)
        try:
            return FamilyFigures(versa.values(sound.clip, reference, sound.text.text if sound.text else ""))
        except MeasureLacking as lack:
            return FamilyFigures({}, str(lack))


def _base(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].casefold()
