"""Fixtures: doors over fake engines, without ears."""

from tests.api.conftest import door, doors, each_chunk_alone, open_door
from tests.stand_ins.opened_studio import no_estimators, open_studio

__all__ = ["door", "doors", "each_chunk_alone", "no_estimators", "open_door", "open_studio"]
