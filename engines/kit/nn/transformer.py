"""Decoder: the transformer of speech models, with flags for their differences: norms, biases, rotation, attention span, networks.

Every step writes its keys and values at positions that a tensor names, so that the same code runs eagerly and inside a CUDA graph.
Rounding stands where Qwen3TTSRMSNorm and its neighbors have it (qwen-tts 0.1.1, modeling_qwen3_tts.py): normalize in float32, cast, then
multiply by the weight; sums of rotation in the compute dtype, unless RotaryConfig says otherwise. In bfloat16 other places are audible.
The feed-forward networks of its layers are two matrices with GELU between them, or three with a gate (Shazeer 2020, arXiv 2002.05202).
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.attention import Attention, AttentionConfig, AttentionStep, KVCache, Rotary, additive_mask, weights_of
from engines.kit.nn.fusable import LAYER_WAYS, OVERLAPPING, Fusable
from engines.kit.nn.module_list import module_list
from engines.kit.nn.norm import RMSNorm
from engines.kit.nn.tensor_names import USUAL_NAMES, TensorNames

__all__ = ["Decoder", "DecoderConfig", "GeluMLP", "SwiGLU"]

LAST = slice(-1, None)  # position
COUNTED_ON = 64  # positions a row may count on before the host knows that it ended; what is looked up beyond a table ends a process
COMPILED_KINDS = 64  # of hidden states: widths of layers, one position or several, with a mask or without, at fixed sizes or any


@dataclass(frozen=True)
class DecoderConfig:
    """attention: of every layer; its norm_eps is that of all norms. causal: False: all rows see one another, and nothing is kept.

    mlp: the feed-forward network, without biases. names: what the checkpoint calls the tensors of a layer.
    wide_residual: what the layers add up is float32, whatever dtype they compute in. In float16 it always is: sums of trained models reach
    beyond 65504 first of all.
    """

    attention: AttentionConfig
    intermediate_size: int
    n_layers: int
    causal: bool = True
    mlp: Literal["swiglu", "gelu"] = "swiglu"
    names: TensorNames = USUAL_NAMES
    wide_residual: bool = False


class Decoder(nn.Module):
    """Layers of attention and feed-forward, and the last norm. `packs` says what of a checkpoint its parameters hold."""

    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.config = config
        self.layers = module_list(_DecoderLayer(config) for _ in range(config.n_layers))
        self.norm = RMSNorm(config.attention.hidden_size, config.attention.norm_eps)
        self._rotary = Rotary(config.attention.rotary, config.attention.head_dim)
        self._compiled = False

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: which tensors of the file lie one above the other in which of ours, and what is called otherwise."""
        return self.config.names.packs(self.config.attention, gated=self.config.mlp == "swiglu")

    def new_cache(self, batch: int, length: int) -> KVCache:
        """An empty cache for `length` positions of `batch` rows, where the weights are and in their dtype."""
        attention, weight = self.config.attention, self.norm.weight
        if weight.is_cuda:
            self._rotary.tabulate(length + COUNTED_ON, weight.device, weight.dtype)
        shape = (self.config.n_layers, 2, batch, attention.n_kv_heads, length, attention.head_dim)
        return KVCache(torch.zeros(shape, dtype=weight.dtype, device=weight.device))

    def compile_layers(self, backend: str = "inductor") -> None:
        """Have torch.compile fuse what a layer does, when hidden states of a new kind first pass. Layers of one shape share the code.

        Compiled is a layer, not the whole, which takes a twentieth of the time (torch documentation, "regional compilation"). So that the
        first layer, before which none was, is of no kind of its own, it adds zeros.
        """
        self._compiled = True
        torch._dynamo.config.recompile_limit = max(torch._dynamo.config.recompile_limit, COMPILED_KINDS)
        for layer in self.layers:
            layer.compile(fullgraph=True, backend=backend)

    def step(self, positions: Tensor, n_keys: int | Sequence[int], *, exact: bool = False) -> AttentionStep:
        """What the layers of one forward pass over a cache share: each position sees those up to its own.

        positions: (T,) int64 for all rows, or (B, T); may lie on the device. n_keys: how many positions of the cache are read at all, more
        than every position; or, with T = 1, every row's own position + 1, and 0 for an idle row. exact: T is 1 and n_keys is the position
        + 1 of every row, so that nothing must be masked. Works inside a CUDA graph once it has run on the device.
        """
        is_fused = self.layers[0].self_attn.fused and isinstance(n_keys, int)
        batch = torch.arange(len(positions), device=positions.device)[:, None] if positions.ndim == 2 and not is_fused else None
        mask = None
        read = n_keys if isinstance(n_keys, int) else torch.tensor(n_keys)
        if isinstance(n_keys, int) and not exact and not (is_fused and positions.shape[-1] == 1):
            later = torch.arange(n_keys, device=positions.device) > positions[..., None]
            mask = additive_mask(later, self.config.attention.n_groups, self.norm.weight.dtype)
        rotation = self._rotary(positions, self.norm.weight.dtype, most=n_keys if isinstance(n_keys, int) else None)
        return AttentionStep(positions, rotation, batch, mask, read)

    def step_over(self, positions: Tensor, groups: Tensor | None = None) -> AttentionStep:
        """The same for causal=False, where rows of one pass see one another and nothing else.

        positions: (T,) int64, or (B, T). groups: (B, T) int64: rows see those of their own group alone, as sentences that lie side by side
        must, and padding.
        """
        mask = None
        if groups is not None:
            hidden = groups[:, :, None] != groups[:, None, :]
            mask = additive_mask(hidden, self.config.attention.n_groups, self.norm.weight.dtype)
        n_rows = positions.shape[-1]
        each_row = torch.arange(n_rows, device=positions.device)
        return AttentionStep(each_row, self._rotary(positions, self.norm.weight.dtype), None, mask, n_rows)

    def forward(self, inputs_embeds: Tensor, step: AttentionStep, cache: KVCache | None = None) -> Tensor:
        """Hidden states (B, T, D) after the last norm. inputs_embeds: (B, T, D). cache: written and read; None with causal=False."""
        return self.norm.add(*self._layered(inputs_embeds, step, cache))[1]

    def headed(
        self, rows: tuple[Tensor, AttentionStep, KVCache | None], head: nn.Linear, of: slice | Tensor = LAST, *, is_wide: bool = False
    ) -> Tensor:  # fmt: skip
        """What a head makes of some positions, (B, T, V). The norm before it is a part of the head's kernel where layers are fused so.

        rows: as forward takes them. of: which positions, or, of each row, (B, T, D) int64 as gather takes it. is_wide: in float32, of the
        same numbers.
        """
        residual, branch = (None if part is None else _some(part, of) for part in self._layered(*rows))
        assert residual is not None
        first = self.layers[0]
        if branch is None and first.takes(residual.shape[:-1].numel()):
            given = {"eps": self.norm.eps, "is_wide": is_wide, "overlaps": first.overlaps}
            return torch.ops.engines.normed_product(residual, self.norm.weight, weights_of(head), **given)
        made = head(self.norm.add(residual, branch)[1])
        return made.float() if is_wide else made

    def _layered(self, inputs_embeds: Tensor, step: AttentionStep, cache: KVCache | None) -> tuple[Tensor, Tensor | None]:
        """What all layers add up, and what the last one has not added yet, if anything."""
        if self.config.causal == (cache is None):
            raise ValueError("A causal decoder reads a cache, a bidirectional one has none.")
        is_wide = self.config.wide_residual or inputs_embeds.dtype == torch.float16
        wide = torch.promote_types(inputs_embeds.dtype, torch.float32) if is_wide else inputs_embeds.dtype
        residual, branch = inputs_embeds.to(wide), torch.zeros_like(inputs_embeds) if self._compiled else None
        for index, layer in enumerate(self.layers):
            residual, branch = layer(residual, branch, step, None if cache is None else cache.tensor[index])
        return residual, branch

    def prefill(self, inputs_embeds: Tensor, cache: KVCache, start: int = 0) -> Tensor:
        """Read rows (B, T, D) at positions start, start + 1, ...; returns the last one's hidden state (B, D)."""
        end = start + inputs_embeds.shape[1]
        return self(inputs_embeds, self.step(torch.arange(start, end, device=inputs_embeds.device), end), cache)[:, -1]

    def decode_step(self, inputs_embeds: Tensor, cache: KVCache, position: int) -> Tensor:
        """Read one row (B, 1, D) at the position; returns its hidden state (B, D)."""
        positions = torch.tensor([position], device=inputs_embeds.device)
        return self(inputs_embeds, self.step(positions, position + 1, exact=True), cache)[:, -1]


