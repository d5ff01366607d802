"""Reads codec.pth: the weights of the codec, as its makers saved them."""

import re
from pathlib import Path

from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.weights.checkpoint import Checkpoint

__all__ = ["CODEC", "open_codec"]

CODEC = "codec.pth"

# Tables that an older build wrote beside the weights: rotations, which are computed here, and masks, 302 MB of them in the release. They
# are longer than modded_dac_vq.yaml says, and the official loader passes them over.
TABLES = re.compile(r"(encoder\.block\.\d+\.block\.5|quantizer\.(pre|post)_module)\.(freqs_cis|causal_mask)")


class _CodecFile(FoldedCheckpoint):
    """Without the tables."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name in super().names if not TABLES.fullmatch(name))


def open_codec(folder: Path) -> Checkpoint:
    """codec.pth of the folder, its weight norms folded. Nothing is read but what is asked for; close it when all is loaded.

    The tensors may lie below "state_dict" and "generator", and their names may begin with "generator.", as the official loader has it.
    Raises CheckpointInvalid where there is no such file, and where it is damaged or holds more than tensors.
    """
    return _CodecFile(Path(folder) / CODEC, levels=("state_dict", "generator"), strip=("generator.",))
