"""Finds the files that hold a checkpoint's tensors, and says whether they are there. It looks at names and needs no torch."""

import json
from collections import Counter
from pathlib import Path

from engines.errors import CheckpointInvalid
from engines.plain_json import check_depth, read_json

__all__ = ["INDEX", "SINGLE", "checkpoint_files", "is_lfs_pointer", "names_in_header", "tensor_names"]

AGAIN = "Fetch the weights again."
SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
HEADER_SIZE, MOST_HEADER_BYTES = 8, 100_000_000  # of safetensors: how many bytes say how long the header is, and may be
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
        raise CheckpointInvalid(f"There is no file {path.name}.", AGAIN)
    raise CheckpointInvalid(f"{path.name} holds neither {SINGLE} nor {INDEX}.", AGAIN)


def tensor_names(folder: Path) -> frozenset[str]:
    """Of a folder of safetensors, whole or in shards: from its index or from the file's header. Raises CheckpointInvalid."""
    index = folder / INDEX
    if index.is_file():
        return frozenset(_weight_map(index))
    (file,) = checkpoint_files(folder)
    return names_in_header(file)


def names_in_header(file: Path) -> frozenset[str]:
    """Of one file of safetensors. Raises CheckpointInvalid, also where a name is there twice: readers take one or the other."""
    try:
        with file.open("rb") as stream:
            size = int.from_bytes(stream.read(HEADER_SIZE), "little")
            header = stream.read(size if size <= MOST_HEADER_BYTES else 0)
        check_depth(header)
        pairs = json.loads(header, object_pairs_hook=list)
        if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
            raise ValueError("Its header is no object")
    except (OSError, ValueError) as error:
        raise CheckpointInvalid(f"{file.name} cannot be read: {error}.", AGAIN) from error
    counts = Counter(name for name, _ in pairs)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise CheckpointInvalid(f"{file.name} holds {twice[0]} twice.", AGAIN)
    return frozenset(counts) - {"__metadata__"}


def is_lfs_pointer(file: Path) -> bool:
    """Whether Git has left a note in place of the file: a repository that was cloned without Git LFS has such."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(LFS_POINTER)) == LFS_POINTER
    except OSError:
        return False


def _shards(index: Path) -> list[Path]:
    shards = sorted(set(_weight_map(index).values()))
    if any("/" in shard for shard in shards):
        raise CheckpointInvalid(f"{INDEX} names files outside its folder.", AGAIN)
    return [index.parent / shard for shard in shards]


def _weight_map(index: Path) -> dict[str, str]:
    """Name of a tensor -> its file."""
    try:
        names = read_json(index.read_text(encoding="utf-8"))["weight_map"]
        if not all(isinstance(shard, str) and shard for shard in names.values()):
            raise ValueError("weight_map holds what names no file")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CheckpointInvalid(f"{INDEX} cannot be read: {error}.", AGAIN) from error
    return names
