"""Plans of evaluations over fake engines, with recordings that are tones; a judge that counts; and their runs on the test's own thread."""

import io
from collections.abc import Sequence

import numpy as np
import soundfile

from engines.clips.clip import Clip
from studio.evaluations.evaluations import Evaluations
from studio.evaluations.plan.cell import CellMeasures
from studio.evaluations.plan.order import EvaluationOrder
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem, EvaluationText, EvaluationVoice
from studio.evaluations.saying.evaluation_run import EvaluationRun, RunParts
from studio.service import Studio
from studio.speakers.speaker import Enrollment

__all__ = ["CountingJudge", "enrollment", "order_of", "plan_of", "run_of", "tone"]


def tone(pitch_hz: float, seconds: float = 2.0) -> bytes:
    """A WAV file."""
    file, time_seconds = io.BytesIO(), np.arange(int(24_000 * seconds)) / 24_000
    soundfile.write(file, 0.3 * np.sin(2 * np.pi * pitch_hz * time_seconds), 24_000, format="WAV")
    return file.getvalue()


def plan_of(
    *engines: str | None, voices: Sequence[str] = ("anna",), n_texts: int = 2, texts: Sequence[EvaluationText] = (), **fields
) -> EvaluationPlan:
    """engines: ids, None for a system whose sounds are brought. A voice called tone is the fake engines' own."""
    systems = [EvaluationSystem(id=engine or "brought", label=engine or "Brought", engine=engine) for engine in engines]
    known = [EvaluationVoice(id=voice, label=voice, name="tone" if voice == "tone" else None) for voice in voices]
    own = [EvaluationText(id=f"t{n}", text=f"text {'abcdefgh'[n]}", language="en") for n in range(n_texts)]
    return EvaluationPlan(systems=tuple(systems), voices=tuple(known), texts=(*own, *texts), **fields)


def order_of(plan: EvaluationPlan) -> EvaluationOrder:
    """With a recording of each voice, another pitch for each."""
    voices = [voice.id for voice in plan.voices if voice.name is None]
    return EvaluationOrder(plan, clips={voice: tone(200 + 40 * n) for n, voice in enumerate(voices)})


class CountingJudge:
    """measured: (text, voice, samples) of each sound. It finds their length in seconds to be their words."""

    recognizer = "counting"

    def __init__(self):
        self.measured: list[tuple[str, str, int]] = []
        self.voices: tuple[str, ...] = ()
        self.n_opened = self.n_closed = 0

    def open(self, studio, voices, plan, is_stopped) -> "CountingJudge":
        self.voices, self.n_opened, self._is_stopped = tuple(voices), self.n_opened + 1, is_stopped
        return self

    def measures(self, samples, sample_rate, text, voice_id, *, reference=None) -> CellMeasures | None:
        if self._is_stopped():
            return None
        self.measured.append((text.id, voice_id, len(samples)))
        return CellMeasures({"wrong_words": len(samples) / sample_rate}, "heard", 2)

    def floors(self, languages, references=()):
        return ()

    def close(self) -> None:
        self.n_closed += 1


def run_of(studio: Studio, evaluation_id: str, judge: CountingJudge | None = None) -> EvaluationRun:
    """To be worked on the test's thread."""
    evaluations: Evaluations = studio.evaluations
    parts = RunParts(evaluations._store, evaluations._files, studio, (judge or CountingJudge()).open)
    return EvaluationRun(parts, evaluation_id)


def enrollment(name: str) -> Enrollment:
    """Of a voice to be stored."""
    samples, sample_rate = soundfile.read(io.BytesIO(tone(260)), dtype="float32")
    return Enrollment(name, "consent", clip=Clip(samples, sample_rate))
