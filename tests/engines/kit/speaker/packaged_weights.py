"""Makes the speaker encoder's file of the package that its weights come from: `python -m tests.engines.kit.speaker.packaged_weights`.

Wants Resemblyzer 0.1.4 and nothing that it asks for: `pip install --no-deps --target FOLDER Resemblyzer==0.1.4`, and FOLDER in PYTHONPATH.
"""

from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import save_file

from engines.kit.speaker.speaker_encoder import FILE
from engines.kit.weights.checkpoint import Checkpoint

__all__ = ["halved", "packaged", "pretrained"]

ABOUT = {"license": "Apache-2.0", "source": "pretrained.pt of Resemblyzer 0.1.4, lstm and linear, rounded to 16 bits"}


def pretrained() -> Path | None:
    """The package's file; None where it is not installed."""
    found = find_spec("resemblyzer")
    return Path(found.submodule_search_locations[0]) / "pretrained.pt" if found else None


def packaged() -> dict[str, torch.Tensor]:
    """The tensors of the encoder as the package has them, in float32. Raises FileNotFoundError without the package."""
    file = pretrained()
    if file is None:
        raise FileNotFoundError("Resemblyzer is not installed")
    stored = torch.load(file, map_location="cpu", weights_only=True)["model_state"]
    return {name: tensor for name, tensor in stored.items() if name.startswith(("lstm.", "linear."))}


def halved(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Rounded to float16. None becomes infinite."""
    rounded = {name: tensor.half().contiguous() for name, tensor in tensors.items()}
    assert all(tensor.isfinite().all() for tensor in rounded.values())
    return rounded


if __name__ == "__main__":
    save_file(halved(packaged()), FILE, ABOUT)
    with Checkpoint(FILE) as weights:
        print(f"{FILE}: {FILE.stat().st_size:,} bytes; FINGERPRINT {weights.digest(weights.names)}")
