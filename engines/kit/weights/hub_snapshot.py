"""HubSnapshot: files of a repository of the Hugging Face hub, in the hub's local cache or on their way there, told in bytes."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.contract.package import Progress
from engines.errors import EngineUnavailable, FetchCancelled

__all__ = ["HubSnapshot", "fetch_in_turn", "is_begun", "is_hub_id", "refused_status", "stoppable"]

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

        fact = f"The weights of {self.repository} are not downloaded."
        absent = EngineUnavailable(fact, self.command, sentence="weights_absent", name=self.repository)
        try:
            if not is_begun(self.repository):
                raise absent
            return Path(
                snapshot_download(self.repository, revision=self.revision, allow_patterns=list(self.patterns), local_files_only=True)
            )
        except LocalEntryNotFoundError as error:
            raise absent from error
        except HFValidationError as error:
            fact = f"{self.repository!r} is neither a folder nor a repository of the hub."
            raise EngineUnavailable(fact, sentence="weights_folder_gone") from error

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
            fact = f"The weights of {self.repository} could not be downloaded: {said.rstrip('.')}."
            raise EngineUnavailable(fact, self.command, sentence="weights_not_downloaded", name=self.repository) from error


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
            raise FetchCancelled("The download was cancelled.", "Get the weights again to go on where it ended.")
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
