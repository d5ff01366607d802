"""Reads audio_tokenizer/model.safetensors: the weights of the codec, as they are released."""

from pathlib import Path

from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.weights.checkpoint import Checkpoint
from engines.omnivoice.codec.codec_config import FOLDER

__all__ = ["open_codec"]


def open_codec(folder: Path) -> Checkpoint:
    """The weights of a checkpoint folder's codec, the one weight norm that is left in them (HuBERT's positions) folded.

    Nothing is read but what is asked for; close it when all is loaded. Raises CheckpointInvalid where there is no such file, and where it
    is damaged.
    """
    return FoldedCheckpoint(Path(folder) / FOLDER)
