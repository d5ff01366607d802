"""Which families of figures can be had on this machine, and why others cannot."""

from studio.analysis.estimates import EstimatorStatus
from studio.analysis.estimators import Estimators
from studio.evaluations.measures import versa_measures
from studio.evaluations.plan.figures import FAMILIES, Family

__all__ = ["families_here"]


def families_here(estimators: Estimators) -> dict[Family, str | None]:
    """Family -> why not, None where it can be had. Looks, and loads nothing."""
    statuses: dict[str, EstimatorStatus] = {status.measure: status for status in estimators.statuses()}
    lacking: dict[str, str] = {name: str(status.lacking) for name, status in statuses.items() if status.lacking}
    if not versa_measures.is_here():
        lacking["versa"] = versa_measures.HINT
    reasons: list[tuple[Family, str | None]] = [(family, lacking.get(family)) for family in FAMILIES]
    return dict(reasons)
