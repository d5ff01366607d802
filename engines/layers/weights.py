"""Where weights are: a local folder, or a repository of the Hugging Face hub in its local cache, fetched when it was asked for."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from engines.errors import CheckpointInvalid, EngineUnavailable, FetchCancelled
from engines.layers.checkpoint_files import INDEX, checkpoint_files, is_lfs_pointer
from engines.package import Progress

__all__ = ["HubWeights"]

METADATA_SECONDS = 10.0  # to hear from the hub about one file
NOTICE = "Notice"  # as the Fish Audio Research License calls the text file that keeps its attribution


@dataclass(frozen=True)
class HubWeights:
    """What an engine needs.

    patterns: names of the files that are fetched. needed: files that must be there; a name may stand for several, joined by "|", of which
    one must be. repository: the hub's id of the default. released_bytes: of repositories, what fetching one takes.
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

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them."""
        named = checkpoint if checkpoint and _is_hub_id(checkpoint) else self.repository
        return f"hf download {named}" + "".join(f" --exclude {shlex.quote(name)}" for name in self.left_out)

    def hub_id(self, checkpoint: str | None = None) -> str:
        """The repository that they are; "" for those of a local folder, which may be any."""
        named = checkpoint or self.repository
        return named if _is_hub_id(named) and not Path(named).is_dir() else ""

    def availability(self, checkpoint: str | None = None) -> EngineUnavailable | None:
        """Why `resolve` would fail for want of weights, or None: where they are here, and where it would fetch them.

        Looks at a few names on the disk, nothing more.
        """
        return None if checkpoint and _is_hub_id(checkpoint) else self._lack(checkpoint)

    def resolve(self, checkpoint: str | None = None, progress: Progress | None = None) -> Path:
        """The folder that holds them.

        checkpoint: a local folder, or a hub id, which is fetched unless it is in the hub's cache; None: the default, never fetched unasked.
        progress: told of bytes while files are fetched. Raises EngineUnavailable with the command that gets them.
        """
        try:
            return self._local_folder(checkpoint or self.repository)
        except EngineUnavailable:
            if checkpoint is None or not _is_hub_id(checkpoint):
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

        def tell(done_bytes: int, all_bytes: int | None) -> None:
            if cancelled():
                raise FetchCancelled("The download was cancelled.", "Get the weights again to go on where it ended.")
            progress(done_bytes, all_bytes)

        if _is_hub_id(repository) and not self.is_here(repository):
            self._fetch(repository, tell)
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
            if not _is_hub_id(checkpoint):
                raise EngineUnavailable(f"There is no folder {checkpoint}.", self.command(), sentence="weights_folder_gone")
            folder = self._cached_folder(checkpoint)
        lacking = [name for name in self.needed if not any((folder / file).is_file() for file in name.split("|"))]
        if lacking:
            fact = f"The weights of {checkpoint} are incomplete: {', '.join(name.split('|')[0] for name in lacking)} missing."
            raise _incomplete(fact, self.command(checkpoint), len(lacking))
        files = list(self._files_read(folder))
        if absent := [file.name for file in files if not file.is_file()]:
            fact = f"The weights of {checkpoint} are incomplete: {', '.join(absent)} missing."
            raise _incomplete(fact, self.command(checkpoint), len(absent))
        if pointers := [file.name for file in files if is_lfs_pointer(file)]:
            fact = f"The folder of {checkpoint} holds Git LFS pointers in place of {', '.join(pointers)}."
            raise _incomplete(fact, f"git -C {shlex.quote(str(folder))} lfs pull", len(pointers))
        return folder

    def _files_read(self, folder: Path) -> Iterator[Path]:
        """Of each needed name the file that a reader takes, an index rather than a single file, and the shards that an index names."""
        for name in self.needed:
            present = [folder / file for file in name.split("|") if (folder / file).is_file()]
            chosen = next((file for file in present if file.name == INDEX), present[0])
            yield chosen
            if chosen.name == INDEX:
                with suppress(CheckpointInvalid):  # the reader says what is wrong with it
                    yield from checkpoint_files(chosen.parent)

    def _cached_folder(self, repository: str) -> Path:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

        try:
            return Path(snapshot_download(repository, allow_patterns=list(self.patterns), local_files_only=True))
        except LocalEntryNotFoundError as error:
            fact = f"The weights of {repository} are not downloaded."
            raise EngineUnavailable(fact, self.command(repository), sentence="weights_absent", name=repository) from error
        except HFValidationError as error:
            fact = f"{repository!r} is neither a folder nor a repository of the hub."
            raise EngineUnavailable(fact, self.command(), sentence="weights_folder_gone") from error

    def _fetch(self, repository: str, progress: Progress | None) -> None:
        from huggingface_hub import snapshot_download

        try:
            folder = snapshot_download(
                repository, allow_patterns=list(self.patterns), etag_timeout=METADATA_SECONDS, tqdm_class=_bar_for(progress)
            )  # fmt: skip
            self._keep_notice(Path(folder) / NOTICE)
        except FetchCancelled:
            raise
        except Exception as error:  # whatever the network, the hub or the disk says, the next step is the same
            fact = (
                f"The weights of {repository} could not be downloaded: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            )
            said = fact.rstrip(".") + "."
            raise EngineUnavailable(said, self.command(repository), sentence="weights_not_downloaded", name=repository) from error

    def _keep_notice(self, file: Path) -> None:
        """The makers' own file is a link into the hub's blobs, or says more than we know: it stays as it is."""
        if self.notice and not file.is_symlink() and not file.exists():
            file.write_text(f"{self.notice}\n", encoding="utf-8")


def _incomplete(fact: str, command: str, n_files: int) -> EngineUnavailable:
    return EngineUnavailable(fact, command, sentence="weights_incomplete", n=n_files)


def _is_hub_id(checkpoint: str) -> bool:
    """OWNER/NAME, and nothing that can only be a path."""
    return checkpoint.count("/") == 1 and not checkpoint.startswith((".", "/", "~")) and not checkpoint.endswith("/")


def _bar_for(progress: Progress | None) -> type:
    """A progress bar class that draws nothing and tells `progress` of the bytes written, of all files together."""
    from tqdm.auto import tqdm

    class Bar(tqdm):
        def __init__(self, *args, **kwargs):
            self._counts_bytes = kwargs.pop("name", None) == "huggingface_hub.snapshot_download"
            super().__init__(*args, **{**kwargs, "disable": True})
            self.n = kwargs.get("initial", 0)

        def update(self, n: float | None = 1) -> None:
            self.n += n or 0
            if self._counts_bytes and progress is not None:
                progress(int(self.n), int(self.total) if self.total else None)

    return Bar
