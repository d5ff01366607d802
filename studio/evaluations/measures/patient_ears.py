"""PatientEars: the studio's transcriber and estimators for one evaluation. Where others keep them busy it waits, until it is stopped."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np

from engines.clips.clip import Clip
from engines.errors import EngineError
from studio.analysis.estimates import Estimates, Measure
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.errors import SpeechCancelled, TranscriberBusy
from studio.evaluations.measures.lacking import MeasureLacking, MeasuringStopped

__all__ = ["MOST_HEARD_SECONDS", "PatientEars"]

PATIENCE_SECONDS = 1.0  # before what others keep busy is asked again
MOST_HEARD_SECONDS = 600.0  # that words are heard of: far more than the longest text takes
TOO_LONG = f"The sound is longer than {MOST_HEARD_SECONDS / 60:.0f} minutes; nobody listens to it for its words."


@dataclass(frozen=True)
class PatientEars:
    """is_stopped: asked whenever it waits."""

    estimators: Estimators
    transcriber: Transcriber
    is_stopped: Callable[[], bool]

    def words(self, clip: Clip, language: str | None) -> str:
        """What the transcriber hears, "" for nothing, of each of its recordings. Raises MeasureLacking, MeasuringStopped."""
        if clip.seconds > MOST_HEARD_SECONDS:
            raise MeasureLacking(TOO_LONG)
        return " ".join(filter(None, (self._written(recording, language) for recording in clip.recordings())))

    def estimates(self, clip: Clip, measures: Collection[Measure]) -> Estimates:
        """Of its first minute. Raises MeasuringStopped."""
        found = self.estimators.estimates(clip.samples, clip.sample_rate, measures=measures)
        while busy := _busy(found):
            self._wait()
            again = self.estimators.estimates(clip.samples, clip.sample_rate, measures=busy)
            had = {name: value for name, value in vars(again).items() if name != "lacking" and value is not None}
            rest = {measure: lack for measure, lack in found.lacking.items() if measure not in busy}
            found = replace(found, **had, lacking=rest | dict(again.lacking))
        if any(lack.case == "closing" for lack in found.lacking.values()):
            raise MeasuringStopped
        return found

    def check_going(self) -> None:
        """Raises MeasuringStopped."""
        if self.is_stopped():
            raise MeasuringStopped

    def check_hears(self) -> None:
        """Raises MeasureLacking where there is no transcriber."""
        if missing := self.transcriber.lacking():
            raise MeasureLacking(_told(missing))

    def _written(self, clip: Clip, language: str | None) -> str:
        while np.any(clip.samples):
            try:
                words = self.transcriber.write(clip, language)
            except TranscriberBusy:
                self._wait()
            except SpeechCancelled:
                raise MeasuringStopped from None
            except EngineError as error:
                raise MeasureLacking(_told(error)) from None
            else:
                return words.text if words else ""
        return ""

    def _wait(self) -> None:
        self.check_going()
        time.sleep(PATIENCE_SECONDS)


def _busy(found: Estimates) -> list[Measure]:
    return [measure for measure, lack in found.lacking.items() if lack.case == "busy"]


def _told(error: EngineError) -> str:
    return " ".join(filter(None, (error.fact, error.hint)))
