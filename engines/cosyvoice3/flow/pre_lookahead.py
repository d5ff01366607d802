"""PreLookaheadLayer: speech tokens to the rows that the flow network follows, each with a few neighbors. It starts at any token.

Source: PreLookaheadLayer of CosyVoice @ ace7c47 (cosyvoice/transformer/upsample_encoder.py). Names of parameters are those of flow.pt.
"""

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor, nn

from engines.cosyvoice3.config import FlowConfig

__all__ = ["NO_TOKEN", "TOKENS_BEFORE", "PreLookaheadLayer", "token_window"]

NO_TOKEN = -1  # in a window: before the first token, or behind the last
TOKENS_BEFORE = 2  # that a row depends on: the second convolution has a kernel of 3


def token_window(tokens: Sequence[int], rows: range, n_ahead: int) -> list[int]:
    """What the rows of the tokens `rows` are made from: the tokens, TOKENS_BEFORE before and n_ahead behind; NO_TOKEN where there is none.

    tokens: all that there are so far; all there will be where rows.stop + n_ahead is beyond them.
    """
    wanted = range(rows.start - TOKENS_BEFORE, rows.stop + n_ahead)
    return [tokens[index] if 0 <= index < len(tokens) else NO_TOKEN for index in wanted]


class PreLookaheadLayer(nn.Module):
    """A convolution that looks ahead, one that looks back, and a residual around both."""

    def __init__(self, config: FlowConfig):
        super().__init__()
        self.conv1 = nn.Conv1d(config.mel_dim, config.lookahead_channels, config.pre_lookahead_len + 1)
        self.conv2 = nn.Conv1d(config.lookahead_channels, config.mel_dim, TOKENS_BEFORE + 1)

    def forward(self, embedded: Tensor, is_token: Tensor) -> Tensor:
        """(B, N, width). embedded: (B, TOKENS_BEFORE + N + ahead, width) of a window, whatever where is_token, (B, the same), is False.

        What stands at the place of no token is zeros, before either convolution.
        """
        embedded = embedded * is_token[..., None]
        end = embedded.shape[1] - self.conv1.kernel_size[0] + 1
        ahead = F.leaky_relu(self.conv1(embedded.mT)) * is_token[:, None, :end]
        return embedded[:, TOKENS_BEFORE:end] + self.conv2(ahead).mT
