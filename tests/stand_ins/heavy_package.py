"""A package as engines/ would hold it, whose weights can be downloaded: from one folder of the disk to another, piece by piece.

`checkpoint` is a folder with `remote.bin` (what a hub would have) and `remote.sha256`; `weights.bin` beside them is what has been fetched.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from engines.catalog import WeightsSource
from engines.contract.contract import EngineInfo
from engines.contract.package import EnginePackage, Progress
from engines.errors import EngineUnavailable, FetchCancelled
from tests.stand_ins.fake_engine import INFO as FAKE
from tests.stand_ins.fake_engine import FakeEngine

PIECE_BYTES = 1_000
INFO = replace(FAKE, id="heavy", title="Heavy", presets=("anvil",), default_preset=None, weights_bytes=10_000)

before_piece: Callable[[int], None] = lambda index: None  # noqa: E731 - a test puts its own here


def make_remote(folder: Path, n_bytes: int = 10_000, *, digest: str | None = None) -> str:
    """Put weights where `fetch` finds them; the checkpoint's name. digest: another one than theirs, for a damaged download."""
    data = bytes(index % 251 for index in range(n_bytes))
    folder.mkdir(exist_ok=True)
    (folder / "remote.bin").write_bytes(data)
    (folder / "remote.sha256").write_text(digest or hashlib.sha256(data).hexdigest())
    return str(folder)


class _Remote:
    """PackageWeights: from `remote.bin` to `weights.bin` of the checkpoint's folder."""

    def of(self, options: Mapping[str, object]) -> "_Remote":
        return self

    def availability(self, checkpoint: str | None = None) -> None:
        return None

    def is_here(self, checkpoint: str | None = None) -> bool:
        return (Path(checkpoint) / "weights.bin").is_file()

    def hub_id(self, checkpoint: str | None = None) -> str:
        return ""

    def n_bytes(self, checkpoint: str | None = None) -> int:
        return INFO.weights_bytes

    def command(self, checkpoint: str | None = None) -> str:
        return "make weights"

    def fetch(self, checkpoint: str | None, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Copies piece by piece into a part file, and goes on at its end when called again."""
        folder = Path(checkpoint)
        if not (folder / "remote.bin").is_file():
            raise EngineUnavailable("The hub does not answer.", "make weights")
        remote, part = (folder / "remote.bin").read_bytes(), folder / "weights.part"
        done = part.stat().st_size if part.exists() else 0
        progress(done, len(remote))
        with part.open("ab") as file:
            for index, start in enumerate(range(done, len(remote), PIECE_BYTES)):
                before_piece(index)
                if cancelled():
                    raise FetchCancelled("The download was cancelled.")
                file.write(remote[start : start + PIECE_BYTES])
                file.flush()
                progress(min(start + PIECE_BYTES, len(remote)), len(remote))
        if hashlib.sha256(part.read_bytes()).hexdigest() != (folder / "remote.sha256").read_text():
            part.unlink()
            raise EngineUnavailable("The checksum of the weights is wrong: the download is damaged and was thrown away.", "make weights")
        part.rename(folder / "weights.bin")


WEIGHTS = _Remote()


def source(checkpoint: str) -> WeightsSource:
    """As the catalog makes one of PACKAGE."""
    return WeightsSource(lambda: WEIGHTS.is_here(checkpoint), lambda progress, cancelled: WEIGHTS.fetch(checkpoint, progress, cancelled))


def open(
    checkpoint: str, device: str | None = None, dtype: str | None = None, progress: object = None, info: EngineInfo = INFO
) -> FakeEngine:
    """The engine, once its weights are here."""
    if not WEIGHTS.is_here(checkpoint):
        raise EngineUnavailable("The weights of Heavy are not here.", INFO.weights_command)
    return FakeEngine(info)


PACKAGE = EnginePackage(INFO, open, WEIGHTS)
