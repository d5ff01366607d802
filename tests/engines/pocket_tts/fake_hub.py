"""FakeHub: the Hugging Face hub of a few repositories, in place of huggingface_hub.snapshot_download; what it brings lies in the library's
own layout, and what is asked of the disk alone the library itself answers."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import huggingface_hub.constants
import pytest
from huggingface_hub._tree_cache import TreeCacheEntry, write_tree_cache
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, LocalEntryNotFoundError

from engines.pocket_tts.released import released_model
from engines.pocket_tts.weights import PRESETS, VOICES_REVISION

__all__ = ["MAIN", "PIECE_BYTES", "FakeHub", "refusal"]

PIECE_BYTES = 1000
MODEL_BYTES, TOKENIZER_BYTES, VOICE_BYTES = 5 * PIECE_BYTES, PIECE_BYTES, 2 * PIECE_BYTES
MAIN = "0123456789012345678901234567890123456789"


class FakeHub:
    """repositories: (repository, commit) -> names of files, and how many bytes each has. asked: what was fetched of which commit.

    refuses: by repository, what is raised.
    """

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch):
        self._cache = cache
        self._look: Callable[..., str] = huggingface_hub.snapshot_download
        self.repositories: dict[tuple[str, str], dict[str, int]] = {}
        self.asked: list[tuple[str, str, set[str]]] = []
        self.refuses: dict[str, Exception] = {}
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
        monkeypatch.setattr(huggingface_hub, "snapshot_download", self._download)

    def release(self, variant: str = "english", *, presets: tuple[str, ...] = PRESETS) -> None:
        """Publish that model, with these of its voices."""
        model = released_model(variant)
        *place, tokenizer = model.tokenizer
        self._publish(tuple(place), {tokenizer: TOKENIZER_BYTES})
        for at in (model.weights, model.open_weights):
            self._publish(at, {f"languages/{variant}/model.safetensors": MODEL_BYTES, "README.md": 1})
        voices = {f"languages/{variant}/embeddings/{name}.safetensors": VOICE_BYTES for name in (*presets, "jean")}
        self._publish((model.open_weights[0], VOICES_REVISION), voices)

    def upload(self, repository: str, *names: str) -> None:
        """Somebody's own, on its main branch."""
        self._publish((repository, MAIN), dict.fromkeys(names, PIECE_BYTES))

    def cached(self, repository: str, revision: str, *names: str) -> None:
        """Put files into the cache that came in another way, so that what else the commit has is not known."""
        for name in names:
            file = self._snapshot(repository, revision) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"cached")

    def _publish(self, place: tuple[str, str], files: dict[str, int]) -> None:
        self.repositories.setdefault(place, {}).update(files)

    def _home(self, repository: str) -> Path:
        return self._cache / f"models--{repository.replace('/', '--')}"

    def _snapshot(self, repository: str, revision: str) -> Path:
        return self._home(repository) / "snapshots" / revision

    def _download(self, repository, *, revision=None, allow_patterns, local_files_only=False, etag_timeout=None, tqdm_class=None) -> str:
        if local_files_only:
            return self._look(repository, revision=revision, allow_patterns=allow_patterns, local_files_only=True)
        if repository in self.refuses:
            raise self.refuses[repository]
        commit = revision or MAIN
        if (repository, commit) not in self.repositories:
            raise refusal(404)
        if revision is None:
            (self._home(repository) / "refs").mkdir(parents=True, exist_ok=True)
            (self._home(repository) / "refs" / "main").write_text(MAIN)
        files = self.repositories[repository, commit]
        entries = {name: TreeCacheEntry(size, "0" * 40, None, None, None) for name, size in files.items()}
        write_tree_cache(str(self._home(repository)), commit, entries)
        matched = {name for name in files if any(fnmatchcase(name, pattern) for pattern in allow_patterns)}
        self.asked.append((repository, commit, matched))
        bar = tqdm_class(total=0, name="huggingface_hub.snapshot_download")
        folder = self._snapshot(repository, commit)
        for name in sorted(matched):
            if not (folder / name).is_file():
                self._bring(folder / name, files[name], bar)
        return str(folder)

    def _bring(self, file: Path, n_bytes: int, bar) -> None:
        """Piece by piece, going on behind what has arrived."""
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f"{file.name}.incomplete")
        had = part.stat().st_size if part.exists() else 0
        bar.total += n_bytes
        bar.update(had)
        with part.open("ab") as rest:
            for start in range(had, n_bytes, PIECE_BYTES):
                n = min(PIECE_BYTES, n_bytes - start)
                rest.write(bytes(n))
                rest.flush()
                bar.update(n)
        part.rename(file)


def refusal(status: int) -> Exception:
    """As the library raises it: of a gate 401 or 403; 404 of what is not there; 0 of no network."""
    if status == 0:
        return LocalEntryNotFoundError("An error happened while trying to locate the files on the Hub.")
    response = SimpleNamespace(status_code=status, headers={}, request=None)
    error = GatedRepoError if status in (401, 403) else HfHubHTTPError
    return error(f"{status} Client Error.", response=response)
