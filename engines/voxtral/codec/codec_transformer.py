"""The transformer of Voxtral's codec: attention over a window. Distant rows count less in it (ALiBi, arXiv 2108.12409).

Upstream: Transformer of voxtral_tts_audio_tokenizer in vllm-omni 0.30.0. kit/nn/windowed_transformer.py rotates instead, and norms heads.
"""

import math

import torch
from einops import rearrange
from torch import Tensor, nn

from engines.kit.nn.attention import Attention, AttentionConfig
from engines.kit.nn.module_list import module_list
from engines.kit.nn.norm import RMSNorm
from engines.kit.nn.tensor_names import LLAMA_NAMES
from engines.kit.nn.transformer import SwiGLU
from engines.voxtral.config import VoxtralCodecConfig

__all__ = ["VoxtralCodecTransformer"]

MOST_ROWS_AT_ONCE = 128  # bounds the attention matrix, and the table of what is added to scores


class VoxtralCodecTransformer(nn.Module):
    """Rows (B, T, D) through all layers, with keys and values of the rows before.

    window: how many rows before its own a row attends to. The last rows of a piece are kept, whatever the piece was.
    """

    biases: Tensor  # (H, MOST_ROWS_AT_ONCE, window + MOST_ROWS_AT_ONCE)

    def __init__(self, config: VoxtralCodecConfig, n_layers: int, window: int):
        super().__init__()
        self._attention, self.window = config.attention(), window
        self.layers = module_list(_AlibiLayer(config, self._attention) for _ in range(n_layers))

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: which tensors of the file lie one above the other in which of ours, and what is called otherwise."""
        names = LLAMA_NAMES
        norms = {"self_attn.q_norm.weight": (f"{names.q_norm}.weight",), "self_attn.k_norm.weight": (f"{names.k_norm}.weight",)}
        return names.packs(self._attention, gated=True) | norms

    def prepare_weights(self) -> None:
        """Fold the layers' scales into the matrices before them, and make the table of biases. Once, after loading."""
        for layer in self.layers:
            layer.prepare_weights()
        weight = self.layers[0].input_layernorm.weight
        biases = _biases(self._attention.n_heads, self.window, MOST_ROWS_AT_ONCE)
        self.register_buffer("biases", biases.to(weight.device, weight.dtype), persistent=False)

    def start(self, batch: int) -> tuple[Tensor, ...]:
        """What is kept before the first row: per layer (batch, 2, n_kv_heads, window, head_dim) zeros, keys then values."""
        shape = (batch, 2, self._attention.n_kv_heads, self.window, self._attention.head_dim)
        return tuple(self.biases.new_zeros(shape) for _ in self.layers)

    def forward(self, rows: Tensor, position: Tensor, kept: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """rows: (B, T, D), T at most MOST_ROWS_AT_ONCE. position: (B,) int64, rows already seen. kept: of the last `window` of them.

        returns: (B, T, D), what to keep.
        """
        mask, keep = self._mask(position, rows.shape[1]), []
        for layer, before in zip(self.layers, kept, strict=True):
            rows, after = layer(rows, mask, before)
            keep.append(after)
        return rows, tuple(keep)

    def forward_whole(self, rows: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D): all rows of streams from their start, in bounded memory."""
        position = torch.zeros(len(rows), dtype=torch.int64, device=rows.device)
        kept, out = self.start(len(rows)), []
        for piece in rows.split(MOST_ROWS_AT_ONCE, dim=1):
            seen, kept = self(piece, position, kept)
            position = position + piece.shape[1]
            out.append(seen)
        return torch.cat(out, dim=1)

    def _mask(self, position: Tensor, n_rows: int) -> Tensor:
        """(B, kv heads, groups * T, window + T), added to scores: biases, and minus infinity for what lies before the start."""
        n_keys = self.window + n_rows
        seen_at = position[:, None] + torch.arange(-self.window, n_rows, device=position.device)  # (B, window + T)
        mask = self.biases[:, :n_rows, :n_keys].masked_fill(seen_at[:, None, None] < 0, -torch.inf)
        return rearrange(mask, "b (k g) t s -> b k (g t) s", g=self._attention.n_groups)


def _biases(n_heads: int, window: int, n_rows: int) -> Tensor:
    """(H, n_rows, window + n_rows): row i sees keys i to i + window, the last its own; slope * distance <= 0 for those."""
    distance = torch.arange(window + n_rows) - torch.arange(window, window + n_rows)[:, None]
    biases = torch.tensor(_slopes(n_heads), dtype=torch.float64)[:, None, None] * distance
    return biases.masked_fill((distance > 0) | (distance < -window), -torch.inf)


def _slopes(n_heads: int) -> list[float]:
    """1, r, r^2, ... with r = 2^(-8 / H), where H is a power of two; else those of the power below, then every second of the one above.

    get_alibi_slopes upstream, which begins at 1, where the paper begins at r.
    """
    power = 2 ** math.floor(math.log2(n_heads))
    between = [2 ** (-8 * index / (2 * power)) for index in range(0, 2 * power, 2)]
    return [2 ** (-8 * index / power) for index in range(power)] + between[: n_heads - power]


class _AlibiLayer(nn.Module):
    def __init__(self, config: VoxtralCodecConfig, attention: AttentionConfig):
        super().__init__()
        width = config.dim
        self.input_layernorm = RMSNorm(width, config.norm_eps)
        self.self_attn = _AlibiAttention(attention, config.qk_norm_eps)
        self.post_attention_layernorm = RMSNorm(width, config.norm_eps)
        self.mlp = SwiGLU(width, config.hidden_dim)
        # Learnt factors per channel of what a branch adds (arXiv 2103.17239).
        self.attention_scale, self.mlp_scale = nn.Parameter(torch.empty(width)), nn.Parameter(torch.empty(width))

    def prepare_weights(self) -> None:
        for last, scale in ((self.self_attn.o_proj, self.attention_scale), (self.mlp.down_proj, self.mlp_scale)):
            last.weight = nn.Parameter(last.weight.detach() * scale.detach()[:, None], requires_grad=False)
        del self.attention_scale, self.mlp_scale

    def forward(self, rows: Tensor, mask: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        attn_out, keep = self.self_attn.advance(self.input_layernorm(rows), mask, kept)
        rows, normed = self.post_attention_layernorm.add(rows, attn_out)
        return rows + self.mlp(normed), keep


class _AlibiAttention(Attention):
    """Norms are taken over all heads together. Keys and values of the rows before go in, those of the last rows come out."""

    def __init__(self, config: AttentionConfig, norm_eps: float):
        super().__init__(config)
        self.q_norm = RMSNorm(config.n_heads * config.head_dim, norm_eps)
        self.k_norm = RMSNorm(config.n_kv_heads * config.head_dim, norm_eps)

    def advance(self, rows: Tensor, mask: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        """rows: (B, T, D). mask: added to scores. kept: (B, 2, kv heads, window, head_dim). returns: (B, T, D), what to keep."""
        n_queries, n_keys = self.q_norm.weight.numel(), self.k_norm.weight.numel()
        queries, keys, values = self.qkv_proj(rows).split((n_queries, n_keys, n_keys), dim=-1)
        queries = rearrange(self.q_norm(queries), "b t (h d) -> b t h d", d=self.config.head_dim)
        new = rearrange([self.k_norm(keys), values], "n b t (k d) -> b n k t d", d=self.config.head_dim)
        seen = torch.cat([kept, new], dim=3)
        keep = seen[:, :, :, rows.shape[1] :].clone(memory_format=torch.contiguous_format)
        return self.attend(queries, seen[:, 0], seen[:, 1], mask), keep
