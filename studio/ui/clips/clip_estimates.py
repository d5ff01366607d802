"""Estimates for a region of a clip, beside its figures. Networks predict how good listeners would find it.

Only in a studio with estimators.
"""

from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.ui.clips.clip_intake import region_of
from studio.ui.gradio.messages import answered

__all__ = ["can_estimate", "estimate_region"]

PREDICTED = ("distillmos", "dnsmos")


def can_estimate(studio: Studio) -> bool:
    """Whether one of the networks is here."""
    return any(status.is_here for status in studio.estimators.statuses() if status.measure in PREDICTED)


@answered
def estimate_region(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft, start, end}. {estimates: [{measure, n}]}, n 1 to 5, of those that there are; takes a second or a few."""
    _, clip = region_of(drafts, asked)
    found = studio.estimators.estimates(clip.samples, clip.sample_rate)
    scores = {"distillmos": found.distillmos}
    if found.dnsmos is not None:
        scores |= {"overall": found.dnsmos.overall, "signal": found.dnsmos.signal, "background": found.dnsmos.background}
    return {"estimates": [{"measure": measure, "n": round(n, 1)} for measure, n in scores.items() if n is not None]}
