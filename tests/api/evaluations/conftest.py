"""What all tests of the evaluations' routes have."""

from tests.stand_ins.unswept_memory import unswept_memory

__all__ = ["unswept_memory"]
