"""OmniVoiceNetworks: all networks of an OmniVoice checkpoint folder, loaded strictly onto one device."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from torch import nn

from engines.errors import CheckpointInvalid
from engines.kit.adapters.peft_adapter import peft_checkpoint
from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.nn.module_list import LoadedNetworks
from engines.kit.tokenizers.vocabulary import ControlVocabulary
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.omnivoice.backbone import Backbone
from engines.omnivoice.codec.codec_config import FOLDER, OmniVoiceCodecConfig
from engines.omnivoice.codec.codec_decoder import OmniVoiceCodecDecoder
from engines.omnivoice.codec.codec_encoder import OmniVoiceCodecEncoder
from engines.omnivoice.config import OmniVoiceConfig
from engines.omnivoice.text.tokenizer import OmniVoiceTokenizer

__all__ = ["OmniVoiceNetworks", "load_networks", "open_codec", "read_networks"]

_HOMES = {"decoder.": "llm.", "embed_tokens.": "llm.embed_tokens."}  # our module's names -> the file's, where they differ
UNUSED = ("codebook_layer_offsets",)  # where each book begins in the table of all, which its size says


@dataclass(frozen=True)
class OmniVoiceNetworks(LoadedNetworks):
    """backbone computes in `dtype`; encoder and decoder of the codec always in float32, since codes flip below it.

    extraction_digest: of the weights that learn a speaker: what of the codec encodes, by content.
    """

    config: OmniVoiceConfig
    tokenizer: ControlVocabulary
    backbone: Backbone
    encoder: OmniVoiceCodecEncoder
    decoder: OmniVoiceCodecDecoder
    codec_config: OmniVoiceCodecConfig
    device: torch.device
    extraction_digest: str

    @property
    def modules(self) -> Sequence[nn.Module]:
        return (self.backbone, self.encoder, self.decoder)


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype, lora: str = "") -> OmniVoiceNetworks:
    """Load a checkpoint folder. lora: a folder of adapters that are folded in; "" for none.

    Raises CheckpointInvalid that names what is missing, unexpected or misshapen.
    """
    configs = OmniVoiceConfig.read(folder), OmniVoiceCodecConfig.read(folder)
    tokenizer = OmniVoiceTokenizer(folder)
    tokenizer.check_fits(configs[0])
    with peft_checkpoint(folder, lora, home="", model="OmniVoice") as main, open_codec(folder) as codec:
        return load_networks(configs, tokenizer, (main, codec), device, dtype)


def open_codec(folder: Path) -> Checkpoint:
    """The weights of a checkpoint folder's codec, the one weight norm that is left in them (HuBERT's positions) folded.

    Nothing is read but what is asked for; close it when all is loaded. Raises CheckpointInvalid where there is no such file, and where it
    is damaged.
    """
    return FoldedCheckpoint(Path(folder) / FOLDER)


@torch.no_grad()
def load_networks(
    configs: tuple[OmniVoiceConfig, OmniVoiceCodecConfig],
    tokenizer: ControlVocabulary,
    files: tuple[Checkpoint, Checkpoint],
    device: torch.device,
    dtype: torch.dtype,
) -> OmniVoiceNetworks:
    """The networks of these configurations, filled from the main file and the codec's. Raises CheckpointInvalid."""
    (config, codec_config), (main, codec) = configs, files
    _check_books(config, codec_config)
    backbone = without_memory(lambda: Backbone(config), dtype)
    main.load_into(backbone, rename=_name_in_file, ignore=UNUSED, packs=backbone.decoder.packs, device=device)
    encoder, decoder = (
        without_memory(lambda: OmniVoiceCodecEncoder(codec_config)),
        without_memory(lambda: OmniVoiceCodecDecoder(codec_config)),
    )
    for part in (encoder, decoder):
        codec.load_into(part, ignore=part.UNUSED, packs=part.packs, device=device)
    main.check_all_used()
    codec.check_all_used()
    digest = codec.digest(name for name in codec.names if not any(fnmatchcase(name, pattern) for pattern in encoder.UNUSED))
    for part in (backbone, encoder, decoder):
        part.prepare_weights()
    return OmniVoiceNetworks(config, tokenizer, backbone, encoder, decoder, codec_config, device, digest)


def _check_books(config: OmniVoiceConfig, codec: OmniVoiceCodecConfig) -> None:
    """Raises CheckpointInvalid where the backbone speaks of other codebooks than the codec has."""
    if (config.num_audio_codebook, config.audio_mask_id) != (codec.n_codebooks, codec.codebook_size):
        said = f"config.json speaks of {config.num_audio_codebook} codebooks of {config.audio_mask_id} codes"
        raise CheckpointInvalid(f"{said}; the codec has {codec.n_codebooks} of {codec.codebook_size}.", "Fetch the weights again.")


def _name_in_file(name: str) -> str:
    return next((home + name.removeprefix(ours) for ours, home in _HOMES.items() if name.startswith(ours)), name)
