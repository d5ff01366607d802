"""Codec encoder of OmniVoice: turns 24 kHz sound into frames of eight codes."""

import torch
from torch import Tensor, nn

from engines.kit.codec.factorized_quantizer import FactorizedQuantizer
from engines.kit.codec.lookahead_conv import LookaheadConv1d
from engines.kit.codec.snake import Snake
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.nn.packed_linear import pack_linears
from engines.kit.nn.prepared_parts import prepare_parts
from engines.omnivoice.codec.acoustic_encoder import AcousticEncoder
from engines.omnivoice.codec.codec_config import OmniVoiceCodecConfig
from engines.omnivoice.codec.codec_layers import PACKS
from engines.omnivoice.codec.semantic_encoder import HUBERT_PACKS, Hubert, Positions, SemanticConvolutions

__all__ = ["OmniVoiceCodecEncoder"]


class OmniVoiceCodecEncoder(nn.Module):
    """Samples to codes: what they sound like and what is said in them, side by side, projected, and the books of a frame.

    Upstream, also for the names of tensors: HiggsAudioV2TokenizerModel.encode of transformers 5.23.
    UNUSED: patterns of the file's tensors that are the decoder's, or of training. packs: for Checkpoint.load_into.
    """

    UNUSED = (
        "acoustic_decoder.*",
        "fc2.*",
        "fc1.*",  # with decoder_semantic it says in training what of the rows of HuBERT the codes have kept
        "decoder_semantic.*",
        "semantic_model.masked_spec_embed",  # stands in training for what is hidden; the release has none
        "quantizer.quantizers.*.codebook.embed_avg",  # sums and counts that training makes entries of, and whether it has begun to
        "quantizer.quantizers.*.codebook.cluster_size",
        "quantizer.quantizers.*.codebook.inited",
    )
    packs = PACKS | HUBERT_PACKS

    def __init__(self, config: OmniVoiceCodecConfig):
        super().__init__()
        self.frame_samples, width = config.frame_samples, config.frame_width
        self.acoustic_encoder = AcousticEncoder(config.acoustic_model_config)
        self.semantic_model = Hubert(config)
        self.encoder_semantic = SemanticConvolutions(config.semantic_model_config.hidden_size)
        self.fc = nn.Linear(width, width)
        self.quantizer = FactorizedQuantizer(width, config.codebook_dim, config.codebook_sizes, "distance")

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, LookaheadConv1d | Positions | Snake | FactorizedQuantizer)
        pack_linears(self.semantic_model)

    def encode(self, samples: Tensor) -> Tensor:
        """Samples to codes; the convolutions in bounded memory.

        samples: (1, T) float32 in [-1, 1] at 24 kHz, T a multiple of frame_samples, T > 0. returns: (1, Q, T / frame_samples) int64.
        Raises ValueError for another shape.
        """
        if len(samples) != 1 or not samples.shape[1] or samples.shape[1] % self.frame_samples:
            raise ValueError(
                f"{tuple(samples.shape)} samples: one row of a multiple of {self.frame_samples}, a frame, is encoded. Cut it to that."
            )
        with ieee_float32():
            said = self.encoder_semantic(self.semantic_model(samples))
            rows = self.fc(torch.cat([self.acoustic_encoder(samples), said], dim=2))
            return self.quantizer(rows)[0].mT.contiguous()
