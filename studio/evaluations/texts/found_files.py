"""Recordings that a list names: where they are, as far as they may be read."""

import os
from collections.abc import Sequence
from pathlib import Path

from studio.errors import ScriptFileUnusable
from studio.evaluations.texts.rows import SOUND_ENDINGS, is_sound_name
from studio.text_files.decoding import decode_text

__all__ = ["FileFinder", "sounds_below", "text_of"]

_MOST_SOUNDS = 200_000
_MOST_TEXT_BYTES = 16 << 20


def sounds_below(folder: Path) -> list[Path]:
    """Every sound of the folder and of those in it, by name. What is hidden is left out; links to folders are not followed."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        found += [Path(place, name) for name in sorted(files) if is_sound_name(name) and not name.startswith(".")]
        if len(found) > _MOST_SOUNDS:
            break
    return sorted(found[:_MOST_SOUNDS])


def text_of(file: Path) -> str:
    """Of a file that lies beside recordings; "" where it is none."""
    try:
        if file.stat().st_size > _MOST_TEXT_BYTES:
            return ""
        return decode_text(file.read_bytes()).text
    except (OSError, ScriptFileUnusable):
        return ""


class FileFinder:
    """folder: of the list, which relative paths begin at; None where nothing can be looked for. within: where every file must lie, such as
    an upload that was unpacked; None for anywhere. missing, outside: names that were not found, or lie elsewhere."""

    def __init__(self, folder: Path | None, within: Path | None = None):
        self.folder, self.within = folder, within
        self.missing: list[str] = []
        self.outside: list[str] = []
        self._root = within.resolve() if within is not None else None
        self._found: dict[str, Path | None] = {}

    def file(self, name: str, other_endings: Sequence[str] = ()) -> Path | None:
        """None where it is not there, which is kept. other_endings: that it may have in place of its own."""
        if name not in self._found:
            self._found[name] = self._looked_for(name, other_endings)
        return self._found[name]

    def sound_in(self, *folders: str) -> Path | None:
        """The first sound of the first of these folders that has one, by its name."""
        for name in folders:
            place = self._place(name)
            if place is None or not place.is_dir() or not self._is_within(place):
                continue
            sounds = sorted(file for file in place.iterdir() if is_sound_name(file.name) and not file.name.startswith("."))
            if sounds:
                return sounds[0]
        return None

    def words_of(self, *files: str) -> dict[str, str]:
        """Name of a recording -> its words, of the first of these lists that is there: `name|words` in each line."""
        for name in files:
            place = self._place(name)
            if place is not None and place.is_file() and self._is_within(place):
                lines = (line.partition("|") for line in text_of(place).split("\n"))
                return {recording.strip(): words.strip() for recording, mark, words in lines if mark and words.strip()}
        return {}

    def _looked_for(self, name: str, other_endings: Sequence[str]) -> Path | None:
        place = self._place(name)
        if place is None:
            self.missing.append(name)
            return None
        if not self._is_within(place):
            self.outside.append(name)
            return None
        stem = place.name[: -len(place.suffix)] if is_sound_name(place.name) else place.name
        for candidate in (place, *(place.parent / f"{stem}{ending}" for ending in other_endings)):
            if _is_file(candidate):
                return candidate
        self.missing.append(name)
        return None

    def _place(self, name: str) -> Path | None:
        """Where it would be."""
        if self.folder is None or "\0" in name or not name.strip():
            return None
        return self.folder / name.strip().replace("\\", "/")

    def _is_within(self, place: Path) -> bool:
        try:
            return self._root is None or place.resolve().is_relative_to(self._root)
        except (OSError, RuntimeError):  # a circle of links
            return False


def _is_file(place: Path) -> bool:
    try:
        return place.suffix.casefold() in SOUND_ENDINGS and place.is_file()
    except OSError:  # a name that no file system takes
        return False