def _some(rows: Tensor, of: slice | Tensor) -> Tensor:
    return rows.gather(1, of) if isinstance(of, Tensor) else rows[:, of]


class _DecoderLayer(Fusable, nn.Module):
    """As nine kernels; or as five, where few rows are worth it: then it has added all that it adds, and no branch is left."""

    FUSED_BY = frozenset({"normed_heads_into_cache", "product_into_residual", "normed_gated_product", "normed_product"})

    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.overlaps = False
        self._rows: tuple[range, ...] = ()  # how many a pass may have that is one of five kernels
        width, eps = config.attention.hidden_size, config.attention.norm_eps
        self.input_layernorm = RMSNorm(width, eps)
        self.self_attn = Attention(config.attention)
        self.post_attention_layernorm = RMSNorm(width, eps)
        self.mlp = (SwiGLU if config.mlp == "swiglu" else GeluMLP)(width, config.intermediate_size)

    def forward(
        self, residual: Tensor, branch: Tensor | None, step: AttentionStep, keys_values: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """What the last branch adds is added where it is normed, which is the next layer's first affair; so is it with what comes out."""
        if branch is None and self.takes(residual.shape[:-1].numel()) and isinstance(step.n_keys, int):
            return self._by_five(residual, step, keys_values), None
        residual, normed = self.input_layernorm.add(residual, branch)
        residual, normed = self.post_attention_layernorm.add(residual, self.self_attn(normed, step, keys_values))
        return residual, self.mlp(normed)

    def use(self, kernels: Set[str]) -> None:
        """See Fusable. Some of LAYER_WAYS must be among them."""
        super().use(kernels)
        self._rows = tuple(n_rows for way, n_rows in LAYER_WAYS.items() if way in kernels)
        self.overlaps = OVERLAPPING in kernels

    def takes(self, n_rows: int) -> bool:
        """Whether a pass of so many rows is one of five kernels."""
        return self.fused and self.self_attn.fused and isinstance(self.mlp, SwiGLU) and any(n_rows in some for some in self._rows)

    def _by_five(self, residual: Tensor, step: AttentionStep, keys_values: Tensor | None) -> Tensor:
        fused, early = torch.ops.engines, {"overlaps": self.overlaps}
        mixed = self.self_attn.mixed_by_two(residual, self.input_layernorm, step, keys_values, overlaps=self.overlaps)
        residual = fused.product_into_residual(mixed, weights_of(self.self_attn.o_proj), residual, **early)
        norm, mlp = self.post_attention_layernorm, self.mlp
        assert isinstance(mlp, SwiGLU)
        hidden_states = fused.normed_gated_product(residual, norm.weight, weights_of(mlp.gate_up_proj), eps=norm.eps, **early)
        return fused.product_into_residual(hidden_states, weights_of(mlp.down_proj), residual, **early)


# --- feed-forward networks


class SwiGLU(Fusable, nn.Module):
    """(..., D) -> (..., D): SiLU of one projection times the other, projected back. Both projections are one matrix, gate above up."""

    FUSED_BY = frozenset({"gated_silu"})

    def __init__(self, hidden_size: int, intermediate_size: int, *, bias: bool = False):
        super().__init__()
        self.gate_up_proj = nn.Linear(hidden_size, 2 * intermediate_size, bias=bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        gate_up = self.gate_up_proj(hidden_states)
        if self.fused:
            return self.down_proj(torch.ops.engines.gated_silu(gate_up))
        gate, up = gate_up.chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)


class GeluMLP(nn.Module):
    """(..., D) -> (..., D): up, GELU (exact, by the error function), down."""

    def __init__(self, hidden_size: int, intermediate_size: int, *, bias: bool = False):
        super().__init__()
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.down_proj(F.gelu(self.up_proj(hidden_states)))
