"""Refuses weight files before they are read: missing ones, and pointers in place of them."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from engines.errors import EngineUnavailable
from engines.kit.weights.checkpoint_files import is_lfs_pointer

__all__ = ["check_lacking", "check_pointers"]


def check_lacking(checkpoint: str, lacking: Sequence[str], command: str) -> None:
    """lacking: names of files that are not there. Raises EngineUnavailable where there are any, with the command that gets them."""
    if lacking:
        detail = f"{', '.join(lacking)} missing in {checkpoint}"
        raise EngineUnavailable(command=command, sentence="weights_incomplete", detail=detail, n=len(lacking))


def check_pointers(checkpoint: str, folder: Path, files: Sequence[Path]) -> None:
    """files: of the folder, which are there. Raises EngineUnavailable where git left pointers (LFS) in place of some."""
    if pointers := [file.name for file in files if is_lfs_pointer(file)]:
        command = f"git -C {shlex.quote(str(folder))} lfs pull"
        detail = f"the folder of {checkpoint} holds Git LFS pointers in place of {', '.join(pointers)}"
        raise EngineUnavailable(command=command, sentence="weights_incomplete", detail=detail, n=len(pointers))
