"""Checkpoints of random numbers, for any engine: safetensors files from a table of names and shapes, whole or in shards, full or hollow.

Every number is a function of (recipe, seed, tensor name, position): Philox words keyed by SHA-256. NumPy's raw Philox stream is stable
across versions and machines, and only products and sums of float32 follow, so that the same recipe gives the same bytes everywhere.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

__all__ = ["Table", "Values", "uniform", "write_json", "write_sharded", "write_tensors"]

Table = Mapping[str, tuple[tuple[int, ...], str]]  # name -> (shape, dtype as safetensors writes it)
Values = Callable[[str, tuple[int, ...]], np.ndarray]  # (name, shape) -> float32
WIDTHS = {"BF16": 2, "F16": 2, "F32": 4, "F64": 8, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1}
COMPACT, SPACED = (",", ":"), (", ", ": ")


def write_tensors(
    file: Path,
    table: Table,
    values: Values | None = None,
    *,
    metadata: Mapping[str, str] | None = None,
    separators: tuple[str, str] = COMPACT,
) -> int:
    """One safetensors file in the table's order, tensor by tensor, so that only one of them is in memory; returns its bytes.

    values: of BF16 and F32 tensors; None leaves a hole in the file for every tensor, which takes no room on the disk and reads as zeros.
    metadata, separators: of the header, as the one or other tool writes it.
    """
    offset, header = 0, {"__metadata__": dict(metadata)} if metadata else {}
    for name, (shape, dtype) in table.items():
        end = offset + WIDTHS[dtype] * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    head = json.dumps(header, separators=separators).encode()
    head += b" " * (-len(head) % 8)
    with file.open("wb") as out:
        out.write(len(head).to_bytes(8, "little") + head)
        for name, (shape, dtype) in table.items() if values else ():
            drawn = values(name, shape)
            out.write(_bfloat16(drawn) if dtype == "BF16" else drawn)
        out.truncate(8 + len(head) + offset)
    return 8 + len(head) + offset


def write_sharded(folder: Path, table: Table, n_shards: int, values: Values | None = None) -> None:
    """The table in so many files, neighbors in different ones, and the index that names them."""
    shards = {f"model-{i + 1:05}-of-{n_shards:05}.safetensors": dict(list(table.items())[i::n_shards]) for i in range(n_shards)}
    for name, part in shards.items():
        write_tensors(folder / name, part, values)
    weight_map = {tensor: name for name, part in shards.items() for tensor in part}
    write_json(folder / "model.safetensors.index.json", {"metadata": {}, "weight_map": weight_map})


def write_json(file: Path, content: object) -> None:
    """As UTF-8, a line per key."""
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def uniform(recipe: str, seed: int, name: str, shape: tuple[int, ...], scale_and_offset: tuple[float, float]) -> np.ndarray:
    """The tensor by formula, float32: numbers of [-1, 1), of variance 1/3, times a scale, plus an offset."""
    key = hashlib.sha256(f"{recipe}:{seed}:{name}".encode()).digest()
    count = math.prod(shape)
    words = np.random.Philox(key=int.from_bytes(key[:16], "little")).random_raw((count + 1) // 2).view(np.uint32)[:count]
    values = (words >> 8).astype(np.float32)
    values *= np.float32(2**-23)
    values -= np.float32(1)
    scale, offset = scale_and_offset
    values *= np.float32(scale)
    values += np.float32(offset)
    return values.reshape(shape)


def _bfloat16(values: np.ndarray) -> np.ndarray:
    """Upper halves of float32, rounded to nearest even."""
    bits = values.view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16).astype(np.uint16)
