"""Fixtures of the refiner's tests."""

from tests.studio.prompts.refining import begun, open_refining, steps

__all__ = ["begun", "open_refining", "steps"]
