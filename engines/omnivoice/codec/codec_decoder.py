"""Codec decoder of OmniVoice: turns frames of eight codes into 24 kHz sound, by DAC's decoder, which looks ahead."""

from torch import Tensor, nn

from engines.kit.codec.causal_conv import PhasedTransposedConv1d
from engines.kit.codec.factorized_quantizer import FactorizedLookup
from engines.kit.codec.lookahead_conv import LookaheadChain, LookaheadConv1d, LookaheadTransposedConv1d
from engines.kit.codec.snake import Snake
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.nn.packed_linear import pack_linears
from engines.kit.nn.prepared_parts import prepare_parts
from engines.omnivoice.codec.codec_config import OmniVoiceAcousticConfig, OmniVoiceCodecConfig
from engines.omnivoice.codec.codec_layers import KERNEL, PACKS, centerd, dac_units

__all__ = ["OmniVoiceCodecDecoder"]

FRAMES_AT_ONCE, FRAMES_AT_ONCE_ON_A_GPU = 48, 256  # 6 and 31 MB per activation of the last stage


class OmniVoiceCodecDecoder(nn.Module):
    """Codes to samples: the entries of the books, a projection, and per stride a transposed convolution and three residual units.

    Upstream, also for the names of tensors: HiggsAudioV2TokenizerModel.decode of transformers 5.23, whose DAC decoder has no tanh at its
    end. UNUSED: patterns of the file's tensors that are the encoder's, or of training. packs: for Checkpoint.load_into.
    context_frames: so many frames at each side a sample depends on; a window of frames with these around it has the samples of the whole.
    """

    UNUSED = (
        "acoustic_encoder.*",
        "semantic_model.*",
        "*coder_semantic.*",
        "fc.*",
        "fc1.*",
        "quantizer.quantizers.*.project_in.*",
        "quantizer.quantizers.*.codebook.embed_avg",
        "quantizer.quantizers.*.codebook.cluster_size",
        "quantizer.quantizers.*.codebook.inited",
    )
    packs = PACKS

    def __init__(self, config: OmniVoiceCodecConfig):
        super().__init__()
        acoustic, self.frame_samples = config.acoustic_model_config, config.frame_samples
        self.quantizer = FactorizedLookup(config.frame_width, config.codebook_dim, config.codebook_sizes, "distance")
        self.fc2 = nn.Linear(config.frame_width, acoustic.hidden_size)
        self.acoustic_decoder = _AcousticDecoder(acoustic)
        self.context_frames = max(self.acoustic_decoder.chain.reach)

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, LookaheadConv1d | PhasedTransposedConv1d | Snake | FactorizedLookup)
        pack_linears(self)

    def decode(self, codes: Tensor) -> Tensor:
        """Sound of a whole, between zeros.

        codes: (B, Q, F) int64, F > 0, each within its book (nothing here looks whether they are). returns: (B, F * frame_samples) float32.
        For one F the shapes are fixed and nothing waits for the device. Long input is decoded in pieces, in memory bounded but for what
        comes out.
        """
        with ieee_float32():
            return self.acoustic_decoder(self.fc2(self.quantizer(codes)))


class _AcousticDecoder(nn.Module):
    def __init__(self, config: OmniVoiceAcousticConfig):
        super().__init__()
        width, strides = config.decoder_hidden_size, config.upsampling_ratios
        self.conv1 = centerd(config.hidden_size, width, KERNEL)
        self.block = nn.ModuleList(_DacBlock(width >> index, stride) for index, stride in enumerate(strides))
        self.snake1 = Snake(width >> len(strides))
        self.conv2 = centerd(width >> len(strides), 1, KERNEL)
        layers = (layer for block in self.block for layer in block.children())
        self.chain = LookaheadChain([self.conv1, *layers, self.snake1, self.conv2])

    def forward(self, rows: Tensor) -> Tensor:
        """(B, F, hidden_size) -> (B, F * all strides' product)."""
        return self.chain.whole(rows, FRAMES_AT_ONCE_ON_A_GPU if rows.is_cuda else FRAMES_AT_ONCE)[:, :, 0]


class _DacBlock(nn.Module):
    """`stride` times as many rows of half the width, then three residual units. Only a holder: the chain walks through it."""

    def __init__(self, width: int, stride: int):
        super().__init__()
        self.snake1 = Snake(width)
        self.conv_t1 = LookaheadTransposedConv1d(width, width // 2, stride)
        for name, unit in dac_units(width // 2).items():
            self.add_module(name, unit)
