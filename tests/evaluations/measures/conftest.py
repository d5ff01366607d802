"""No ears but stand-ins', whatever is installed."""

from tests.stand_ins.opened_studio import no_estimators

__all__ = ["no_estimators"]
