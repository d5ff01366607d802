"""KokoroDecoder: its front turns what was planned into rows for the generator, under a style whose timbre hardly matters there."""

import torch
from torch import Tensor, nn

from engines.kit.nn.module_list import module_list
from engines.kokoro.config import KokoroConfig
from engines.kokoro.network.generator import Generator
from engines.kokoro.network.styled import StyledBlock, convolve

__all__ = ["KokoroDecoder"]

N_BLOCKS = 4  # kokoro 0.9.4, istftnet.Decoder


class KokoroDecoder(nn.Module):
    """Front and generator. The front tells its blocks text, pitch and energy again and again."""

    def __init__(self, config: KokoroConfig):
        super().__init__()
        style = config.style
        self.F0_conv, self.N_conv = (nn.Conv1d(1, 1, 3, 2, padding=1) for _ in range(2))
        self.asr_res = module_list([nn.Conv1d(config.hidden, config.side_width, 1)])
        self.encode = StyledBlock(style, config.hidden + 2, config.decoder_width)
        width = config.decoder_width + config.side_width + 2
        blocks = [StyledBlock(style, width, config.decoder_width) for _ in range(N_BLOCKS - 1)]
        last = StyledBlock(style, width, config.generator.initial_channels, upsample=True)
        self.decode = nn.ModuleList([*blocks, last])
        self.generator = Generator(config.generator, style, config.sample_rate)

    def features(self, text: Tensor, f0: Tensor, energy: Tensor, style: Tensor) -> Tensor:
        """(1, 2 T, channels) of text (1, T, hidden) frame by frame, f0 and energy (1, 2 T), style (1, S)."""
        curves = [convolve(conv, curve.to(text.dtype)[:, :, None]) for conv, curve in ((self.F0_conv, f0), (self.N_conv, energy))]
        rows = self.encode(torch.cat([text, *curves], 2), style)
        beside = torch.cat([convolve(self.asr_res[0], text), *curves], 2)
        for block in self.decode:
            rows = block(torch.cat([rows, beside], 2), style)
        return rows
