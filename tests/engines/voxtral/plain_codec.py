"""The codec written out as its formulas are, channels first, whole streams, every key of every row: what ours is compared with.

Transcribed from voxtral_tts_audio_tokenizer of vllm-omni 0.30.0, in the dtype of the tensors that it is given.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.voxtral.config import VoxtralCodecConfig

__all__ = ["PlainCodec", "pad1d"]


@dataclass(frozen=True)
class PlainCodec:
    """tensors: of the file, without the prefix."""

    config: VoxtralCodecConfig
    tensors: Mapping[str, Tensor]

    def decode(self, codes: Tensor) -> Tensor:
        """(B, Q, F) -> (B, F * frame_samples)"""
        config = self.config
        levels = codes[:, 1:].double() * 2 / (config.acoustic_codebook_size - 1) - 1
        rows = torch.cat([self.entries[codes[:, 0]].mT, levels.to(self.entries)], dim=1)
        rows = self._conv("decoder_blocks.0", rows, config.decoder_strides[0], "replicate")
        for stage, window in enumerate(config.decoder_windows):
            if stage:
                weight, stride = self._weight(f"decoder_blocks.{2 * stage}"), config.decoder_strides[stage]
                rows = F.conv_transpose1d(rows, weight, stride=stride)[..., : rows.shape[2] * stride]
            rows = self._transformer(f"decoder_blocks.{2 * stage + 1}", rows, config.decoder_lengths[stage], window)
        return self._conv("output_proj", rows, 1, "reflect").mT.flatten(1)

    def encode(self, samples: Tensor) -> Tensor:
        """(B, T) -> (B, Q, F)"""
        config = self.config
        rows = self._conv("input_proj", samples.unflatten(1, (-1, config.pretransform_patch_size)).mT, 1, "reflect")
        for stage, window in enumerate(config.encoder_windows):
            rows = self._transformer(f"encoder_blocks.{2 * stage}", rows, config.encoder_lengths[stage], window)
            rows = self._conv(f"encoder_blocks.{2 * stage + 1}", rows, config.encoder_strides[stage], "replicate")
        semantic, acoustic = rows.split([config.semantic_dim, config.acoustic_dim], dim=1)
        distances = (semantic.mT[:, :, None] - self.entries).square().sum(-1)  # (B, F, entries)
        levels = (acoustic.tanh() + 1) / 2 * (config.acoustic_codebook_size - 1)
        return torch.cat([distances.argmin(-1)[:, None], levels.round().long()], dim=1)

    @property
    def entries(self) -> Tensor:
        book = "quantizer.semantic_codebook"
        return self.tensors[f"{book}.embedding_sum"] / self.tensors[f"{book}.cluster_usage"].clamp(min=1e-5)[:, None]

    def _weight(self, at: str) -> Tensor:
        gain, direction = (self.tensors[f"{at}.conv.parametrizations.weight.original{index}"] for index in (0, 1))
        return torch._weight_norm(direction.float(), gain.float(), 0).to(gain.dtype)  # which torch's parametrisation calls

    def _conv(self, at: str, rows: Tensor, stride: int, mode: str) -> Tensor:
        weight = self._weight(at)
        kernel, extra = weight.shape[2], -rows.shape[2] % stride
        return F.conv1d(pad1d(rows, (kernel - stride, extra), mode), weight, stride=stride)

    def _transformer(self, at: str, rows: Tensor, n_layers: int, window: int) -> Tensor:
        rows = rows.mT
        for layer in (f"{at}.layers.{index}" for index in range(n_layers)):
            attended = self._attend(layer, self._norm(f"{layer}.attention_norm", rows, self.config.norm_eps), window)
            rows = rows + self.tensors[f"{layer}.attention_scale"] * attended
            normed = self._norm(f"{layer}.ffn_norm", rows, self.config.norm_eps)
            gate, up = (normed @ self.tensors[f"{layer}.feed_forward.{name}.weight"].T for name in ("w1", "w3"))
            rows = rows + self.tensors[f"{layer}.ffn_scale"] * ((F.silu(gate) * up) @ self.tensors[f"{layer}.feed_forward.w2.weight"].T)
        return rows.mT

    def _attend(self, layer: str, rows: Tensor, window: int) -> Tensor:
        config, at = self.config, f"{layer}.attention"
        queries, keys, values = (rows @ self.tensors[f"{at}.{name}.weight"].T for name in ("wq", "wk", "wv"))
        queries, keys = self._norm(f"{at}.q_norm", queries, config.qk_norm_eps), self._norm(f"{at}.k_norm", keys, config.qk_norm_eps)
        queries, keys, values = (each.unflatten(2, (-1, config.head_dim)).transpose(1, 2) for each in (queries, keys, values))
        keys, values = (each.repeat_interleave(config.n_heads // config.n_kv_heads, dim=1) for each in (keys, values))
        after = torch.arange(rows.shape[1]) - torch.arange(rows.shape[1])[:, None]  # j - i
        scores = queries @ keys.mT / math.sqrt(config.head_dim) + slopes(config.n_heads)[:, None, None].to(rows) * after
        weights = scores.masked_fill((after > 0) | (after < -window), -torch.inf).softmax(-1)
        return (weights @ values).transpose(1, 2).flatten(2) @ self.tensors[f"{at}.wo.weight"].T

    def _norm(self, at: str, rows: Tensor, eps: float) -> Tensor:
        return rows / (rows.square().mean(-1, keepdim=True) + eps).sqrt() * self.tensors[f"{at}.weight"]


def pad1d(rows: Tensor, paddings: tuple[int, int], mode: str) -> Tensor:
    """F.pad along the last dimension; what is too short to be mirrored has zeros behind it first, which are cut off again."""
    missing = max(0, max(paddings) - rows.shape[-1] + 1) if mode == "reflect" else 0
    padded = F.pad(F.pad(rows, (0, missing)), paddings, mode)
    return padded[..., : padded.shape[-1] - missing]


def slopes(n_heads: int) -> Tensor:
    def of_power(n: int) -> list[float]:
        return [(2.0 ** (-8.0 / n)) ** index for index in range(n)]

    power = 2 ** math.floor(math.log2(n_heads))
    return torch.tensor(of_power(power) + of_power(2 * power)[::2][: n_heads - power], dtype=torch.float64)
