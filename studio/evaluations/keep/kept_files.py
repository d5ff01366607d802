"""KeptFiles: the sounds and recordings of evaluations as files by content, a folder for each. What is told of them is in the database.

A sound is FLAC of 16 bits. A recording of a voice is a WAV file of float32, so that engines learn the very samples that were handed in.
"""

import io
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import soundfile

from engines.clips.clip import Clip
from engines.durable import locked_directory, put_file, remove_file, sync_directory
from studio.audio.kept_takes import FRESH_SECONDS, KeptTakes
from studio.errors import EvaluationSoundDamaged, ScriptTakeDamaged
from studio.evaluations.plan.cell import KeptSound

__all__ = ["KeptFiles"]

RECORDING = ".wav"


class KeptFiles:
    """folder: of all evaluations' folders; each is made at the first file. Raises OSError, beside what is said."""

    def __init__(self, folder: Path):
        self._folder, self._sounds = folder, KeptTakes(folder)

    def folder(self, evaluation_id: str) -> Path:
        return self._sounds.folder(evaluation_id)

    # --- sounds

    def keep(self, evaluation_id: str, samples: np.ndarray, sample_rate: int) -> KeptSound:
        """On disk when this returns. samples: (T,) int16, or float32 in [-1, 1]."""
        sha256, n_bytes = self._sounds.keep(evaluation_id, samples, sample_rate)
        return KeptSound(sha256, n_bytes, sample_rate, len(samples) / sample_rate)

    def read(self, evaluation_id: str, sha256: str) -> tuple[np.ndarray, int]:
        """((T,) int16, Hz). Raises EvaluationSoundDamaged."""
        try:
            return self._sounds.read(evaluation_id, sha256)
        except ScriptTakeDamaged:
            raise EvaluationSoundDamaged from None

    def read_flac(self, evaluation_id: str, sha256: str) -> bytes:
        """The whole file. Raises EvaluationSoundDamaged."""
        try:
            return self._sounds.read_flac(evaluation_id, sha256)
        except ScriptTakeDamaged:
            raise EvaluationSoundDamaged from None

    def path(self, evaluation_id: str, sha256: str) -> Path:
        """Of a sound, whether it is there or not."""
        return self._sounds.path(evaluation_id, sha256)

    def remove(self, evaluation_id: str, sha256: str) -> None:
        """What somebody has open stays, until `sweep`."""
        self._sounds.remove(evaluation_id, sha256)

    def sweep(self, evaluation_id: str, known: Collection[str]) -> None:
        """Remove sounds that a process which died has left. known: hashes."""
        self._sounds.sweep(evaluation_id, known)

    def remove_all(self, evaluation_id: str) -> bool:
        """Whether all of it is gone."""
        return self._sounds.remove_all(evaluation_id)

    def remove_unknown(self, known: Collection[str]) -> None:
        """Folders of evaluations that were never made, since the process died before. known: ids."""
        before = time.time() - FRESH_SECONDS
        for folder in self._folder.iterdir() if self._folder.is_dir() else ():
            with suppress(OSError):
                if folder.is_dir() and folder.name not in known and folder.stat().st_mtime < before:
                    self._sounds.remove_all(folder.name)

    # --- recordings

    def keep_recording(self, evaluation_id: str, clip: Clip) -> int:
        """Its bytes; on disk when this returns."""
        data = io.BytesIO()
        soundfile.write(data, clip.samples, clip.sample_rate, subtype="FLOAT", format="WAV")
        path = self._recording(evaluation_id, clip.digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        put_file(path, [data.getvalue()])
        sync_directory(path.parent)
        return len(data.getvalue())

    def read_recording(self, evaluation_id: str, digest: str, joints: Collection[int] = ()) -> Clip:
        """Raises EvaluationSoundDamaged."""
        try:
            samples, sample_rate = soundfile.read(io.BytesIO(self._recording(evaluation_id, digest).read_bytes()), dtype="float32")
            clip = Clip(samples, sample_rate, tuple(joints))
        except (FileNotFoundError, soundfile.SoundFileError, ValueError):
            raise EvaluationSoundDamaged from None
        if clip.digest != digest:
            raise EvaluationSoundDamaged
        return clip

    def remove_recording(self, evaluation_id: str, digest: str) -> None:
        """Nothing happens where it is gone."""
        with suppress(OSError):
            remove_file(self._recording(evaluation_id, digest))

    def _recording(self, evaluation_id: str, digest: str) -> Path:
        return self.folder(evaluation_id) / f"{digest}{RECORDING}"

    # --- who is at work

    @contextmanager
    def running(self, evaluation_id: str) -> Iterator[bool]:
        """Whether nobody else runs the evaluation, in this process or another; until the end nobody else does."""
        with self._sounds.saying(evaluation_id) as is_mine:
            yield is_mine

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """Whether nobody else runs any evaluation on these files: two at a time would spoil each other's times."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with locked_directory(self._folder, patient=False) as is_mine:
            yield is_mine
