"""Estimators: all estimators of the studio, for everybody who needs an estimate of a sound. The studio can speak without them.

Words have the transcriber's thread, all else one thread here; each computes with half of the processor's cores, no GPU and no network, one
behind the other. Packages are imported and models opened at the first sound, and let go of after as long an idle time as engines are.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import soxr

from engines.clips.clip import Clip
from engines.errors import EngineError
from engines.kit.speaker.mel import RATE_HZ
from engines.text.language_guess import guess_language
from studio.analysis import distillmos, dnsmos, likeness, packages
from studio.analysis.dnsmos import DnsmosScores
from studio.analysis.estimates import MEASURES, Estimates, EstimateUnavailable, EstimatorStatus, Measure
from studio.analysis.heard_words import word_errors
from studio.analysis.quiet_worker import MOST_WAITING, QuietWorker, QuietWorkerFull, half_the_cores, limited_threads
from studio.analysis.transcriber import Transcriber
from studio.analysis.word_floor import word_floor
from studio.audio.loudness import integrated_loudness
from studio.errors import SpeechCancelled, TranscriberBusy, TranscriberMissing

__all__ = ["Estimators"]

MOST_SECONDS = 60.0  # that are heard of a sound: what follows says little more, and takes as long again
PACKAGE_OF = {"words": "faster-whisper", "dnsmos": "speechmos", "distillmos": "distillmos"}  # the others are always there
CLOSING = EstimateUnavailable("closing", "The studio is closing.")
SILENT = EstimateUnavailable("silent", "Nothing is heard.", "Take a sound with speech in it.")
BUSY = EstimateUnavailable(
    "busy", f"{MOST_WAITING} sounds wait to be heard already, the limit.", "Try again in a minute.", {"n": MOST_WAITING}
)

log = logging.getLogger("studio")


class Estimators:
    """Thread-safe. transcriber: of the words; somebody else closes it. idle_seconds: 0 for ever."""

    def __init__(self, transcriber: Transcriber, idle_seconds: float = 0.0):
        self._transcriber = transcriber
        self._worker = QuietWorker("ears", _Models, idle_seconds)

    def statuses(self) -> tuple[EstimatorStatus, ...]:
        """Of every measure, in the order of MEASURES. Looks, and loads nothing."""
        return tuple(EstimatorStatus(measure, self._missing(measure)) for measure in MEASURES)

    def estimates(
        self,
        samples: np.ndarray,
        sample_rate: int,
        *,
        text: str | None = None,
        language: str | None = None,
        reference: Clip | None = None,
        measures: Collection[Measure] = MEASURES,
    ) -> Estimates:
        """Blocks for some seconds, less than the sound takes on a small machine. What fails is told in `lacking`.

        samples: (T,) float32. text: what should be said; without it no words are heard. language: of it. reference: of the speaker whom the
        sound should be like; without it no likeness. measures: which are wanted at all. Raises ValueError and ClipUnusable for what is
        no sound at all.
        """
        clip = Clip(np.asarray(samples, np.float32)[: round(MOST_SECONDS * sample_rate)], sample_rate)
        asked: list[Measure] = [measure for measure in _asked(text, reference) if measure in measures]
        if not np.any(clip.samples):
            return Estimates(lacking=dict.fromkeys(asked, SILENT))
        sound = _Sound(clip, reference)
        found: dict[Measure, Any] = {}  # each of its kind, see Estimates
        lacking: dict[Measure, EstimateUnavailable] = {}
        for measure in asked:
            lack = self._missing(measure)
            try:
                value = None if lack else self._words(clip, language) if measure == "words" else self._measured(measure, sound)
            except _EstimatorUnavailable as error:
                lack, value = error.lack, None
            if lack:
                lacking[measure] = lack
            elif value is None:
                lacking[measure] = SILENT
            else:
                found[measure] = value
        heard = found.get("words")
        errors, n_words = word_errors(text or "", heard, language) if heard is not None else (None, None)
        return Estimates(
            heard,
            errors,
            n_words,
            found.get("likeness"),
            found.get("dnsmos"),
            found.get("distillmos"),
            found.get("loudness"),
            lacking,
            None if heard is None else word_floor(self._transcriber.name, language or guess_language(text or "")),
        )

    def close(self) -> None:
        """Who waits is told that the studio closes."""
        self._worker.close()

    def _missing(self, measure: Measure) -> EstimateUnavailable | None:
        if measure == "words":
            lacking = self._transcriber.lacking()
            return lacking and EstimateUnavailable(
                "missing", lacking.fact, lacking.hint, {"package": PACKAGE_OF[measure], "command": packages.HINT}
            )
        needed = {"dnsmos": dnsmos, "distillmos": distillmos}.get(measure)
        if needed is None or needed.is_here():
            return None
        package = PACKAGE_OF[measure]
        return EstimateUnavailable(
            "missing", f"The package {package} is not installed.", packages.HINT, {"package": package, "command": packages.HINT}
        )

    def _words(self, clip: Clip, language: str | None) -> str | None:
        """ "" where no words are heard, which is an answer."""
        try:
            words = self._transcriber.write(clip, language)
        except TranscriberMissing as error:
            raise _EstimatorUnavailable(EstimateUnavailable("missing", error.fact, error.hint)) from None
        except TranscriberBusy:
            raise _EstimatorUnavailable(BUSY) from None
        except SpeechCancelled:
            raise _EstimatorUnavailable(CLOSING) from None
        except EngineError as error:
            raise _EstimatorUnavailable(EstimateUnavailable("failed", error.fact, error.hint)) from None
        return words.text if words else ""

    def _measured(self, measure: Measure, sound: "_Sound") -> float | DnsmosScores | None:
        try:
            return self._worker.run(lambda models: models.measure(measure, sound))
        except QuietWorkerFull:
            raise _EstimatorUnavailable(BUSY) from None
        except SpeechCancelled:
            raise _EstimatorUnavailable(CLOSING) from None
        except Exception:
            log.exception("the estimator of %s failed", measure)
            raise _EstimatorUnavailable(
                EstimateUnavailable("failed", "This could not be estimated.", "Try again; the studio's log says more.")
            ) from None


class _EstimatorUnavailable(Exception):
    def __init__(self, lack: EstimateUnavailable):
        super().__init__(str(lack))
        self.lack = lack


@dataclass(frozen=True, eq=False)
class _Sound:
    clip: Clip
    reference: Clip | None

    @cached_property
    def heard(self) -> np.ndarray:
        """(T,) float32 at RATE_HZ, within full scale."""
        clip = self.clip
        samples = soxr.resample(clip.samples, clip.sample_rate, RATE_HZ) if clip.sample_rate != RATE_HZ else clip.samples
        return samples / max(1.0, float(np.abs(samples).max(initial=0.0)))


class _Models:
    """On the thread of the estimators: each is opened when it is first wanted."""

    def measure(self, measure: Measure, sound: _Sound) -> float | DnsmosScores | None:
        if measure == "loudness":
            return integrated_loudness(sound.clip.samples, sound.clip.sample_rate)
        if measure == "dnsmos":
            return self._dnsmos.scores(sound.heard)
        with limited_threads(half_the_cores()):
            if measure != "likeness":
                return self._distillmos.score(sound.heard)
            return None if sound.reference is None else self._likeness.likeness(sound.clip, sound.reference)

    @cached_property
    def _likeness(self) -> likeness.LikenessEstimator:
        return likeness.LikenessEstimator()

    @cached_property
    def _dnsmos(self) -> dnsmos.DnsmosEstimator:
        return dnsmos.DnsmosEstimator()

    @cached_property
    def _distillmos(self) -> distillmos.DistillmosEstimator:
        return distillmos.DistillmosEstimator()


def _asked(text: str | None, reference: Clip | None) -> Sequence[Measure]:
    left_out = {"words": text is None, "likeness": reference is None}
    return [measure for measure in MEASURES if not left_out.get(measure)]
