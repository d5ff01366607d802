"""FishNetworks: all networks of a Fish Audio S2 Pro checkpoint folder, loaded strictly onto one device."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from torch import nn

from engines.errors import CheckpointInvalid
from engines.fish_speech.codec.codec_config import FishCodecConfig
from engines.fish_speech.codec.codec_decoder import FishCodecDecoder
from engines.fish_speech.codec.codec_encoder import FishCodecEncoder
from engines.fish_speech.codec.codec_file import open_codec
from engines.fish_speech.config import FishConfig
from engines.fish_speech.fast_transformer import FastTransformer
from engines.fish_speech.slow_transformer import SlowTransformer
from engines.fish_speech.tokenizer import FishTokenizer
from engines.kit.nn.module_list import LoadedNetworks
from engines.kit.tokenizers.vocabulary import ControlVocabulary
from engines.kit.weights.checkpoint import Checkpoint, without_memory

__all__ = ["FishNetworks", "load_networks", "read_networks"]

# Our module's names -> the file's, in which the table of all codebooks stands beside the fast transformer.
_HOMES = {
    "slow.codebook_embeddings.": "audio_decoder.codebook_embeddings.", "slow.embeddings.": "text_model.model.embeddings.",
    "slow.decoder.": "text_model.model.", "fast.decoder.": "audio_decoder.", "fast.": "audio_decoder.",
}  # fmt: skip
_TABLES = {"embeddings": "text_model.model.embeddings.weight", "codebook_embeddings": "audio_decoder.codebook_embeddings.weight"}


@dataclass(frozen=True)
class FishNetworks(LoadedNetworks):
    """slow and fast compute in `dtype`; encoder and decoder of the codec always in float32, since codes suffer below it: in bfloat16 29 %
    of the semantic ones are others (vllm-omni, issue 2145).

    extraction_digest: of the weights that learn a speaker: what of the codec encodes, by content.
    """

    config: FishConfig
    tokenizer: ControlVocabulary
    slow: SlowTransformer
    fast: FastTransformer
    encoder: FishCodecEncoder
    decoder: FishCodecDecoder
    codec_config: FishCodecConfig
    device: torch.device
    extraction_digest: str

    @property
    def modules(self) -> Sequence[nn.Module]:
        return (self.slow, self.fast, self.encoder, self.decoder)


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype) -> FishNetworks:
    """Load a checkpoint folder. Raises CheckpointInvalid that names what is missing, unexpected or misshapen."""
    config, tokenizer = FishConfig.read(folder), FishTokenizer(folder)
    tokenizer.check_fits(config)
    with Checkpoint(folder) as main, open_codec(folder) as codec:
        return load_networks((config, FishCodecConfig.of(codec)), tokenizer, (main, codec), device, dtype)


@torch.no_grad()
def load_networks(
    configs: tuple[FishConfig, FishCodecConfig],
    tokenizer: ControlVocabulary,
    files: tuple[Checkpoint, Checkpoint],
    device: torch.device,
    dtype: torch.dtype,
) -> FishNetworks:
    """The networks of these configurations, filled from the main files and the codec's. Raises CheckpointInvalid."""
    (config, codec_config), (main, codec) = configs, files
    _check_books(config, codec_config)
    speech = without_memory(lambda: _FishTransformers(config, codec_config.codebook_size), dtype)
    for name, in_file in _TABLES.items():
        getattr(speech.slow, name).to(main.weight_dtype(in_file))
    main.load_into(speech, rename=_name_in_file, packs=_packs(speech), device=device)
    encoder, decoder = without_memory(lambda: FishCodecEncoder(codec_config)), without_memory(lambda: FishCodecDecoder(codec_config))
    for part in (encoder, decoder):
        codec.load_into(part, ignore=part.UNUSED, packs=part.packs, device=device)
    main.check_all_used()
    codec.check_all_used()
    digest = codec.digest(name for name in codec.names if not any(fnmatchcase(name, pattern) for pattern in encoder.UNUSED))
    for part in (encoder, decoder, speech.slow, speech.fast):
        part.prepare_weights()
    return FishNetworks(config, tokenizer, speech.slow, speech.fast, encoder, decoder, codec_config, device, digest)


def _check_books(config: FishConfig, codec: FishCodecConfig) -> None:
    """Raises CheckpointInvalid where the transformers speak of other codebooks than the codec has."""
    n_semantic = config.n_semantic_codes
    audio, sizes = config.audio_decoder_config, codec.codebook_sizes
    if len(sizes) != audio.num_codebooks or sizes[0] != n_semantic or max(sizes) > audio.vocab_size:
        said = f"config.json speaks of {audio.num_codebooks} codebooks, {n_semantic} semantic codes and at most {audio.vocab_size} of any"
        raise CheckpointInvalid(f"{said}; codec.pth has books of {', '.join(map(str, sizes))}.", "Fetch the weights again.")


class _FishTransformers(nn.Module):
    """Both, which one file fills."""

    def __init__(self, config: FishConfig, n_codes: int):
        super().__init__()
        self.slow, self.fast = SlowTransformer(config), FastTransformer(config, n_codes)


def _packs(speech: _FishTransformers) -> dict[str, tuple[str, ...]]:
    """By full names, since the transformers may differ in how many heads their norms of heads are for."""
    homes = {_HOMES["slow.decoder."]: speech.slow.decoder, _HOMES["fast.decoder."]: speech.fast.decoder}
    layers = ((f"{home}layers.{index}.", decoder) for home, decoder in homes.items() for index in range(len(decoder.layers)))
    return {f"{at}{ours}": tuple(f"{at}{name}" for name in names) for at, decoder in layers for ours, names in decoder.packs.items()}


def _name_in_file(name: str) -> str:
    ours = next(prefix for prefix in _HOMES if name.startswith(prefix))
    return _HOMES[ours] + name.removeprefix(ours)
