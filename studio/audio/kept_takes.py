"""KeptTakes: the sounds of scripts as files by content, FLAC, a folder for each script. What is told of them is in the database."""

import hashlib
import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from engines.durable import StagedFile, locked_directory, remove_file, remove_leftovers, sync_directory
from studio.audio.file_encoder import FileEncoder
from studio.audio.flac import samples_of
from studio.errors import ScriptTakeDamaged

__all__ = ["KeptTakes"]

SUFFIX = ".flac"
FRESH_SECONDS = 3600.0  # a file that nobody knows may be on its way into the database for so long


class KeptTakes:
    """folder: of all scripts' folders; each is made at the first sound. Raises OSError, beside what is said."""

    def __init__(self, folder: Path):
        self._folder = folder

    def folder(self, script_id: str) -> Path:
        return self._folder / script_id

    def path(self, script_id: str, sha256: str) -> Path:
        return self.folder(script_id) / f"{sha256}{SUFFIX}"

    def keep(self, script_id: str, samples: np.ndarray, sample_rate: int) -> tuple[str, int]:
        """(SHA-256 of the file, its bytes): on disk when this returns. samples: (T,) int16, or float32 in [-1, 1]."""
        encoder = FileEncoder("flac", sample_rate)
        try:
            encoder.push(samples.astype(np.float32) / 32768 if samples.dtype == np.int16 else samples)
            file = encoder.finish()
        finally:
            encoder.close()
        try:
            data = file.read()
        finally:
            file.close()
        digest = hashlib.sha256(data).hexdigest()
        self._write(script_id, digest, data)
        return digest, len(data)

    def read(self, script_id: str, sha256: str) -> tuple[np.ndarray, int]:
        """((T,) int16, Hz). Raises ScriptTakeDamaged."""
        return samples_of(self.read_flac(script_id, sha256))

    def read_flac(self, script_id: str, sha256: str) -> bytes:
        """The whole file. Raises ScriptTakeDamaged."""
        try:
            data = self.path(script_id, sha256).read_bytes()
        except FileNotFoundError:
            raise ScriptTakeDamaged from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ScriptTakeDamaged
        return data

    def has(self, script_id: str, sha256: str) -> bool:
        return self.path(script_id, sha256).is_file()

    def remove(self, script_id: str, sha256: str) -> None:
        """What somebody has open stays, until `sweep`."""
        with suppress(OSError):
            remove_file(self.path(script_id, sha256))

    def remove_all(self, script_id: str) -> bool:
        """Whether all of it is gone."""
        shutil.rmtree(self.folder(script_id), ignore_errors=True)
        return not self.folder(script_id).exists()

    def copy(self, script_id: str, to: str, digests: Collection[str]) -> None:
        """The same files for another script; those that it has stay as they are. One that is damaged or gone is left out."""
        folder = self.folder(to)
        for digest in digests:
            source, target = self.path(script_id, digest), self.path(to, digest)
            if target.exists() or not source.exists():
                continue
            folder.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)  # files by content are never written again
            except OSError:
                self._write(to, digest, source.read_bytes())
        if folder.is_dir():
            sync_directory(folder)

    @contextmanager
    def saying(self, script_id: str) -> Iterator[bool]:
        """Whether nobody else says lines of the script, in this process or another; until the end nobody else does."""
        folder = self.folder(script_id)
        folder.mkdir(parents=True, exist_ok=True)
        with locked_directory(folder, patient=False) as is_held:
            yield is_held

    def sweep(self, script_id: str, known: Collection[str]) -> None:
        """Remove what a process that died has left: files that nobody knows and that are not fresh. known: hashes."""
        folder, before = self.folder(script_id), time.time() - FRESH_SECONDS
        if not folder.is_dir():
            return
        remove_leftovers(folder, written_before=before)
        for path in folder.glob(f"*{SUFFIX}"):
            with suppress(OSError):
                if path.stem not in known and path.stat().st_mtime < before:
                    remove_file(path)

    def _write(self, script_id: str, digest: str, data: bytes) -> None:
        path = self.path(script_id, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = StagedFile(path.parent, [data])
        try:
            staged.publish(path)
        finally:
            staged.discard()
        sync_directory(path.parent)
