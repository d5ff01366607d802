"""DotsNetworks: all networks of a dots.tts checkpoint folder, loaded strictly onto one device."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from engines.dots.audio_vae import DotsVaeDecoder, DotsVaeEncoder, name_in_file
from engines.dots.config import OF_EDITING, DotsConfig
from engines.dots.input_sequence import DotsVocabulary, read_vocabulary
from engines.dots.speech_model import LatentStats, SpeechModel
from engines.errors import CheckpointInvalid
from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.nn.module_list import LoadedNetworks
from engines.kit.speaker.campplus import RELEASED_CAMPPLUS, CampPlus, CampPlusConfig, FoldedCampPlus
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.kit.weights.torch_file import read_torch_file

__all__ = ["DotsFiles", "DotsNetworks", "load_networks", "read_networks"]

TEXT_TABLE = "llm.model.embed_tokens.weight"
STATS_FILE = "latent_stats.pt"
LEAST_VARIANCE = 1e-2  # of what CAM++ pools (CAMPPlus._masked_stats_pooling of dots.tts 0.3.1)


@dataclass(frozen=True)
class DotsFiles:
    """What networks are filled from. stats: mean and variance of latents, (D,) each."""

    main: Checkpoint
    vocoder: Checkpoint
    speaker: Checkpoint
    stats: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class DotsNetworks(LoadedNetworks):
    """model computes in its own dtype; encoder and decoder of the AudioVAE and CAM++ always in float32.

    extraction_digest: of the weights that learn a speaker, by content: CAM++ and the AudioVAE's encoder.
    can_edit: whether the model learned to change recordings.
    """

    config: DotsConfig
    vocabulary: DotsVocabulary
    model: SpeechModel
    encoder: DotsVaeEncoder
    decoder: DotsVaeDecoder
    speaker: CampPlus
    stats: LatentStats
    device: torch.device
    extraction_digest: str
    can_edit: bool = False

    @property
    def modules(self) -> Sequence[nn.Module]:
        return (self.model, self.encoder, self.decoder, self.speaker)


class _SpeakerFile(FoldedCampPlus):
    root = "model."


class _AudioVae(nn.Module):
    """Both halves, which one file fills."""

    def __init__(self, config: DotsConfig):
        super().__init__()
        self.encoder, self.decoder = DotsVaeEncoder(config.vocoder), DotsVaeDecoder(config.vocoder)


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype) -> DotsNetworks:
    """Load a checkpoint folder. Raises CheckpointInvalid that names what is missing, unexpected or misshapen."""
    config, vocabulary = DotsConfig.read(folder), read_vocabulary(folder)
    vocabulary.tokenizer.check_rows(config.llm.vocab_size, "tokenizer.json")
    stats = _read_stats(folder / STATS_FILE, config.latent_dim)
    parts = Checkpoint(folder), FoldedCheckpoint(folder / "vocoder.safetensors"), _SpeakerFile(folder / "speaker_encoder.safetensors")
    with parts[0] as main, parts[1] as vocoder, parts[2] as speaker:
        return load_networks(config, vocabulary, DotsFiles(main, vocoder, speaker, stats), device, dtype)


@torch.no_grad()
def load_networks(
    config: DotsConfig, vocabulary: DotsVocabulary, files: DotsFiles, device: torch.device, dtype: torch.dtype
) -> DotsNetworks:
    """The networks of that configuration, filled from these files. Raises CheckpointInvalid."""
    model = without_memory(lambda: SpeechModel(config), dtype)
    model.embed_tokens.to(files.main.weight_dtype(TEXT_TABLE))  # read one row at a time
    files.main.load_into(model, rename=model.name_in_file, packs=model.packs, ignore=model.UNREAD, device=device)
    vae = without_memory(lambda: _AudioVae(config))
    files.vocoder.load_into(vae, rename=lambda name: name_in_file(name.partition(".")[2]), device=device)
    sizes = CampPlusConfig(**vars(RELEASED_CAMPPLUS) | {"embedding": config.campplus_embedding_size, "least_variance": LEAST_VARIANCE})
    speaker = without_memory(lambda: CampPlus(sizes))
    files.speaker.load_into(speaker, rename=lambda name: f"model.{name}", ignore=("resample.kernel",), device=device)
    heard = [name for name in files.vocoder.names if name.startswith(("audio_encoder.", "enc_mi_layer.", "pre_proj."))]
    digests = (files.speaker.digest(name for name in files.speaker.names if name.startswith("model.")), files.vocoder.digest(heard))
    for part in (model, vae.encoder, vae.decoder, speaker):
        part.prepare_weights()
    mean, variance = (one.to(device) for one in files.stats)
    digest = digests[0] if digests[0].startswith("random") else sha256("".join(digests).encode()).hexdigest()
    return DotsNetworks(
        config, vocabulary, model, vae.encoder, vae.decoder, speaker, LatentStats(mean, variance.sqrt()), device, digest,
        can_edit=OF_EDITING in files.main.names,
    )  # fmt: skip


def _read_stats(file: Path, width: int) -> tuple[Tensor, Tensor]:
    """Mean and variance, (width,) float32 each. Raises CheckpointInvalid."""
    if not file.is_file():
        raise CheckpointInvalid(f"The checkpoint has no {file.name}.", "Fetch the weights again.")
    content = read_torch_file(file, arrays=True)
    found = [content.get(name) if isinstance(content, dict) else None for name in ("mean", "var")]
    stats = [np.asarray(one, np.float32) if isinstance(one, np.ndarray | Tensor) else np.zeros(0, np.float32) for one in found]
    if any(one.shape != (width,) or not np.isfinite(one).all() for one in stats) or not (stats[1] > 0).all():
        fact = f"{file.name} of the checkpoint has no mean and no variance above zero of {width} values each."
        raise CheckpointInvalid(fact, "Fetch the weights again.")
    return torch.from_numpy(stats[0]), torch.from_numpy(stats[1])
