"""kept_folder: a folder until the run ends, for what is written once in a process and read by many tests."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

__all__ = ["kept_folder", "remove_kept_folders"]

_KEPT: list[Path] = []


def kept_folder() -> Path:
    _KEPT.append(Path(mkdtemp()))
    return _KEPT[-1]


def remove_kept_folders() -> None:
    """All of this process."""
    while _KEPT:
        shutil.rmtree(_KEPT.pop())
