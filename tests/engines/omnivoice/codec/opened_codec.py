"""Halves of a toy codec, loaded as the engine loads them."""

from pathlib import Path

import torch
from torch import nn

from engines.kit.weights.checkpoint import without_memory
from engines.omnivoice.codec.codec_config import OmniVoiceCodecConfig
from engines.omnivoice.networks import open_codec

__all__ = ["opened_codec"]


@torch.no_grad()
def opened_codec(folder: Path, *kinds: type[nn.Module], dtype: torch.dtype = torch.float32) -> list[nn.Module]:
    """Networks of these kinds from the checkpoint folder; what none of both halves wants is refused."""
    config, made = OmniVoiceCodecConfig.read(folder), []
    with open_codec(folder) as file:
        for kind in kinds:
            made.append(without_memory(lambda kind=kind: kind(config), dtype))
            file.load_into(made[-1], ignore=kind.UNUSED, packs=kind.packs)
        file.check_all_used()
    for network in made:
        network.prepare_weights()
    return made
