"""refusal_of: why a cell cannot be said, as it is kept."""

from collections.abc import Mapping

from engines.errors import EngineError

__all__ = ["refusal_of"]


def refusal_of(error: EngineError) -> Mapping[str, str]:
    """As SaidCell.refused has it, in English."""
    return {"message": error.fact, "hint": error.hint, "reason_code": error.code}
