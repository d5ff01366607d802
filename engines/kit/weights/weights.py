"""Where weights are: a local folder, or a repository of the Hugging Face hub in its local cache, fetched when it was asked for."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from engines.contract.options import Value
from engines.contract.package import Progress
from engines.errors import CheckpointInvalid, EngineUnavailable
from engines.kit.weights.checkpoint_files import INDEX, checkpoint_files
from engines.kit.weights.hub_snapshot import HubSnapshot, is_hub_id, stoppable
from engines.kit.weights.weights_files import check_lacking, check_pointers

__all__ = ["HubWeights"]

NOTICE = "Notice"  # as the Fish Audio Research License calls the text file that keeps its attribution


@dataclass(frozen=True)
class HubWeights:
    """What an engine needs.

    patterns: names of the files that are fetched. needed: files that must be there; a name may stand for several, joined by "|", of which
    one must be. optional: patterns of files that are read where they are there. repository: the hub's id of the default. released_bytes:
    of repositories, what fetching one takes.
    left_out: files of the repository that nobody reads, so that the command does not fetch them; patterns.
    notice: the line that the licence wants kept beside the weights. It is written into a text file "Notice" of the hub's snapshot when we
    fetch them, once; never into a folder of somebody's own, and never into the makers' own file of that name. The text of the licence comes
    with the weights where patterns name it ("LICENSE*").
    """

    repository: str
    patterns: Sequence[str]
    needed: Sequence[str]
    released_bytes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    notice: str = ""
    left_out: Sequence[str] = ()
    optional: Sequence[str] = ()

    def of(self, options: Mapping[str, Value]) -> "HubWeights":
        """Themselves: one repository holds one model."""
        return self

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them."""
        named = checkpoint if checkpoint and is_hub_id(checkpoint) else self.repository
        return f"hf download {named}" + "".join(f" --exclude {shlex.quote(name)}" for name in self.left_out)

    def hub_id(self, checkpoint: str | None = None) -> str:
        """The repository that they are; "" for those of a local folder, which may be any."""
        named = checkpoint or self.repository
        return named if is_hub_id(named) and not Path(named).is_dir() else ""

    def availability(self, checkpoint: str | None = None) -> EngineUnavailable | None:
        """Why `resolve` would fail for want of weights, or None: where they are here, and where it would fetch them.

        Looks at a few names on the disk, nothing more.
        """
        return None if checkpoint and is_hub_id(checkpoint) else self._lack(checkpoint)

    def resolve(self, checkpoint: str | None = None, progress: Progress | None = None) -> Path:
        """The folder that holds them.

        checkpoint: a local folder, or a hub id, which is fetched unless it is in the hub's cache; None: the default, never fetched unasked.
        progress: told of bytes while files are fetched. Raises EngineUnavailable with the command that gets them.
        """
        try:
            return self._local_folder(checkpoint or self.repository)
        except EngineUnavailable:
            if checkpoint is None or not is_hub_id(checkpoint):
                raise
        self._fetch(checkpoint, progress)
        return self._local_folder(checkpoint)

    def is_here(self, checkpoint: str | None = None) -> bool:
        """Whether they are complete on this machine. Looks at a few names on the disk."""
        return self._lack(checkpoint) is None

    def n_bytes(self, checkpoint: str | None = None) -> int:
        """Of the files that would be read where they are here, else of the release; 0 for a repository that is neither here nor known."""
        try:
            folder = self._local_folder(checkpoint or self.repository)
        except EngineUnavailable:
            return self.released_bytes.get(checkpoint or self.repository, 0)
        return sum(file.stat().st_size for file in self._files_read(folder))

    def fetch(self, checkpoint: str | None, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Bring them into the hub's cache, going on where an earlier fetch ended. Raises FetchCancelled, EngineUnavailable."""
        repository = checkpoint or self.repository
        if is_hub_id(repository) and not self.is_here(repository):
            self._fetch(repository, stoppable(progress, cancelled))
        self._local_folder(repository)

    def _lack(self, checkpoint: str | None) -> EngineUnavailable | None:
        try:
            self._local_folder(checkpoint or self.repository)
        except EngineUnavailable as error:
            return error
        return None

    def _local_folder(self, checkpoint: str) -> Path:
        folder = Path(checkpoint).expanduser()
        if not folder.is_dir():
            if not is_hub_id(checkpoint):
                raise EngineUnavailable(f"There is no folder {checkpoint}.", self.command(), sentence="weights_folder_gone")
            folder = self._snapshot(checkpoint).folder()
        absent = [name.split("|")[0] for name in self.needed if not any((folder / file).is_file() for file in name.split("|"))]
        check_lacking(checkpoint, absent, self.command(checkpoint))
        files = list(self._files_read(folder))
        check_lacking(checkpoint, [file.name for file in files if not file.is_file()], self.command(checkpoint))
        check_pointers(checkpoint, folder, files)
        return folder

    def _files_read(self, folder: Path) -> Iterator[Path]:
        """Of each needed name the file that a reader takes, an index rather than a single file, and the shards that an index names; all
        optional ones.
        """
        for name in self.needed:
            present = [folder / file for file in name.split("|") if (folder / file).is_file()]
            chosen = next((file for file in present if file.name == INDEX), present[0])
            yield chosen
            if chosen.name == INDEX:
                with suppress(CheckpointInvalid):  # the reader says what is wrong with it
                    yield from checkpoint_files(chosen.parent)
        for pattern in self.optional:
            yield from sorted(folder.glob(pattern))

    def _snapshot(self, repository: str) -> HubSnapshot:
        return HubSnapshot(repository, self.patterns, self.command(repository))

    def _fetch(self, repository: str, progress: Progress | None) -> None:
        self._keep_notice(self._snapshot(repository).fetch(progress) / NOTICE)

    def _keep_notice(self, file: Path) -> None:
        """The makers' own file is a link into the hub's blobs, or says more than we know: it stays as it is."""
        if self.notice and not file.is_symlink() and not file.exists():
            file.write_text(f"{self.notice}\n", encoding="utf-8")
