"""Fixture of the rooms that run evaluations: memory in use is told without looking for rubbish first."""

from types import SimpleNamespace

import pytest

from studio.evaluations.saying import process_memory

__all__ = ["unswept_memory"]


@pytest.fixture(autouse=True)
def unswept_memory(monkeypatch) -> None:
    """Each look searches all that the tests before have left, which is seconds at the end of a run. What it finds, no test asks."""
    monkeypatch.setattr(process_memory, "gc", SimpleNamespace(collect=lambda: 0))
