"""PocketNetworks: all networks of a Pocket TTS checkpoint, loaded strictly, for a CPU."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from engines.kit.nn.module_list import module_bytes
from engines.kit.tokenizers.vocabulary import Vocabulary
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.pocket_tts.config import PocketConfig
from engines.pocket_tts.flow_lm import FlowLm
from engines.pocket_tts.tokenizer import read_tokenizer
from engines.pocket_tts.vae.vae_decoder import VaeDecoder
from engines.pocket_tts.vae.vae_encoder import VaeEncoder
from engines.pocket_tts.weights import PocketFiles

__all__ = ["PocketNetworks", "load_networks", "read_networks"]

FLOW_LM, CODEC = "flow_lm.", "mimi."
ENCODER = ("mimi.encoder.", "mimi.encoder_transformer.", "mimi.downsample.")  # what learns a voice
MATRIX = ".weight"


@dataclass(frozen=True)
class PocketNetworks:
    """encoder: None where the weights are those whose encoder is blank. presets: files of built-in voices, by name.

    encoder_digest: of the weights that learn a voice, by content: models that have them in common have voices in common.
    speech_digest: of those that a built-in voice's keys and values belong to.
    """

    config: PocketConfig
    tokenizer: Vocabulary
    flow_lm: FlowLm
    encoder: VaeEncoder | None
    decoder: VaeDecoder
    encoder_digest: str
    speech_digest: str
    presets: Mapping[str, Path] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Memory that the weights hold."""
        parts = (self.decoder,) if self.encoder is None else (self.decoder, self.encoder)
        return self.flow_lm.bytes + module_bytes(parts)


def read_networks(files: PocketFiles, config: PocketConfig, dtype: torch.dtype) -> PocketNetworks:
    """dtype: of the language model's layers, torch.float32 or torch.int8.

    Raises CheckpointInvalid that names what is missing, unexpected or misshapen.
    """
    for voice in files.presets.values():
        Checkpoint(voice).close()  # a damaged one is told now, not when somebody asks for it
    tokenizer = read_tokenizer(files.tokenizer, config.flow_lm.lookup_table.n_bins)
    with Checkpoint(files.model, may_be_blank=[f"{name}*" for name in ENCODER]) as checkpoint:
        return load_networks(config, tokenizer, checkpoint, dtype, files.presets)


@torch.no_grad()
def load_networks(
    config: PocketConfig,
    tokenizer: Vocabulary,
    checkpoint: Checkpoint,
    dtype: torch.dtype,
    presets: Mapping[str, Path] | None = None,
    *,
    device: torch.device | str = "cpu",
) -> PocketNetworks:
    """The networks of that configuration, filled from the file. device: "meta" compares names and shapes. Raises CheckpointInvalid."""
    sizes = config.mimi
    flow_lm = without_memory(lambda: FlowLm(config.flow_lm, sizes.latent_dim, sizes.inner_dim))
    encoder, decoder = without_memory(lambda: VaeEncoder(sizes)), without_memory(lambda: VaeDecoder(sizes))
    checkpoint.load_into(flow_lm, FLOW_LM, device=device)
    for name, part in (*encoder.named_children(), *decoder.named_children()):
        checkpoint.load_into(part, f"{CODEC}{name}.", device=device)
    checkpoint.check_all_used()
    of_encoder = [name for name in checkpoint.names if name.startswith(ENCODER)]
    of_speech = [name for name in checkpoint.names if name.startswith(FLOW_LM)]
    can_learn = all(checkpoint.tensor(name).any() for name in of_encoder if name.endswith(MATRIX))
    digests = checkpoint.digest(of_encoder), checkpoint.digest(of_speech)
    decoder.prepare_weights(flow_lm.emb_std, flow_lm.emb_mean)
    encoder.prepare_weights()
    flow_lm.prepare_weights(dtype)
    return PocketNetworks(config, tokenizer, flow_lm, encoder if can_learn else None, decoder, *digests, presets or {})
