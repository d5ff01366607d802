"""read_presets: the built-in voices of a checkpoint folder. Each is a file of rows as the backbone reads them."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.contract.prompt_form import MOST_VALUE
from engines.errors import CheckpointInvalid
from engines.kit.weights.torch_file import read_torch_file
from engines.voxtral.options import MOST_VOICE_FRAMES

__all__ = ["digest_of_voices", "read_presets"]

FOLDER = "voice_embedding"
AGAIN = "Fetch this voice again, or take its file away."


def read_presets(folder: Path, names: Iterable[str], width: int, n_rows: Mapping[str, int]) -> dict[str, Tensor]:
    """Name -> (N, width), in the file's dtype; a voice whose file is not there is left out. The tensors are mapped, not copied.

    n_rows: N as the tokenizer's file says it, of some. Raises CheckpointInvalid for a file that holds anything but such a tensor of finite
    numbers, or of more than MOST_VOICE_FRAMES + 1 rows.
    """
    files = {name: folder / FOLDER / f"{name}.pt" for name in names}
    voices = {name: _rows(file, width) for name, file in files.items() if file.is_file()}
    for name, rows in voices.items():
        if len(rows) != n_rows.get(name, len(rows)):
            raise CheckpointInvalid(f"The voice {name} has {len(rows)} rows; tekken.json says {n_rows[name]}.", AGAIN)
    return voices


def digest_of_voices(voices: Mapping[str, Tensor]) -> str:
    """SHA-256 over names, shapes and values."""
    hasher = hashlib.sha256()
    for name, rows in sorted(voices.items()):
        hasher.update(f"{name}:{rows.dtype}:{tuple(rows.shape)};".encode())
        hasher.update(rows.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return hasher.hexdigest()


def _rows(file: Path, width: int) -> Tensor:
    rows, said = read_torch_file(file), f"{FOLDER}/{file.name}"
    if not isinstance(rows, Tensor):
        raise CheckpointInvalid(f"{said} holds a {type(rows).__name__}, not one tensor.", AGAIN)
    most = MOST_VOICE_FRAMES + 1
    is_plain, rows = rows.layout == torch.strided and not rows.is_meta, rows.detach()  # which may be a parameter
    if not is_plain or rows.ndim != 2 or rows.shape[1] != width or not 1 <= len(rows) <= most or not rows.is_floating_point():
        raise CheckpointInvalid(f"{said} is {tuple(rows.shape)} of {rows.dtype}; wanted are 1 to {most} rows of {width} numbers.", AGAIN)
    if not (np.abs(rows.float().numpy()) <= MOST_VALUE).all():
        raise CheckpointInvalid(f"{said} has values that are not finite, or beyond {MOST_VALUE:.0f}.", AGAIN)
    return rows
