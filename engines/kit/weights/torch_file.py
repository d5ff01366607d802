"""Reads files of torch.save (.pth, .pt, .bin): tensors and plain values only. They are pickles, and what is more in them is never run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from zipfile import is_zipfile

import numpy as np
import torch
from torch import Tensor

from engines.errors import CheckpointInvalid

__all__ = ["TORCH_SUFFIXES", "named_tensors", "read_torch_file"]

TORCH_SUFFIXES = (".pth", ".pt", ".bin", ".ckpt")
MOST_NAMED = 5
SAFE = "Ask its makers for safetensors, or write the tensors alone: torch.save({name: tensor}) or safetensors.torch.save_file."


def read_torch_file(path: Path, *, arrays: bool = False) -> object:
    """What the file holds: tensors, mapped and not copied, in containers of plain values.

    arrays: arrays of NumPy, too, of float32 and float64; nothing else that a pickle may name is run with that either.

    Such a file is a pickle, which may name any code to be run; torch's `weights_only` reader refuses all that makes no tensor.
    Raises CheckpointInvalid for such a file, and for one that is damaged, or older than torch 1.6 (no archive).
    """
    try:
        with torch.serialization.safe_globals(_of_arrays() if arrays else []):
            return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception as error:  # torch names no types; its text tells people to unpickle everything, which is the one wrong step
        if not is_zipfile(path):
            fact = f"{path.name} is no archive as torch.save writes it since torch 1.6: it is damaged, or older."
            raise CheckpointInvalid(fact, "Fetch the weights again.") from error
        raise CheckpointInvalid(f"{path.name} is damaged, or holds more than tensors, which is not read.", SAFE) from error


def named_tensors(
    path: Path, levels: Sequence[str] = (), strip: Sequence[str] = (), notes: Sequence[str] = (), sections: bool = False
) -> dict[str, Tensor]:
    """Name -> tensor.

    notes: names of plain values that training may have left among the tensors ("epoch"); they are passed over.
    sections: the file has a mapping of tensors for each network; their names become "network.tensor".

    levels: keys below which the tensors may lie ("state_dict", "model"); each is entered where it is there, in this order, and what lies
    beside it (counters, an optimizer) is left alone. strip: what names may begin with ("generator."); it is taken off where it is there.
    Raises CheckpointInvalid as `read_torch_file` does, where anything else than tensors is left, and where two names become one.
    """
    content = read_torch_file(path)
    for level in levels:
        if isinstance(content, Mapping) and isinstance(content.get(level), Mapping):
            content = content[level]
    if not isinstance(content, Mapping):
        raise CheckpointInvalid(f"{path.name} holds a {type(content).__name__}, not tensors by name.", "Fetch the weights again.")
    content = {name: value for name, value in content.items() if name not in notes or isinstance(value, Tensor)}
    pairs = list(_pairs(content, strip, sections))
    others = [f"{name} ({type(value).__name__})" for name, value in pairs if not isinstance(value, Tensor)]
    if others:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        raise CheckpointInvalid(f"{path.name} holds what is no tensor: {', '.join(others[:MOST_NAMED])}{more}.", SAFE)
    named: dict[str, Tensor] = {}
    for name, tensor in pairs:
        assert isinstance(tensor, Tensor)
        if name in named:
            raise CheckpointInvalid(f"{path.name} holds {name} twice, with and without {' or '.join(strip)}.", "Fetch the weights again.")
        named[name] = tensor.detach()
    return named


def _of_arrays() -> list:
    """What an array is made by in a pickle. Its maker's name is that of NumPy 2, and of NumPy 1 in older files."""
    maker, places = np.arange(0).__reduce__()[0], ("numpy._core.multiarray", "numpy.core.multiarray")
    return [
        *((maker, f"{place}._reconstruct") for place in places),
        np.ndarray,
        np.dtype,
        type(np.dtype(np.float32)),
        type(np.dtype(np.float64)),
    ]


def _pairs(content: Mapping, strip: Sequence[str], sections: bool) -> Iterator[tuple[str, object]]:
    """Names without what they may begin with."""
    for name, value in content.items():
        if sections and isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", tensor) for inner, tensor in _pairs(value, strip, False))
        else:
            yield next((name.removeprefix(prefix) for prefix in strip if name.startswith(prefix)), name), value
