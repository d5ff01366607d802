"""VocoderBlock: the residual block of HiFT. For each dilation it has a wide and a plain convolution, each behind a Snake."""

from collections.abc import Iterator, Sequence

from torch import Tensor, nn

from engines.cosyvoice3.vocoder.vocoder_conv import VocoderConv1d
from engines.kit.codec.snake import Snake
from engines.kit.codec.tail_cursor import TailCursor
from engines.kit.nn.module_list import module_list

__all__ = ["VocoderBlock"]


class VocoderBlock(nn.Module):
    """rows + plain(snake(wide(snake(rows)))), again and again. Upstream, also for the names of tensors: ResBlock, hifigan/generator.py."""

    def __init__(self, width: int, kernel: int, dilations: Sequence[int]):
        super().__init__()
        self.convs1 = module_list(VocoderConv1d(width, width, kernel, dilation=dilation) for dilation in dilations)
        self.convs2 = module_list(VocoderConv1d(width, width, kernel) for _ in dilations)
        self.activations1 = module_list(Snake(width, is_flat=True) for _ in dilations)
        self.activations2 = module_list(Snake(width, is_flat=True) for _ in dilations)

    def stateful(self) -> Iterator[VocoderConv1d]:
        """The layers that have tails, in the order of `forward`."""
        for wide, plain in zip(self.convs1, self.convs2, strict=True):
            yield from (wide, plain)

    def forward(self, rows: Tensor, tails: TailCursor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        for first, wide, second, plain in zip(self.activations1, self.convs1, self.activations2, self.convs2, strict=True):
            rows = rows + tails.through(plain, second(tails.through(wide, first(rows))))
        return rows
