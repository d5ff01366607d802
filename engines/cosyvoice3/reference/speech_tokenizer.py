"""SpeechTokenizer: turns the sound of a clip into tokens, 25 a second. S3 v3 of CosyVoice 3 (arXiv 2505.17589), a Whisper-like encoder over
a finite scalar quantizer (arXiv 2309.15505).

Its steps and numbers are those of the released speech_tokenizer_v3.onnx, which s3tokenizer 0.3.0 (model_v3.py, model_v2.py) has as modules.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.codec.packed_conv import PackedConv1d
from engines.kit.nn.attention import Rotary, RotaryConfig, Rotation, apply_rotary
from engines.kit.nn.packed_linear import pack_linears

__all__ = ["RELEASED_SPEECH_TOKENIZER", "SpeechTokenizer", "SpeechTokenizerConfig"]

HEAD_DIM = 64  # so that 1280 channels are 20 heads; s3tokenizer, ModelConfigV3
MLP_RATIO, MEMORY_KERNEL = 4, 31  # channels of the MLP per channel; frames that the memory sees
NORM_EPS = 1e-5
N_CHANNELS, N_LEVELS = 8, 3  # of the quantizer: 3**8 = 6561 tokens
BOUND = 0.9990000128746033  # of a channel before it is rounded: the float32 nearest to 0.999, as the graph has it


@dataclass(frozen=True)
class SpeechTokenizerConfig:
    """n_mels: bands of the spectrogram that it hears."""

    n_mels: int
    width: int
    n_layers: int

    @property
    def n_tokens(self) -> int:
        return N_LEVELS**N_CHANNELS


RELEASED_SPEECH_TOKENIZER = SpeechTokenizerConfig(n_mels=128, width=1280, n_layers=12)


class SpeechTokenizer(nn.Module):
    """weights_digest: of the weights by content; set by whoever loads them. Modules are named as in the graph."""

    weights_digest: str = ""

    def __init__(self, config: SpeechTokenizerConfig):
        super().__init__()
        self.config = config
        self.conv1 = nn.Conv1d(config.n_mels, config.width, 3, stride=2)
        self.conv2 = nn.Conv1d(config.width, config.width, 3, stride=2)
        self.blocks = nn.ModuleList(_Block(config.width) for _ in range(config.n_layers))
        self.quantizer = nn.ModuleDict({"project_in": nn.Linear(config.width, N_CHANNELS)})
        self._rotary = Rotary(RotaryConfig(), HEAD_DIM)

    def prepare_weights(self) -> None:
        """Matrices and kernels laid out as the CPU's kernels want them. Once, after loading."""
        for name in ("conv1", "conv2"):
            conv = getattr(self, name)
            if isinstance(conv, nn.Conv1d) and PackedConv1d.can_pack(conv.weight):
                setattr(self, name, PackedConv1d(conv.weight, conv.bias, stride=2))
        pack_linears(self)

    def forward(self, log_mel: Tensor) -> Tensor:
        """(1, n_mels, T) float32 of one clip, 100 frames a second, as Whisper measures -> (ceil(T / 4),) int64 below n_tokens.

        A clip comes as it is, never filled up: every frame hears all others. Within `ieee_float32`, since a token is another one where a
        channel lies next to a rounding.
        """
        rows = F.gelu(_halved(self.conv2, F.gelu(_halved(self.conv1, log_mel.mT))))
        rotation = self._rotary(torch.arange(rows.shape[1], device=rows.device), rows.dtype)
        for block in self.blocks:
            rows = block(rows, rotation)
        levels = (self.quantizer["project_in"](rows[0]).tanh() * BOUND).round().to(torch.int64) + 1  # 0 .. 2
        return (levels * N_LEVELS ** torch.arange(N_CHANNELS, device=levels.device)).sum(-1)


class _Block(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.attn_ln = nn.LayerNorm(width, NORM_EPS)
        self.attn = _Attention(width)
        self.mlp_ln = nn.LayerNorm(width, NORM_EPS)
        self.mlp = nn.Sequential(nn.Linear(width, MLP_RATIO * width), nn.GELU(), nn.Linear(MLP_RATIO * width, width))

    def forward(self, rows: Tensor, rotation: Rotation) -> Tensor:
        rows = rows + self.attn(self.attn_ln(rows), rotation)
        return rows + self.mlp(self.mlp_ln(rows))


class _Attention(nn.Module):
    """Attention of all frames to all, beside a memory: values of the frames around, weighted per channel (FSMN, arXiv 1512.08301)."""

    def __init__(self, width: int):
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.fsmn_block = nn.Conv1d(width, width, MEMORY_KERNEL, padding=MEMORY_KERNEL // 2, groups=width, bias=False)

    def forward(self, rows: Tensor, rotation: Rotation) -> Tensor:
        """(1, F, D) -> (1, F, D)"""
        values = self.value(rows)
        query, key = (apply_rotary(linear(rows).unflatten(-1, (-1, HEAD_DIM)), rotation) for linear in (self.query, self.key))
        heads = (query.transpose(1, 2), key.transpose(1, 2), values.unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2))
        mixed = F.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2)
        return self.out(mixed) + self.fsmn_block(values.mT).mT + values


def _halved(conv: nn.Conv1d | PackedConv1d, rows: Tensor) -> Tensor:
    """(1, T, D) -> (1, ceil(T / 2), D_out)"""
    padded = F.pad(rows, (0, 0, 1, 1))
    return conv(padded) if isinstance(conv, PackedConv1d) else conv(padded.mT).mT
