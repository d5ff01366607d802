"""Takes: sounds as the engine spoke them. They stay beside the test until its sounds are settled, so nothing is spoken twice."""

import io
import json
import zipfile
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engines.durable import put_file, remove_file, remove_leftovers, sync_directory
from engines.plain_json import read_json

__all__ = ["Take", "TakeFacts", "Takes"]

SUFFIX = ".npz"


@dataclass(frozen=True)
class TakeFacts:
    """How a sound was made; as Item has it."""

    ttfp_ms: float | None = None
    rtf: float | None = None
    cache: str = ""
    build: str = ""


@dataclass(frozen=True, eq=False)
class Take:
    """samples: (T,) float32 at sample_rate, Hz; nothing was done to them."""

    samples: np.ndarray
    sample_rate: int
    facts: TakeFacts = TakeFacts()


class Takes:
    """One file for each digest; a digest stands for all that makes two takes the same. folder: made when the first is kept."""

    def __init__(self, folder: Path):
        self._folder = folder

    def __contains__(self, digest: str) -> bool:
        return self._path(digest).exists()

    def keep(self, digest: str, take: Take) -> None:
        """On disk when it returns. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = io.BytesIO()
        np.savez(file, samples=take.samples, sample_rate=take.sample_rate, facts=json.dumps(asdict(take.facts)))
        put_file(self._path(digest), [file.getbuffer()])
        sync_directory(self._folder)

    def read(self, digest: str) -> Take | None:
        """None where there is none. A damaged one is removed, so that it is made again."""
        path = self._path(digest)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                facts = TakeFacts(**read_json(str(stored["facts"])))
                return Take(stored["samples"], int(stored["sample_rate"]), facts)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
            remove_file(path)
            return None

    def keep_only(self, digests: Collection[str]) -> None:
        """Raises OSError."""
        if self._folder.exists():
            remove_leftovers(self._folder)
        for path in self._folder.glob(f"*{SUFFIX}"):
            if path.stem not in digests:
                remove_file(path)

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}{SUFFIX}"
