"""The acoustic half of OmniVoice's codec encoder: DAC (arXiv 2306.06546) turns 24 kHz sound into rows, 25 a second."""

from torch import Tensor, nn

from engines.kit.codec.lookahead_conv import LookaheadChain, LookaheadConv1d
from engines.kit.codec.snake import Snake
from engines.omnivoice.codec.codec_config import OmniVoiceAcousticConfig
from engines.omnivoice.codec.codec_layers import KERNEL, centerd, dac_units

__all__ = ["AcousticEncoder"]

LAST_KERNEL = 3  # transformers 5.23, DacEncoder
SAMPLES_AT_ONCE, SAMPLES_AT_ONCE_ON_A_GPU = 46_080, 245_760  # 12 and 63 MB per activation of the first stage


class AcousticEncoder(nn.Module):
    """Per stride three residual units, then a convolution that doubles the width. Upstream, also for the names of tensors: DacEncoder."""

    def __init__(self, config: OmniVoiceAcousticConfig):
        super().__init__()
        width, strides = config.encoder_hidden_size, config.downsampling_ratios
        self.conv1 = centerd(1, width, KERNEL)
        self.block = nn.ModuleList(_EncoderBlock(width << index, stride) for index, stride in enumerate(strides))
        self.snake1 = Snake(width << len(strides))
        self.conv2 = centerd(width << len(strides), config.hidden_size, LAST_KERNEL)
        layers = (layer for block in self.block for layer in block.children())
        self._chain = LookaheadChain([self.conv1, *layers, self.snake1, self.conv2])

    def forward(self, samples: Tensor) -> Tensor:
        """(B, T) in [-1, 1], T a multiple of all strides' product, T > 0 -> (B, F, hidden_size)."""
        return self._chain.whole(samples[:, :, None], SAMPLES_AT_ONCE_ON_A_GPU if samples.is_cuda else SAMPLES_AT_ONCE)


class _EncoderBlock(nn.Module):
    """Only a holder: the chain walks through it."""

    def __init__(self, width: int, stride: int):
        super().__init__()
        for name, unit in dac_units(width).items():
            self.add_module(name, unit)
        self.snake1 = Snake(width)
        zeros = ((stride + 1) // 2, stride // 2)  # upstream pads the right as the left, and of an odd stride does not reach the last one
        self.conv1 = LookaheadConv1d(width, 2 * width, 2 * stride, stride=stride, zeros=zeros)
