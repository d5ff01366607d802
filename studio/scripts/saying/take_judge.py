"""TakeJudge: what the estimators find in a take, beside its line and the recording of its voice."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Clip
from engines.errors import EngineError
from studio.analysis.estimates import Measure
from studio.analysis.heard_words import word_errors
from studio.audio.pcm16 import float32_of
from studio.running.jobs.stop_signal import StopSignal
from studio.scripts.saying.asked_line import AskedLine
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.script.take import TakeEstimates

__all__ = ["TakeJudge", "check_hears"]

MEASURES: tuple[Measure, ...] = ("words", "likeness", "distillmos")
BUSY = "busy"  # of EstimateUnavailable
PATIENCE_SECONDS = 1.0  # before estimators that others keep busy are asked again


def check_hears(studio: SayingStudio) -> None:
    """Before takes are compared: raises TranscriberMissing, with the next step, where nobody hears words here."""
    if lacking := studio.transcriber.lacking():
        raise lacking


@dataclass(frozen=True)
class TakeJudge:
    """Of one studio, for one run. Who waits for estimators that others keep busy stops with the signal."""

    studio: SayingStudio
    stop: StopSignal

    def estimates(self, samples: np.ndarray, sample_rate: int, asked: AskedLine, readings: Sequence[str] = ()) -> TakeEstimates | None:
        """Of (T,) int16; None where it was stopped. Blocks.

        readings: other ways of writing what is said, as by a dictionary; of all of them the one counts that was heard best.
        Raises TranscriberMissing.
        """
        check_hears(self.studio)
        reference, sound = self._recording(asked), float32_of(samples)
        while not self.stop.is_given():
            found = self.studio.estimators.estimates(
                sound, sample_rate, text=asked.text, language=asked.language, reference=reference, measures=MEASURES
            )
            lack = found.lacking.get("words")
            if lack is None or lack.case != BUSY:
                others = readings if found.heard is not None else ()
                heard = [word_errors(other, found.heard or "", asked.language) for other in others]
                plain = [] if found.word_errors is None else [(found.word_errors, found.n_words)]
                errors, n_words = min(plain + heard, key=lambda one: one[0], default=(None, found.n_words))
                return TakeEstimates(errors, n_words, found.likeness, found.distillmos, found.heard)
            self.stop.wait(PATIENCE_SECONDS)
        return None

    def _recording(self, asked: AskedLine) -> Clip | None:
        """What a stored voice was made from; None of a built-in one."""
        if not asked.generation_id or asked.voice is None:
            return None
        try:
            return self.studio.speaker(asked.voice).read_clip()
        except (EngineError, LookupError):
            return None
