"""EspeakData: eSpeak NG's data with a voice variant of ours, in a folder whose path the C library can open."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from engines.errors import EngineUnavailable

__all__ = ["CODE_PAGE", "EspeakData"]

# In which the C library's fopen reads a path: bytes on Linux and macOS, on Windows the code page of whatever language it is set to.
CODE_PAGE = "mbcs" if sys.platform == "win32" else None


class EspeakData:
    """Links to the packaged data, or copies where there are none; real only where a variant is added.

    variant: its name, and the text of its file. folder: goes with this object, or when it is told to. path: of the data in it, as the C
    library takes it.
    parents: where the folder may lie, the first choice first; on Windows a home may be called 王, which few code pages can say.
    """

    def __init__(
        self, packaged: Path, variant: tuple[str, str], parents: Iterable[Path | None] | None = None, code_page: str | None = CODE_PAGE
    ):
        name, text = variant
        parents = parents or (None, *([Path.home().parent / "Public"] if sys.platform == "win32" else []))
        self.folder, self.path = _readable_folder(parents, code_page)
        data = Path(self.folder.name) / "espeak-ng-data"
        _mirror(packaged, data)
        (data / "voices" / "!v" / name).write_text(text, encoding="utf-8")


def _readable_folder(parents: Iterable[Path | None], code_page: str | None) -> tuple[tempfile.TemporaryDirectory, bytes]:
    """A new folder, short too (eSpeak allows 160 characters), and the path of data in it. None: where temporary files lie."""
    for parent in parents:
        try:
            folder = tempfile.TemporaryDirectory(prefix="espeak-", dir=parent)
        except OSError:
            if parent is None:
                raise
            continue
        data = Path(folder.name) / "espeak-ng-data"
        try:
            return folder, os.fsencode(data) if code_page is None else str(data).encode(code_page)
        except UnicodeEncodeError:
            folder.cleanup()
    detail = f"eSpeak NG opens nothing in {tempfile.gettempdir()}, which has letters that this system's code page does not"
    raise EngineUnavailable(sentence="engine_library_absent", hint="Set TMP to a folder with a name in Latin letters.", detail=detail)


def _mirror(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name in ("voices", "!v"):
            _mirror(entry, target / entry.name)
            continue
        try:
            (target / entry.name).symlink_to(entry)
        except OSError:  # a file system without links
            (shutil.copytree if entry.is_dir() else shutil.copy)(entry, target / entry.name)
