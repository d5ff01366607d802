"""VersaMeasures: whatever figures VERSA gives, by a configuration of its own, where it is installed. The studio does not bring it along.

Source: Shi et al., "VERSA: A versatile evaluation toolkit for speech, audio, and music", NAACL 2025; github.com/wavlab-speech/versa. Of one
sound it gives figures by `use_score_modules` before version 1.0, and by a suite of metrics since then; both are known here. Metrics may
fetch weights when they are opened; that is the choice of who configures them.
"""

import logging
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import soxr
import yaml

from engines.clips.clip import Clip
from studio.analysis.packages import folder_of
from studio.analysis.quiet_worker import half_the_cores, limited_threads
from studio.evaluations.measures.lacking import MeasureLacking

__all__ = ["HINT", "VersaMeasures", "check_versa", "is_here"]

PACKAGE, MODULE = "versa", "scorer_shared.py"
HINT = "VERSA is not installed here: pip install git+https://github.com/wavlab-speech/versa"
NO_FIGURES = "VERSA gave no figure of this sound; the log says more."

log = logging.getLogger("studio")


def is_here() -> bool:
    """Whether the package is. Looks, and loads nothing."""
    folder = folder_of(PACKAGE)
    return folder is not None and (folder / MODULE).is_file()


def check_versa(configuration: str) -> tuple[Mapping[str, Any], ...]:
    """The metrics that a configuration names. Raises ValueError for what is none: a YAML list of mappings with a name each."""
    try:
        metrics = yaml.safe_load(configuration)
    except yaml.YAMLError as error:
        raise ValueError(f"The configuration of VERSA is no YAML: {error}") from None
    named = isinstance(metrics, list) and metrics and all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in metrics)
    if not named:
        raise ValueError("The configuration of VERSA must be a list of metrics, each with a name, such as `- name: squim_no_ref`.")
    return tuple(metrics)


class VersaMeasures:
    """For one thread. Metrics are opened at the first sound; those that want a recording to compare with, at the first that has one."""

    def __init__(self, configuration: str):
        """Raises ValueError."""
        self._metrics = check_versa(configuration)
        self._opened: dict[bool, Any] = {}

    def values(self, clip: Clip, reference: Clip | None, text: str) -> dict[str, float]:
        """`versa.<figure>` -> value, of what are numbers. reference: what metrics compare with. Raises MeasureLacking."""
        if not is_here():
            raise MeasureLacking(HINT)
        try:
            with limited_threads(half_the_cores()):
                found = self._scores(clip, reference, text)
        except Exception:  # whatever a metric raises
            log.exception("VERSA failed")
            raise MeasureLacking(NO_FIGURES) from None
        values = {f"versa.{name}": float(value) for name, value in found.items() if _is_number(value)}
        if not values:
            raise MeasureLacking(NO_FIGURES)
        return values

    def _scores(self, clip: Clip, reference: Clip | None, text: str) -> dict[str, Any]:
        from versa import scorer_shared

        compared = reference is not None
        if compared not in self._opened:
            self._opened[compared] = scorer_shared.load_score_modules(list(self._metrics), use_gt=compared, use_gt_text=True, use_gpu=False)
        opened, sounds, rate = self._opened[compared], *_at_one_rate([clip, reference] if reference else [clip])
        said, compared_with = sounds[0], sounds[1] if len(sounds) > 1 else None
        if hasattr(scorer_shared, "use_score_modules"):
            return scorer_shared.use_score_modules(opened, said, compared_with, rate, text)
        about = {"key": "sound", "sample_rate": rate, "text": text, "general_cache": {"whisper_hyp_text": None}}
        found = opened.compute_all(predictions=said, references=compared_with, metadata=about)
        scores: dict[str, Any] = {}
        for name, value in found.items():
            scores |= value if isinstance(value, dict) else {name: value}
        return scores


def _at_one_rate(clips: Sequence[Clip]) -> tuple[list[np.ndarray], int]:
    """float64, at the lowest rate of them, as VERSA itself compares."""
    rate = min(clip.sample_rate for clip in clips)
    return [soxr.resample(clip.samples.astype(np.float64), clip.sample_rate, rate) for clip in clips], rate


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))
