"""VoxtralNetworks: all networks of a Voxtral TTS checkpoint folder, loaded strictly onto one device."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from engines.errors import CheckpointInvalid
from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.nn.module_list import LoadedNetworks
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.voxtral.backbone import VoxtralBackbone
from engines.voxtral.codec.codec_decoder import VoxtralCodecDecoder
from engines.voxtral.codec.codec_encoder import VoxtralCodecEncoder
from engines.voxtral.config import VoxtralConfig
from engines.voxtral.encoder_names import CODEC, ENCODER, FILE, has_encoder
from engines.voxtral.flow_head import VoxtralFlowHead
from engines.voxtral.input_sequence import TekkenVocabulary
from engines.voxtral.presets import digest_of_voices, read_presets
from engines.voxtral.tokenizer import VoxtralTokenizer

__all__ = ["VoxtralNetworks", "load_networks", "read_networks"]

_CODES, _TOKENS = "mm_audio_embeddings.audio_codebook_embeddings.embeddings", "mm_audio_embeddings.tok_embeddings"
# Our module's names -> the file's, the longer ones first.
_HOMES = {
    "backbone.embeddings.": f"{_TOKENS}.", "backbone.codebook_embeddings.": f"{_CODES}.", "backbone.decoder.": "",
    "flow.decoder.": "acoustic_transformer.", "flow.": "acoustic_transformer.",
}  # fmt: skip
# The codec is loaded on its own. The frequencies of the time, which upstream would save, are computed.
_ELSEWHERE = (f"{CODEC}*", "acoustic_transformer.time_embedding.inv_freq")


@dataclass(frozen=True)
class VoxtralNetworks(LoadedNetworks):
    """backbone and flow compute in `dtype`; the codec always in float32.

    encoder: None where the checkpoint has none: then no voice is learned from a recording. voices: the built-in ones, (N, D) each.
    extraction_digest: of what makes a prompt: the table of codes, what encodes, and the built-in voices, by content.
    """

    config: VoxtralConfig
    tokenizer: TekkenVocabulary
    backbone: VoxtralBackbone
    flow: VoxtralFlowHead
    decoder: VoxtralCodecDecoder
    encoder: VoxtralCodecEncoder | None
    voices: Mapping[str, Tensor]
    device: torch.device
    extraction_digest: str

    @property
    def modules(self) -> Sequence[nn.Module]:
        return [part for part in (self.backbone, self.flow, self.decoder, self.encoder) if part is not None]

    def with_voices(self, voices: Mapping[str, Tensor]) -> "VoxtralNetworks":
        """The same with these built-in voices, which prompts are signed with."""
        digest = hashlib.sha256(f"{self.extraction_digest}:{digest_of_voices(voices)}".encode()).hexdigest()
        return replace(self, voices=voices, extraction_digest=digest)


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype) -> VoxtralNetworks:
    """Load a checkpoint folder. Raises CheckpointInvalid that names what is missing, unexpected or misshapen."""
    config, tokenizer = VoxtralConfig.read(folder), VoxtralTokenizer(folder)
    tokenizer.check_fits(config)
    voices = read_presets(folder, config.codec.voice, config.dim, tokenizer.n_voice_rows)
    with FoldedCheckpoint(folder / FILE) as checkpoint:
        return load_networks(config, tokenizer, checkpoint, device, dtype).with_voices(voices)


@torch.no_grad()
def load_networks(
    config: VoxtralConfig, tokenizer: TekkenVocabulary, checkpoint: Checkpoint, device: torch.device, dtype: torch.dtype
) -> VoxtralNetworks:  # fmt: skip
    """The networks of this configuration, filled from the file, without built-in voices. Raises CheckpointInvalid."""
    _check_types(checkpoint)
    speech = without_memory(lambda: _VoxtralSpeech(config), dtype)
    backbone, flow = speech.backbone, speech.flow
    for table, name in ((backbone.embeddings, _TOKENS), (backbone.codebook_embeddings, _CODES)):
        table.to(checkpoint.weight_dtype(f"{name}.weight"))
    checkpoint.load_into(speech, rename=_name_in_file, packs=backbone.decoder.packs, ignore=_ELSEWHERE, device=device)
    decoder = without_memory(lambda: VoxtralCodecDecoder(config.codec))
    encoder = without_memory(lambda: VoxtralCodecEncoder(config.codec)) if has_encoder(checkpoint.names) else None
    parts = [part for part in (decoder, encoder) if part is not None]
    for part in parts:
        checkpoint.load_into(part, CODEC, ignore=part.UNUSED, packs=part.packs, device=device)
    checkpoint.check_all_used()
    of_encoder = [name for name in checkpoint.names if name.startswith((*ENCODER, f"{CODEC}quantizer."))]
    digest = checkpoint.digest([f"{_CODES}.weight", *(of_encoder if encoder is not None else ())])
    for part in (backbone, flow, *parts):
        part.prepare_weights()
    return VoxtralNetworks(config, tokenizer, backbone, flow, decoder, encoder, {}, device, digest)


class _VoxtralSpeech(nn.Module):
    """All but the codec, under the names of _HOMES."""

    def __init__(self, config: VoxtralConfig):
        super().__init__()
        self.backbone, self.flow = VoxtralBackbone(config), VoxtralFlowHead(config)


def _check_types(checkpoint: Checkpoint) -> None:
    """Raises CheckpointInvalid for quantized weights, which would be read as other numbers than they stand for."""
    for name in sorted(checkpoint.names):
        if not checkpoint.dtype(name).is_floating_point:
            fact = f"{name} is stored as {checkpoint.dtype(name)}; read are bfloat16, float16 and float32."
            raise CheckpointInvalid(fact, "Use mistralai/Voxtral-4B-TTS-2603.")


def _name_in_file(name: str) -> str:
    ours = next(prefix for prefix in _HOMES if name.startswith(prefix))
    return _HOMES[ours] + name.removeprefix(ours)
