"""Finds weights: in a local folder, or in the local cache of the Hugging Face hub. It fetches them there when asked to.

HubSnapshot has files of a repository of the Hugging Face hub, in the hub's local cache or on their way there, told in bytes.
"""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from engines.contract.options import Value
from engines.contract.package import Progress
from engines.errors import CheckpointInvalid, EngineUnavailable, FetchCancelled
from engines.kit.weights.checkpoint_files import INDEX, checkpoint_files
from engines.kit.weights.weights_files import check_lacking, check_pointers

__all__ = ["HubSnapshot", "HubWeights", "fetch_in_turn", "is_begun", "is_hub_id", "refused_status", "stoppable"]

# --- a repository's files


METADATA_SECONDS = 10.0  # to hear from the hub about one file
REFUSED = (401, 403)  # a token is wanted; the token's owner may not


@dataclass(frozen=True)
class HubSnapshot:
    """Of a repository the files that patterns name. revision: a commit; None: where its main branch is. command: the one line that gets
    them.
    """

    repository: str
    patterns: Sequence[str]
    command: str
    revision: str | None = None

    def folder(self) -> Path:
        """Where they are in the cache, with as many of them as it has where it does not know of more.

        Raises EngineUnavailable where it has none of this revision, or knows that some are missing. Of a repository of which nothing is
        here it looks for one folder: every page asks for all engines, each second or so.
        """
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

        absent = EngineUnavailable(command=self.command, sentence="weights_absent", detail=self.repository, name=self.repository)
        try:
            if not is_begun(self.repository):
                raise absent
            return Path(
                snapshot_download(self.repository, revision=self.revision, allow_patterns=list(self.patterns), local_files_only=True)
            )
        except LocalEntryNotFoundError as error:
            raise absent from error
        except HFValidationError as error:
            raise EngineUnavailable(
                sentence="weights_folder_gone", detail=f"{self.repository!r} is neither a folder nor a repository of the hub"
            ) from error

    def begun(self) -> Path | None:
        """Where as many of them are as an earlier fetch brought; None where none began."""
        try:
            return self.folder()
        except EngineUnavailable as error:
            found = getattr(error.__cause__, "snapshot_path", None)
            return Path(found) if found else None

    def fetch(self, progress: Progress | None) -> Path:
        """Bring them, going on where an earlier fetch ended; the folder, which is there even where the repository has none of them.

        The hub's library finds the token itself. Raises EngineUnavailable, from what the library raised, and what `progress` raises.
        """
        from huggingface_hub import constants, snapshot_download

        constants.HF_HUB_DISABLE_SYMLINKS_WARNING = True  # of Windows, where a file is moved in place of linked, and no more is lost
        constants.HF_HUB_DISABLE_XET = True  # that transport swallows what a progress bar raises: nobody could stop it (issue 4632 there)
        try:
            folder = Path(
                snapshot_download(
                    self.repository,
                    revision=self.revision,
                    allow_patterns=list(self.patterns),
                    etag_timeout=METADATA_SECONDS,
                    tqdm_class=_bar_for(progress),
                )
            )
            folder.mkdir(parents=True, exist_ok=True)
            return folder
        except FetchCancelled:
            raise
        except Exception as error:  # whatever the network, the hub or the disk says, the next step is the same
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise EngineUnavailable(command=self.command, sentence="weights_not_downloaded", detail=said, name=self.repository) from error


