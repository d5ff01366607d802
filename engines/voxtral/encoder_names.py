"""Says whether a checkpoint can learn a voice, by the names of its tensors. No torch here."""

from collections.abc import Iterable
from pathlib import Path

from safetensors import SafetensorError, safe_open

__all__ = ["CODEC", "ENCODER", "FILE", "has_encoder", "holds_encoder"]

FILE = "consolidated.safetensors"
CODEC = "audio_tokenizer."
ENCODER = (f"{CODEC}input_proj.", f"{CODEC}encoder_blocks.")  # as vllm-omni 0.30.0 has it (_encoder_weight_prefixes)


def has_encoder(names: Iterable[str]) -> bool:
    """names: of all tensors."""
    return any(name.startswith(ENCODER) for name in names)


def holds_encoder(folder: Path) -> bool:
    """The same of a checkpoint folder, without reading a tensor; False for a file that cannot be read, of which the reader tells."""
    try:
        with safe_open(folder / FILE, framework="numpy") as file:
            return has_encoder(file.keys())
    except (OSError, SafetensorError):
        return False
