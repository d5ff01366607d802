"""The folder of the parts of a history entry: what was said again of them. It goes with the entry."""

import shutil
from pathlib import Path

__all__ = ["parts_folder", "remove_parts"]

PARTS = "parts"


def parts_folder(directory: Path, entry_id: str) -> Path:
    """Of an entry in the history's directory; made by whoever keeps something there."""
    return directory / PARTS / entry_id


def remove_parts(directory: Path, entry_id: str) -> None:
    """Raises OSError where somebody has one of them open."""
    if (folder := parts_folder(directory, entry_id)).is_dir():
        shutil.rmtree(folder)
