"""Quarantine: a folder for damaged files, each with its reason beside it. Files are moved, never deleted: a person decides."""

import logging
import os
from pathlib import Path

from engines.durable import replace_file

__all__ = ["Quarantine"]

SUFFIXES = (".safetensors", ".lexicon", ".aliases", ".consent")  # which a file keeps; any other gets the first
MOST_STEM_BYTES = 100  # of 255 that a name may have; Windows counts the folders too, to 259

log = logging.getLogger("studio.store")


class Quarantine:
    """A folder of bad files. `entries` lists what was moved during this process's life: (file name, reason)."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.entries: tuple[tuple[str, str], ...] = ()

    def take(self, path: Path, reason: str) -> None:
        """Move a file (or whatever bears its name) here. Never raises OSError: a file that cannot be moved stays, and is not served."""
        log.warning("quarantined %s: %s", path.name, reason)
        self.entries = (*self.entries, (path.name, reason))
        try:
            self.directory.mkdir(exist_ok=True)
            target = self._free_name(path.name)
            replace_file(path, target)
            target.with_name(target.name + ".reason.txt").write_text(f"{path.name}\n{reason}\n", encoding="utf-8", errors="replace")
        except OSError as error:
            log.warning("%s could not be moved to quarantine: %s", path.name, error.strerror)

    def _free_name(self, name: str) -> Path:
        suffix = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), SUFFIXES[0])
        stem = os.fsdecode(os.fsencode(name.removesuffix(suffix))[:MOST_STEM_BYTES])
        candidates = (f"{stem}{'' if n == 0 else f'-{n}'}{suffix}" for n in range(10_000))
        return next(path for candidate in candidates if not os.path.lexists(path := self.directory / candidate))
