"""CellMeasuring: measures the sounds of an evaluation, one after the other, by a judge that is opened for them."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engines.clips.clip import Clip
from studio.audio.pcm16 import float32_of
from studio.errors import EvaluationRecordingUnknown, EvaluationSoundDamaged
from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.keep.store import EvaluationStore
from studio.evaluations.measures.cell_judge import CellJudge
from studio.evaluations.measures.known_speakers import JudgedVoice
from studio.evaluations.plan.cell import CellKey, CellMeasures, SaidCell
from studio.evaluations.plan.figures import FAMILIES, Family
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationText
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio
from studio.evaluations.saying.paces import Paces
from studio.evaluations.saying.progress import CellStep
from studio.running.jobs.stop_signal import StopSignal

__all__ = ["CellMeasuring", "OpenJudge", "open_judge"]


# (of a studio, of the voices that have a recording, of a plan, whether somebody wants no more) -> a judge, which is closed afterwards
OpenJudge = Callable[[EvaluatingStudio, Mapping[str, JudgedVoice], EvaluationPlan, Callable[[], bool]], CellJudge]


def open_judge(
    studio: EvaluatingStudio, voices: Mapping[str, JudgedVoice], plan: EvaluationPlan, is_stopped: Callable[[], bool]
) -> CellJudge:
    """The studio's own ears."""
    asked = FAMILIES if plan.measures is None else plan.measures
    families: list[Family] = [family for family in FAMILIES if any(family == name for name in asked)]
    return CellJudge.opened(studio.estimators, studio.transcriber, voices, families=families, versa=plan.versa, is_stopped=is_stopped)


@dataclass(frozen=True)
class CellMeasuring:
    """on_cell: told of each before it is measured, and once its figures are kept."""

    store: EvaluationStore
    files: KeptFiles
    studio: EvaluatingStudio
    paces: Paces
    stop: StopSignal
    evaluation_id: str
    plan: EvaluationPlan
    open_judge: OpenJudge
    on_cell: Callable[[CellKey, CellStep], None]

    def measure(self, cells: Sequence[SaidCell]) -> None:
        """cells: with a sound and without figures. Returns where somebody wants no more. Raises what the store does."""
        judge = self.open_judge(self.studio, dict(self._voices()), self.plan, self.stop.is_given)
        try:
            texts = {text.id: text for text in self.plan.texts}
            for said in cells:
                if self.stop.is_given():
                    return
                self.on_cell(said.key, "begin")
                started = time.perf_counter()
                measures = self._measured(judge, said, texts[said.key.text])
                if measures is None:
                    return
                self.store.put_measures(self.evaluation_id, said.key, measures)
                self.paces.measured(time.perf_counter() - started)
                self.on_cell(said.key, "keep")
            self._put_floors(judge)
        finally:
            judge.close()

    def _measured(self, judge: CellJudge, said: SaidCell, text: EvaluationText) -> CellMeasures | None:
        """None where it was stopped."""
        assert said.sound is not None
        try:
            samples, sample_rate = self.files.read(self.evaluation_id, said.sound.sha256)
        except EvaluationSoundDamaged as error:
            return CellMeasures(lacking={"signal": error.fact})
        reference = self._recording(text.reference) if text.reference else None
        found = judge.measures(float32_of(samples), sample_rate, text, said.key.voice, reference=reference)
        return None if found is None else replace(found, values={**found.values, **self._speed(said)})

    def _speed(self, said: SaidCell) -> Mapping[str, float]:
        """What was timed when it was said is a figure as the others are."""
        if self.plan.measures is not None and "speed" not in self.plan.measures:
            return {}
        timed = {"ttfp_ms": None if said.ttfp_seconds is None else 1000 * said.ttfp_seconds, "rtf": said.rtf}
        return {name: value for name, value in timed.items() if value is not None}

    def _put_floors(self, judge: CellJudge) -> None:
        """Once everything is measured."""
        languages = sorted({text.language for text in self.plan.texts if text.language})
        floors = judge.floors(languages, self._references())
        if floors is not None:
            self.store.put_floors(self.evaluation_id, floors, judge.recognizer)

    def _references(self) -> Iterator[tuple[Clip, str, str]]:
        """Of people who say texts: recording, words, language."""
        for text in self.plan.texts:
            if text.reference and text.language and (clip := self._recording(text.reference)) is not None:
                yield clip, text.text, text.language

    def _voices(self) -> Iterator[tuple[str, JudgedVoice]]:
        """Read when they are wanted: there may be thousands. Words that a recognizer wrote are no measure of a recognizer."""
        for voice in self.plan.voices:
            if voice.clip and self._recording(voice.clip) is not None:
                clip = partial(self.store.recording, self.evaluation_id, voice.clip)
                yield voice.id, JudgedVoice(clip, None if voice.are_heard else voice.words, voice.language, voice.person)

    def _recording(self, digest: str) -> Clip | None:
        """None where its owner has deleted it, or it is damaged: nothing is compared with it then."""
        try:
            return self.store.recording(self.evaluation_id, digest)
        except (EvaluationRecordingUnknown, EvaluationSoundDamaged):
            return None
