"""Packages of requirements-ears.txt: finds out which are installed and where their files lie. It does not import them."""

from importlib.util import find_spec
from pathlib import Path

__all__ = ["HINT", "folder_of"]

HINT = 'make ears / uvx --from ".[ears]" voice-studio'  # what installs all of them: for good, or for one run without make


def folder_of(package: str) -> Path | None:
    """Where a package of that name lies; None where it is not installed."""
    found = find_spec(package)
    places = found and found.submodule_search_locations
    return Path(next(iter(places))) if places else None
