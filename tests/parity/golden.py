"""Golden files: what official code computed from a recipe, small enough to commit, with the recipe and the upstream revision in the header.

A golden is one safetensors file below MOST_BYTES. Its metadata says how it was made, so that a reader can make it again; its tensors are
compared by `differences`: whole numbers exactly, floats within a tolerance that the caller states.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors.numpy
from safetensors import safe_open

__all__ = ["MOST_BYTES", "differences", "read", "read_facts", "write"]

MOST_BYTES = 50_000  # a golden is read in review; what is larger is thinned out by its maker


def write(file: Path, tensors: Mapping[str, np.ndarray], facts: Mapping[str, str]) -> None:
    """facts: recipe, upstream version and whatever else it takes to make the file again."""
    header = {"facts": json.dumps(dict(facts), sort_keys=True)}  # one entry: the library writes several in any order
    data = safetensors.numpy.save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, header)
    if len(data) > MOST_BYTES:
        raise ValueError(f"{file.name} has {len(data)} bytes; a golden has at most {MOST_BYTES}. Store fewer numbers.")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def read(file: Path) -> dict[str, np.ndarray]:
    """The tensors of a golden."""
    return safetensors.numpy.load_file(file)


def read_facts(file: Path) -> dict[str, str]:
    """The header of a golden."""
    with safe_open(file, "numpy") as golden:
        return json.loads(golden.metadata()["facts"])


def differences(new: Mapping[str, np.ndarray], committed: Mapping[str, np.ndarray], tolerance: float) -> list[str]:
    """One line per tensor that is missing, extra, misshapen or different. Floats may differ by `tolerance` times their largest, or 1."""
    lines = [f"{name}: not in the committed file" for name in new.keys() - committed.keys()]
    lines += [f"{name}: only in the committed file" for name in committed.keys() - new.keys()]
    for name in sorted(new.keys() & committed.keys()):
        mine, theirs = new[name], committed[name]
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            lines.append(f"{name}: {mine.dtype}{list(mine.shape)}, committed {theirs.dtype}{list(theirs.shape)}")
        elif mine.dtype.kind in "iub":
            wrong = int((mine != theirs).sum())
            lines += [f"{name}: {wrong} of {mine.size} differ"] if wrong else []
        else:
            error = float(np.abs(mine.astype(np.float64) - theirs).max(initial=0))
            limit = tolerance * max(1.0, float(np.abs(theirs).max(initial=0)))
            lines += [f"{name}: differs by {error:.2g}, limit {limit:.2g}"] if not error <= limit else []
    return sorted(lines)
