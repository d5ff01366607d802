"""VoxCpm2Networks: all networks of a VoxCPM2 checkpoint folder, loaded strictly onto one device."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from engines.errors import CheckpointInvalid
from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.nn.module_list import LoadedNetworks
from engines.kit.tokenizers.vocabulary import Vocabulary
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.voxcpm2.audio_vae import AudioVaeDecoder, AudioVaeEncoder, name_in_file
from engines.voxcpm2.config import VoxCpm2Config
from engines.voxcpm2.diffusion_head import DiffusionHead
from engines.voxcpm2.language_models import LanguageModels
from engines.voxcpm2.local_encoder import LocalEncoder
from engines.voxcpm2.lora import adapted_checkpoint
from engines.voxcpm2.text.tokenizer import VoxCpm2Tokenizer

__all__ = ["VAE_FILES", "VoxCpm2Networks", "load_networks", "read_networks"]

TEXT_TABLE = "base_lm.embed_tokens.weight"
VAE_FILES = ("audiovae.safetensors", "audiovae.pth")  # the first that is there is read, as from_local upstream does

# Our module's names -> the file's, which keeps encoder and diffusion below names of their own.
_HOMES = {
    "models.": "", "head.": "feat_decoder.estimator.", "local_encoder.enc_to_lm_proj.": "enc_to_lm_proj.",
    "local_encoder.": "feat_encoder.",
}  # fmt: skip


@dataclass(frozen=True)
class VoxCpm2Networks(LoadedNetworks):
    """models, local_encoder and head compute in their own dtype; encoder and decoder of the AudioVAE always in float32.

    extraction_digest: of the weights that learn a speaker: the AudioVAE's encoder, by content.
    """

    config: VoxCpm2Config
    tokenizer: Vocabulary
    models: LanguageModels
    local_encoder: LocalEncoder
    head: DiffusionHead
    encoder: AudioVaeEncoder
    decoder: AudioVaeDecoder
    device: torch.device
    extraction_digest: str

    @property
    def modules(self) -> Sequence[nn.Module]:
        return (self.models, self.local_encoder, self.head, self.encoder, self.decoder)


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype, lora: str = "") -> VoxCpm2Networks:
    """Load a checkpoint folder. lora: a folder of adapters that are folded in; "" for none.

    Raises CheckpointInvalid that names what is missing, unexpected or misshapen.
    """
    config, tokenizer = VoxCpm2Config.read(folder), VoxCpm2Tokenizer(folder)
    tokenizer.check_fits(config)
    vae_file = next((folder / name for name in VAE_FILES if (folder / name).is_file()), None)
    if vae_file is None:
        raise CheckpointInvalid(f"The checkpoint has none of {', '.join(VAE_FILES)}.", "Fetch the weights again.")
    main_file = adapted_checkpoint(folder, Path(lora)) if lora else Checkpoint(folder)
    with main_file, FoldedCheckpoint(vae_file, levels=("state_dict",)) as vae:
        return load_networks(config, tokenizer, (main_file, vae), device, dtype)


@torch.no_grad()
def load_networks(
    config: VoxCpm2Config, tokenizer: Vocabulary, files: tuple[Checkpoint, Checkpoint], device: torch.device, dtype: torch.dtype
) -> VoxCpm2Networks:
    """The networks of that configuration, filled from the main file and the AudioVAE's. Raises CheckpointInvalid."""
    main, vae = files
    speech = without_memory(lambda: _VoxCpm2Speech(config), dtype)
    models = speech.models
    models.base_lm.embed_tokens.to(main.weight_dtype(TEXT_TABLE))  # read one row at a time
    main.load_into(speech, rename=_name_in_file, packs=models.base_lm.packs, device=device)
    encoder = without_memory(lambda: AudioVaeEncoder(config.audio_vae_config))
    decoder = without_memory(lambda: AudioVaeDecoder(config.audio_vae_config))
    for prefix, part in (("encoder.", encoder), ("decoder.", decoder)):
        vae.load_into(part, prefix, rename=name_in_file, ignore=part.UNUSED, device=device)
    vae.check_all_used()
    digest = vae.digest(name for name in vae.names if name.startswith("encoder."))
    for part in (encoder, decoder, models, speech.local_encoder, speech.head):
        part.prepare_weights()
    return VoxCpm2Networks(config, tokenizer, models, speech.local_encoder, speech.head, encoder, decoder, device, digest)


class _VoxCpm2Speech(nn.Module):
    """All but the AudioVAE, which one file fills."""

    def __init__(self, config: VoxCpm2Config):
        super().__init__()
        self.models, self.local_encoder, self.head = LanguageModels(config), LocalEncoder(config), DiffusionHead(config)


def _name_in_file(name: str) -> str:
    ours = next(prefix for prefix in _HOMES if name.startswith(prefix))
    return _HOMES[ours] + name.removeprefix(ours)
