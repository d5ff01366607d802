"""FlowLm: a language model with latents for words. It reads rows of a voice, of a text and of its own speech. It gives a condition of the
next latent, and says whether there is one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_dict, module_list
from engines.kit.nn.row_matrix import Float32Matrix, Int8Matrix, RowProduct
from engines.pocket_tts.config import BackboneConfig, FlowLmConfig
from engines.pocket_tts.flow_head import FlowHead
from engines.pocket_tts.speech_keys import SpeechKeys
from engines.pocket_tts.vae.rotation import frequencies

__all__ = ["Conditions", "FlowLm"]

NORM_EPS = 1e-5  # upstream: layer norms of the transformer, and out_norm
ROTATIONS = 512  # rows whose rotations are made at a time


class Conditions(NamedTuple):
    """Of the next latents of B streams. condition: (B, W), see FlowHead. end: (B, 1), the logit of the end of speech."""

    condition: Tensor
    end: Tensor


class _FlowLayer(NamedTuple):
    attention_norm: tuple[Tensor, Tensor]
    qkv: RowProduct
    out: RowProduct
    mlp_norm: tuple[Tensor, Tensor]
    up: RowProduct
    down: RowProduct


class FlowLm(nn.Module):
    """Upstream, also for the names of tensors: FlowLMModel of pocket-tts 4.0.1. For one thread, on a CPU.

    Rows of several streams are multiplied together and attend each to its own keys, so that no stream waits for the weights of another.
    A row's voice latent is raw, as the encoder gives it; one that is fed back is as the head makes it.
    """

    emb_std: Tensor
    emb_mean: Tensor

    def __init__(self, config: FlowLmConfig, latent_dim: int, inner_dim: int):
        super().__init__()
        self.config, width = config, config.transformer.d_model
        self.emb_std, self.emb_mean = (nn.Buffer(torch.empty(latent_dim)) for _ in range(2))
        self.bos_emb = nn.Parameter(torch.empty(latent_dim))
        self.bos_before_voice = nn.Parameter(torch.empty(1, 1, width)) if config.insert_bos_before_voice else None
        self.speaker_proj_weight = nn.Parameter(torch.empty(width, inner_dim))
        self.conditioner = _TokenTable(config)
        self.input_linear = nn.Linear(latent_dim, width, bias=False)
        self.transformer = module_dict({"layers": module_list(_LayerWeights(config.transformer) for _ in range(self.n_layers))})
        self.out_norm = nn.LayerNorm(width, eps=NORM_EPS)
        self.z_proj = nn.Linear(width, config.z_dim, bias=False) if config.z_dim else None
        self.out_eos = nn.Linear(config.z_dim or width, 1)
        self.flow_net = FlowHead(config.flow, latent_dim, config.z_dim or width)

    @property
    def n_layers(self) -> int:
        return self.config.transformer.num_layers

    @property
    def bytes(self) -> int:
        """Memory of what is multiplied and looked up."""
        matrices = [self._input, self._last, *(m for layer in self._layers for m in (layer.qkv, layer.out, layer.up, layer.down))]
        return sum(matrix.bytes for matrix in matrices) + self._token_rows.nbytes + self.speaker_proj_weight.nbytes + self.flow_net.bytes

    def prepare_weights(self, dtype: torch.dtype) -> None:
        """Lay the matrices out for few rows, those of the layers in 8 bits where dtype is torch.int8. Once, after loading."""
        matrix = Int8Matrix if dtype == torch.int8 else Float32Matrix
        self._layers = []
        for layer in self.transformer["layers"]:
            first, second = ((norm.weight, norm.bias) for norm in (layer.norm1, layer.norm2))
            qkv, out = (matrix(linear.weight) for linear in (layer.self_attn["in_proj"], layer.self_attn["out_proj"]))
            self._layers.append(_FlowLayer(first, qkv, out, second, matrix(layer.linear1.weight), matrix(layer.linear2.weight)))
        del self.transformer
        self._token_rows = self.conditioner.rows()
        del self.conditioner
        self._input = Float32Matrix(self.input_linear.weight)
        self._start_row = self._input(self.bos_emb[None])
        del self.input_linear
        heads = torch.cat([self.flow_net.cond_embed.weight, self.out_eos.weight])
        self._last_bias = torch.cat([self.flow_net.cond_embed.bias, self.out_eos.bias])
        self._last = Float32Matrix(heads if self.z_proj is None else heads @ self.z_proj.weight)
        del self.out_eos, self.z_proj
        self.flow_net.prepare_weights()
        sizes = self.config.transformer
        self._frequencies = frequencies(sizes.head_dim, sizes.max_period)
        self._rotations = torch.empty(0, 1, sizes.head_dim // 2, dtype=torch.complex64)
        self.requires_grad_(False)

    def new_keys(self, room: int) -> SpeechKeys:
        """For so many rows."""
        sizes = self.config.transformer
        return SpeechKeys(torch.empty(self.n_layers, 2, 1, sizes.n_kv_heads, room, sizes.head_dim))

    def voice_rows(self, latents: Tensor) -> Tensor:
        """latents: (F, inner_dim) of a voice. returns: (T, D), with the row that stands before it, where the model has one."""
        rows = F.linear(latents, self.speaker_proj_weight)
        return rows if self.bos_before_voice is None else torch.cat([self.bos_before_voice[0], rows])

    def text_rows(self, ids: Sequence[int]) -> Tensor:
        """(T, D): of the tokens of a text, and the row that asks for the first latent."""
        return torch.cat([self._token_rows[torch.tensor(ids, dtype=torch.int64)], self._start_row])

    def read(self, rows: Tensor, keys: SpeechKeys) -> Conditions:
        """rows: (T, D) of one stream, behind those that it has. Of the last one, since no other's is wanted."""
        return self._conditions(self._read(rows, keys))

    def step(self, latents: Tensor, keys: Sequence[SpeechKeys]) -> Conditions:
        """latents: (B, D_latent), the last that each stream said. There may be more of them than keys: rows for company alone.

        What is written to the keys counts once who asks raises their n_rows: a step that fails leaves every stream where it was.
        """
        return self._conditions(self._step(self._input(latents), keys))

    # --- private

    def _conditions(self, rows: Tensor) -> Conditions:
        normed = F.layer_norm(rows, rows.shape[1:], self.out_norm.weight, self.out_norm.bias, NORM_EPS)
        both = self._last.add_to(self._last_bias, normed)
        return Conditions(both[:, :-1], both[:, -1:])

    def _read(self, rows: Tensor, keys: SpeechKeys) -> Tensor:
        """(1, D): the last of the rows behind all layers. The last layer computes no more of the others than their keys and values."""
        n_before, n_rows = keys.n_rows, len(rows)
        n_keys, sizes = n_before + n_rows, self.config.transformer
        rotations = self._rotations_to(n_keys)[n_before:n_keys]
        groups = sizes.num_heads // sizes.n_kv_heads
        mask = torch.ones(n_rows, n_keys, dtype=torch.bool).tril_(n_before).repeat(groups, 1)
        for index, layer in enumerate(self._layers):
            packed = self._packed(layer, rows, rotations)
            keys.heads[index, :, n_before:n_keys].copy_(packed[:, sizes.num_heads :].transpose(0, 1))
            if index == self.n_layers - 1:
                packed, rows, mask = packed[-1:], rows[-1:], None
            attended = self._attend(packed[:, : sizes.num_heads], keys.heads[index, :, :n_keys], mask)
            rows = self._rest(layer, rows, attended)
        keys.n_rows = n_keys
        return rows

    def _step(self, rows: Tensor, keys: Sequence[SpeechKeys]) -> Tensor:
        """(B, D): a row of each stream behind all layers."""
        longest, n_heads = max(one.n_rows for one in keys), self.config.transformer.num_heads
        rotations = self._rotations_to(longest + 1)
        n_company = len(rows) - len(keys)
        rotations = rotations[longest : longest + 1] if len(keys) == 1 else rotations[[one.n_rows for one in keys] + [longest] * n_company]
        for index, layer in enumerate(self._layers):
            packed = self._packed(layer, rows, rotations)
            attended = []
            for row, one in enumerate(keys):
                seen = one.heads[index, :, : one.n_rows + 1]
                seen[:, -1].copy_(packed[row, n_heads:])
                attended.append(self._attend(packed[row : row + 1, :n_heads], seen, None))
            attended += attended[-1:] * n_company
            rows = self._rest(layer, rows, attended[0] if len(attended) == 1 else torch.cat(attended))
        return rows

    def _packed(self, layer: _FlowLayer, rows: Tensor, rotations: Tensor) -> Tensor:
        """(T, heads + 2 * kv heads, head_dim): queries and keys, rotated, and values."""
        sizes = self.config.transformer
        packed = layer.qkv(F.layer_norm(rows, rows.shape[1:], *layer.attention_norm, NORM_EPS)).unflatten(1, (-1, sizes.head_dim))
        torch.view_as_complex(packed[:, : sizes.num_heads + sizes.n_kv_heads].unflatten(2, (-1, 2))).mul_(rotations)
        return packed

    def _attend(self, queries: Tensor, seen: Tensor, mask: Tensor | None) -> Tensor:
        """queries: (T, heads, head_dim) of one stream. seen: (2 * kv heads, K, head_dim). returns: (T, heads * head_dim).

        Heads that share keys are further queries of one head.
        """
        n_rows, n_heads, n_kv_heads = len(queries), self.config.transformer.num_heads, self.config.transformer.n_kv_heads
        queries = queries.transpose(0, 1).reshape(1, n_kv_heads, -1, queries.shape[2])
        attended = F.scaled_dot_product_attention(queries, seen[None, :n_kv_heads], seen[None, n_kv_heads:], attn_mask=mask)
        return attended.view(n_heads, n_rows, -1).transpose(0, 1).reshape(n_rows, -1)

    def _rest(self, layer: _FlowLayer, rows: Tensor, attended: Tensor) -> Tensor:
        rows = layer.out.add_to(rows, attended)
        inner = layer.up(F.layer_norm(rows, rows.shape[1:], *layer.mlp_norm, NORM_EPS))
        return layer.down.add_to(rows, F.gelu(inner, approximate="tanh"))

    def _rotations_to(self, n_rows: int) -> Tensor:
        """(n_rows or more, 1, head_dim / 2) complex, of rows from the start."""
        if len(self._rotations) < n_rows:
            n_made = -(-n_rows // ROTATIONS) * ROTATIONS
            angles = torch.arange(n_made, dtype=torch.float32)[:, None] * self._frequencies
            self._rotations = torch.polar(torch.ones_like(angles), angles)[:, None]
        return self._rotations


class _TokenTable(nn.Module):
    """Rows of text tokens, in one table or in two factors."""

    def __init__(self, config: FlowLmConfig):
        super().__init__()
        table, width = config.lookup_table, config.transformer.d_model
        self.embed = nn.Embedding(table.n_bins + 1, table.rank or width)
        self.proj = nn.Linear(table.rank, width, bias=False) if table.rank else None

    def rows(self) -> Tensor:
        """(tokens, D)"""
        return self.embed.weight if self.proj is None else self.proj(self.embed.weight)


class _LayerWeights(nn.Module):
    """Of one layer, as the checkpoint names them."""

    def __init__(self, sizes: BackboneConfig):
        super().__init__()
        width, inner = sizes.d_model, sizes.num_heads * sizes.head_dim
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=NORM_EPS), nn.LayerNorm(width, eps=NORM_EPS)
        packed = inner + 2 * sizes.n_kv_heads * sizes.head_dim
        self.self_attn = module_dict({"in_proj": nn.Linear(width, packed, bias=False), "out_proj": nn.Linear(inner, width, bias=False)})
        self.linear1 = nn.Linear(width, sizes.intermediate_size, bias=False)
        self.linear2 = nn.Linear(sizes.intermediate_size, width, bias=False)
