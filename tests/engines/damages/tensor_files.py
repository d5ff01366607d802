"""Files of tensors, changed as a test wants them: safetensors and torch's own, whole or in shards."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engines.kit.weights.torch_file import TORCH_SUFFIXES

__all__ = ["change_tensors", "largest_matrix", "read_tensors", "shard", "write_header_twice", "write_tensors"]

INDEX = "model.safetensors.index.json"


def read_tensors(file: Path) -> dict[str, Tensor]:
    """By name; of the makers' files of torch that hold sections, the first level alone."""
    return torch.load(file, weights_only=True) if file.suffix in TORCH_SUFFIXES else load_file(file)


def write_tensors(file: Path, tensors: dict[str, Tensor]) -> None:
    torch.save(tensors, file) if file.suffix in TORCH_SUFFIXES else save_file(tensors, file)


def change_tensors(file: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    """change: of the mapping from names to tensors, in place."""
    content = read_tensors(file)
    holder = content.get("state_dict", content)
    change(holder)
    write_tensors(file, content)


def largest_matrix(tensors: dict[str, Tensor]) -> str:
    """Its name. Of the floating ones."""
    matrices = {name: tensor.numel() for name, tensor in tensors.items() if tensor.ndim > 1 and tensor.is_floating_point()}
    return max(matrices, key=matrices.__getitem__)


def shard(folder: Path, n_shards: int = 2) -> list[Path]:
    """model.safetensors of the folder, cut, with the index that names the pieces; returns them."""
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = [f"model-{i + 1:05}-of-{n_shards:05}.safetensors" for i in range(n_shards)]
    for i, name in enumerate(names):
        save_file({tensor: tensors[tensor] for tensor in sorted(tensors)[i::n_shards]}, folder / name)
    weight_map = {tensor: names[i % n_shards] for i, tensor in enumerate(sorted(tensors))}
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return [folder / name for name in names]


def write_header_twice(file: Path) -> None:
    """A safetensors file whose header has its last entry twice, the second time with the bytes of another tensor of that shape, if any."""
    raw = file.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = raw[8 : 8 + size].decode().rstrip()
    entries = json.loads(header)
    name = next(name for name in reversed(entries) if name != "__metadata__")
    twice = header[:-1] + "," + json.dumps({name: entries[name]})[1:]
    file.write_bytes(struct.pack("<Q", len(twice)) + twice.encode() + raw[8 + size :])