def is_begun(repository: str) -> bool:
    """Whether the hub's cache has a folder of it. Raises HFValidationError."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name
    from huggingface_hub.utils import validate_repo_id

    validate_repo_id(repository)
    return os.path.isdir(os.path.join(constants.HF_HUB_CACHE, repo_folder_name(repo_id=repository, repo_type="model")))


def fetch_in_turn(snapshots: Sequence[tuple[HubSnapshot, int]], progress: Progress | None, before: int = 0) -> None:
    """Bring several, told as one. Each with the bytes that it is expected to have, which count until the hub has said how many they are.

    before: bytes that are here already, of others. Raises what `HubSnapshot.fetch` does.
    """
    ahead = sum(expected for _, expected in snapshots)
    for snapshot, expected in snapshots:
        ahead -= expected
        arrived = 0

        def tell(done: int, total: int | None, before: int = before, ahead: int = ahead) -> None:
            nonlocal arrived
            arrived = done
            if progress is not None:
                progress(before + done, before + total + ahead if total else None)

        snapshot.fetch(tell)
        before += arrived


def stoppable(progress: Progress, cancelled: Callable[[], bool]) -> Progress:
    """Tells progress, and raises FetchCancelled in its place where somebody thought better of it."""

    def tell(done_bytes: int, all_bytes: int | None) -> None:
        if cancelled():
            raise FetchCancelled()
        progress(done_bytes, all_bytes)

    return tell


def refused_status(error: BaseException | None) -> int | None:
    """401 where the hub wants a token, 403 where it wants that of somebody else: of an error, or of what it came from; else None."""
    while error is not None:
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status in REFUSED:
            return status
        error = error.__cause__
    return None


def is_hub_id(checkpoint: str) -> bool:
    """OWNER/NAME, and nothing that can only be a path."""
    return checkpoint.count("/") == 1 and not checkpoint.startswith((".", "/", "~")) and not checkpoint.endswith("/")


def _bar_for(progress: Progress | None) -> type:
    """A progress bar class that draws nothing and tells `progress` of the bytes written, of all files together.

    It descends from the library's own, as the library tells no other which of its bars it is.
    """
    from huggingface_hub.utils import tqdm

    class Bar(tqdm):
        def __init__(self, *args, **kwargs):
            self._counts_bytes = kwargs.get("name") == "huggingface_hub.snapshot_download"
            super().__init__(*args, **{**kwargs, "disable": True})
            self.n = kwargs.get("initial", 0)

        def update(self, n: float | None = 1) -> None:
            self.n += n or 0
            if self._counts_bytes and progress is not None:
                progress(int(self.n), int(self.total) if self.total else None)

    return Bar


# --- weights


NOTICE = "Notice"  # as the Fish Audio Research License calls the text file that keeps its attribution


@dataclass(frozen=True)
class HubWeights:
    """What an engine needs.

    patterns: names of the files that are fetched. needed: files that must be there; a name may stand for several, joined by "|", of which
    one must be. optional: patterns of files that are read where they are there. repository: the hub's id of the default. released_bytes:
    of repositories, what fetching one takes.
    left_out: files of the repository that nobody reads, so that the command does not fetch them; patterns.
    notice: the line that the license wants kept beside the weights. It is written into a text file "Notice" of the hub's snapshot when we
    fetch them, once; never into a folder of somebody's own, and never into the makers' own file of that name. The text of the license comes
    with the weights where patterns name it ("LICENSE*").
    revision: the commit of `repository` that they are; None: where its main branch is.
    """

    repository: str
    patterns: Sequence[str]
    needed: Sequence[str]
    released_bytes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    notice: str = ""
    left_out: Sequence[str] = ()
    optional: Sequence[str] = ()
    revision: str | None = None

    def of(self, options: Mapping[str, Value]) -> "HubWeights":
        """Themselves: one repository holds one model."""
        return self

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them."""
        named = checkpoint if checkpoint and is_hub_id(checkpoint) else self.repository
        revision = f" --revision {self._revision(named)}" if self._revision(named) else ""
        return f"hf download {named}{revision}" + "".join(f" --exclude {shlex.quote(name)}" for name in self.left_out)

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

    def n_bytes_released(self) -> int:
        """Of the default release; 0 where that is not known."""
        return self.released_bytes.get(self.repository, 0)

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
                raise EngineUnavailable(command=self.command(), sentence="weights_folder_gone", detail=f"there is no folder {checkpoint}")
            folder = self._snapshot(checkpoint).folder()
        absent = [name.replace("|", " or ") for name in self.needed if not any((folder / file).is_file() for file in name.split("|"))]
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
        return HubSnapshot(repository, self.patterns, self.command(repository), self._revision(repository))

    def _revision(self, repository: str) -> str | None:
        return self.revision if repository == self.repository else None

    def _fetch(self, repository: str, progress: Progress | None) -> None:
        self._keep_notice(self._snapshot(repository).fetch(progress) / NOTICE)

    def _keep_notice(self, file: Path) -> None:
        """The makers' own file is a link into the hub's blobs, or says more than we know: it stays as it is."""
        if self.notice and not file.is_symlink() and not file.exists():
            file.write_text(f"{self.notice}\n", encoding="utf-8")
