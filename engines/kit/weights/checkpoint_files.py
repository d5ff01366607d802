"""Finds the files that hold a checkpoint's tensors, and says whether they are there. It looks at names and needs no torch."""

from pathlib import Path

from engines.errors import CheckpointInvalid
from engines.plain_json import read_json

__all__ = ["INDEX", "SINGLE", "checkpoint_files", "is_lfs_pointer"]

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"  # git-lfs docs/spec.md: how a pointer file begins; it has less than 1,024 bytes


def checkpoint_files(path: Path) -> list[Path]:
    """The file itself; of a folder the shards that its index names, else model.safetensors. Raises CheckpointInvalid for neither."""
    if path.is_file():
        return [path]
    index = path / INDEX
    if index.is_file():
        return _shards(index)
    if (path / SINGLE).is_file():
        return [path / SINGLE]
    if not path.is_dir():
        raise CheckpointInvalid(f"There is no file {path.name}.", "Fetch the weights again.")
    raise CheckpointInvalid(f"{path.name} holds neither {SINGLE} nor {INDEX}.", "Fetch the weights again.")


def is_lfs_pointer(file: Path) -> bool:
    """Whether Git has left a note in place of the file: a repository that was cloned without Git LFS has such."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(LFS_POINTER)) == LFS_POINTER
    except OSError:
        return False


def _shards(index: Path) -> list[Path]:
    try:
        shards = sorted(set(read_json(index.read_text(encoding="utf-8"))["weight_map"].values()))
        outside = any("/" in shard for shard in shards)
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CheckpointInvalid(f"{INDEX} cannot be read: {error}.", "Fetch the weights again.") from error
    if outside:
        raise CheckpointInvalid(f"{INDEX} names files outside its folder.", "Fetch the weights again.")
    return [index.parent / shard for shard in shards]
