"""Grouped-query attention, the keys and values that it reads (KVCache), and what all layers of one pass share (AttentionStep).

Heads that share keys are laid out as further queries of one head, so that keys and values are never repeated.
Positions are rotated into them (Su et al. 2021, arXiv 2104.09864): by halves or by neighboring channels, with factors per frequency.
Angles are float32 in every dtype, as all upstreams compute them; what is multiplied has the dtype that the caller names.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, Self

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from engines.kit.nn.fusable import Fusable
from engines.kit.nn.norm import RMSNorm, unit_rms

__all__ = [
    "Attention",
    "AttentionConfig",
    "AttentionStep",
    "KVCache",
    "Rotary",
    "RotaryConfig",
    "Rotation",
    "TransformersSizes",
    "additive_mask",
    "apply_rotary",
    "overflow_as_nan",
    "weights_of",
]

# --- rotary position embedding


# cos and signed sin, both (..., 1, rotary_dim): heads stand between positions and channels. None: nothing is rotated.
Rotation = tuple[Tensor, Tensor] | None


@dataclass(frozen=True)
class RotaryConfig:
    """kind: which channels are pairs. "half": the first half with the second (Qwen, Mimi, MiniCPM). "interleaved": neighbors, as GPT-J,
    Fish and the consolidated files of Mistral have it. "none": no rotation.

    theta: base of the wavelengths. rotary_dim: rotated channels of a head, its first ones; None: all.
    factors: one per frequency, by which its wavelength is stretched (LongRoPE, arXiv 2402.13753). scaling: of cos and sin.
    bfloat16_table: cos and sin rounded to bfloat16 first, whatever the dtype (Fish's `freqs_cis`).
    in_float32: heads are rotated in float32 and cast back (MiniCPM, Fish), else in their own dtype (Qwen).
    rounded_table: with in_float32, cos and sin rounded to the heads' dtype nonetheless (VoxCPM2, whose tables are cast with its weights).
    """

    kind: Literal["half", "interleaved", "none"] = "half"
    theta: float = 10_000.0
    rotary_dim: int | None = None
    factors: tuple[float, ...] | None = None
    scaling: float = 1.0
    bfloat16_table: bool = False
    in_float32: bool = False
    rounded_table: bool = False


class Rotary:
    """Rotations of positions. It keeps nothing but frequencies, one tensor per device, and tables that were asked for."""

    def __init__(self, config: RotaryConfig, head_dim: int):
        self.config, self._width = config, config.rotary_dim or head_dim
        if self._width > head_dim or self._width % 2:
            raise ValueError(f"{self._width} channels of {head_dim} to rotate; it must be an even number of them.")
        if config.factors is not None and len(config.factors) != self._width // 2:
            raise ValueError(f"{len(config.factors)} factors for {self._width // 2} frequencies.")
        self._frequencies: dict[torch.device, tuple[Tensor, Tensor | None]] = {}
        self._tables: dict[tuple[torch.device, torch.dtype], list[Tensor]] = {}  # the longest last; captured graphs read the others still

    def tabulate(self, n_positions: int, device: torch.device, dtype: torch.dtype) -> None:
        """Keep the rotations of the first positions, so that one kernel looks them up. Not where a graph is captured."""
        tables = self._tables.setdefault((device, dtype), [])
        if self.config.kind != "none" and (not tables or tables[-1].shape[1] < n_positions):
            rotation = self(torch.arange(n_positions, device=device), dtype)
            assert rotation is not None
            tables.append(torch.stack(rotation))  # (2, positions, 1, rotary_dim)

    def __call__(self, positions: Tensor, dtype: torch.dtype, *, most: int | None = None) -> Rotation:
        """positions: (...) int64. returns: cos and signed sin for heads (..., H, head_dim) of that dtype.

        most: above every position; so many are looked up in the table, if it has as many.
        """
        if self.config.kind == "none":
            return None
        tables = self._tables.get((positions.device, dtype))
        if most is not None and tables and most <= tables[-1].shape[1]:
            cos, signed_sin = tables[-1][:, positions]
            return cos, signed_sin
        inverse_frequencies, inverse_factors = self._of(positions.device)
        angles = positions[..., None].float()
        if inverse_factors is not None:
            angles = angles * inverse_factors  # before the frequencies, as MiniCPMLongRoPE of voxcpm 2.0.3 rounds
        angles = angles * inverse_frequencies
        return self._table(self._paired(angles.cos()), dtype), self._table(self._signed(angles.sin()), dtype)

    def _of(self, device: torch.device) -> tuple[Tensor, Tensor | None]:
        if device not in self._frequencies:
            exponents = torch.arange(0, self._width, 2, device=device, dtype=torch.float32) / self._width
            factors = self.config.factors
            inverse_factors = None if factors is None else 1.0 / torch.tensor(factors, device=device, dtype=torch.float32)
            self._frequencies[device] = 1.0 / self.config.theta**exponents, inverse_factors
        return self._frequencies[device]

    def _paired(self, cos: Tensor) -> Tensor:
        return torch.cat([cos, cos], dim=-1) if self.config.kind == "half" else cos.repeat_interleave(2, dim=-1)

    def _signed(self, sin: Tensor) -> Tensor:
        """The first channel of a pair gets minus the second: the sign stands here, once, and not in every layer."""
        return torch.cat([-sin, sin], dim=-1) if self.config.kind == "half" else torch.stack([-sin, sin], dim=-1).flatten(-2)

    def _table(self, table: Tensor, dtype: torch.dtype) -> Tensor:
        if self.config.scaling != 1.0:
            table = table * self.config.scaling
        if self.config.bfloat16_table:
            table = table.bfloat16()
        if self.config.rounded_table:
            table = table.to(dtype)
        return table.to(torch.promote_types(torch.float32, dtype) if self.config.in_float32 else dtype).unsqueeze(-2)


def apply_rotary(heads: Tensor, rotation: Rotation, kind: str = "half") -> Tensor:
    """Heads (..., H, head_dim) turned by the rotation of their positions, (..., 1, rotary_dim); channels beyond it stay. Sums are taken
    in the rotation's dtype and cast back.
    """
    if rotation is None:
        return heads
    cos, signed_sin = rotation
    width = cos.shape[-1]
    turned = heads if width == heads.shape[-1] else heads[..., :width]
    turned = (turned * cos + _swapped(turned, kind) * signed_sin).to(heads.dtype)
    return turned if width == heads.shape[-1] else torch.cat([turned, heads[..., width:]], dim=-1)


def _swapped(heads: Tensor, kind: str) -> Tensor:
    """Both channels of each pair in each other's place."""
    if kind == "interleaved":
        return heads.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    first, second = heads.chunk(2, dim=-1)
    return torch.cat([second, first], dim=-1)


# --- attention


class TransformersSizes(Protocol):
    """A section of a checkpoint's configuration, under the names that the configurations of transformers have in common."""

    @property
    def hidden_size(self) -> int: ...

    @property
    def num_attention_heads(self) -> int: ...

    @property
    def num_key_value_heads(self) -> int: ...

    @property
    def head_dim(self) -> int: ...

    @property
    def rope_theta(self) -> float: ...


@dataclass(frozen=True)
class AttentionConfig:
    """Heads of head_dim each; n_heads is a multiple of n_kv_heads. hidden_size: D, in and out.

    qk_norm: RMS norm of each head of queries and keys, one weight for all query heads, one for all key heads. qkv_bias, out_bias: of the
    projections. norm_eps: of the norms of heads, and by custom of all others.
    """

    hidden_size: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    rotary: RotaryConfig
    qk_norm: bool = False
    qkv_bias: bool = False
    out_bias: bool = False
    norm_eps: float = 1e-6

    @classmethod
    def of(cls, sizes: TransformersSizes, *, norm_eps: float) -> Self:
        """The plain kind, without flags, rotated by halves."""
        heads = (sizes.num_attention_heads, sizes.num_key_value_heads, sizes.head_dim)
        return cls(sizes.hidden_size, *heads, RotaryConfig(theta=sizes.rope_theta), norm_eps=norm_eps)

    @property
    def n_groups(self) -> int:
        """Query heads per key head."""
        return self.n_heads // self.n_kv_heads


class AttentionStep(NamedTuple):
    """One forward pass as its layers see it: B rows, T positions of each.

    positions: where their keys and values go: (T,) int64, the same for all rows, or (B, T). rotation: of where they stand, which is there
    too unless rows see one another and nothing else. batch: (B, 1) int64 0, 1, ... where positions are (B, T) and layers are not fused,
    else None.
    mask: see additive_mask; None: every key that is read is seen. A fused layer's one position wants none: it sees the keys up to itself.
    n_keys: how many positions of the cache are read. One number for all rows; or, with T = 1, one per row, (B,) int64 on the CPU: exactly
    so many are seen, row by row, so that no bit of a row depends on its neighbors, and 0 is an idle row, whose attention is zeros. Its
    key is written all the same, at its position.
    """

    positions: Tensor
    rotation: Rotation
    batch: Tensor | None
    mask: Tensor | None
    n_keys: int | Tensor


MASK_ALIGNMENT = 8  # elements from row to row, without which a GPU's attention copies the mask (torch, preprocess_mask in attention.cpp)


def overflow_as_nan(values: Tensor) -> Tensor:
    """The same, in float16 NaN for what is infinite: an infinite key may merely hide its row, NaN is seen by whoever attends to it."""
    return torch.add(values, values, alpha=0) if values.dtype == torch.float16 else values


def additive_mask(hidden: Tensor, n_groups: int, dtype: torch.dtype) -> Tensor:
    """What is added to scores: 0, and minus infinity for keys that are hidden. Made once per step: every layer reads the same.

    hidden: (T, keys) bool for all rows, or (B, T, keys). returns: (groups * T, keys) or (B, 1, groups * T, keys); one position broadcasts
    over its groups, (1, keys) or (B, 1, 1, keys).
    """
    if hidden.shape[-2] > 1 and n_groups > 1:
        hidden = hidden.repeat(*[1] * (hidden.ndim - 2), n_groups, 1)
    n_keys = hidden.shape[-1]
    aligned = torch.zeros(*hidden.shape[:-1], n_keys + -n_keys % MASK_ALIGNMENT, dtype=dtype, device=hidden.device)
    mask = aligned[..., :n_keys].masked_fill_(hidden, -torch.inf)
    return mask if mask.ndim == 2 else mask[:, None]


class Attention(Fusable, nn.Module):
    """Queries, keys and values of rows from one packed matrix; attention over what the caller remembers of them."""

    FUSED_BY = frozenset({"rotate_halves_into_cache", "rotate_neighbors_into_cache", "attend_to_past"})

    def __init__(self, config: AttentionConfig):
        super().__init__()
        self.config = config
        self.n_rotated = config.n_heads + config.n_kv_heads
        width = (self.n_rotated + config.n_kv_heads) * config.head_dim
        self.qkv_proj = nn.Linear(config.hidden_size, width, bias=config.qkv_bias)
        self.o_proj = nn.Linear(config.n_heads * config.head_dim, config.hidden_size, bias=config.out_bias)
        # of every query head, then of every key head
        self.qk_norm = nn.Parameter(torch.ones(self.n_rotated * config.head_dim)) if config.qk_norm else None

    def forward(self, hidden_states: Tensor, step: AttentionStep, keys_values: Tensor | None) -> Tensor:
        """(B, T, D) -> (B, T, D). keys_values: (2, B, kv heads, length, head_dim) to write to and read from; None: rows see one another."""
        if self.fused and isinstance(step.n_keys, int):
            if keys_values is None:
                keys_values = self._for_this_pass(hidden_states, step)
            queries, past = self.project_into(hidden_states, step, keys_values), keys_values[..., : step.n_keys, :]
            if hidden_states.shape[1] == 1:
                return self.o_proj(torch.ops.engines.attend_to_past(queries, past, step.positions))
            return self.attend_grouped(queries, past, step.mask)
        queries, keys, values = self.project(hidden_states, step.rotation)
        if keys_values is None:
            return self.attend(queries, keys.transpose(1, 2), values.transpose(1, 2), step.mask)
        for memory, new in zip(keys_values, (keys, values), strict=True):
            if step.batch is None:
                memory.index_copy_(2, step.positions, new.transpose(1, 2))
            else:
                memory.transpose(1, 2).index_put_((step.batch, step.positions), new)
        if isinstance(step.n_keys, int):
            return self.attend(queries, keys_values[0, :, :, : step.n_keys], keys_values[1, :, :, : step.n_keys], step.mask)
        attend = _attend_rows_opaquely if torch.compiler.is_compiling() else _attend_rows
        return self.o_proj(attend(queries, keys_values, step.n_keys))

    def project(self, hidden_states: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T, D) -> queries (B, T, heads, head_dim), keys and values (B, T, kv heads, head_dim), normed and rotated."""
        heads = rearrange(self._packed(hidden_states), "b t (h d) -> b t h d", d=self.config.head_dim)
        rotated, values = heads[:, :, : self.n_rotated], heads[:, :, self.n_rotated :]
        if self.qk_norm is not None:
            rotated = unit_rms(rotated, self.config.norm_eps) * self.qk_norm.view(self.n_rotated, self.config.head_dim)
        rotated = apply_rotary(rotated, rotation, self.config.rotary.kind)
        return rotated[:, :, : self.config.n_heads], rotated[:, :, self.config.n_heads :], values

    def project_into(self, hidden_states: Tensor, step: AttentionStep, keys_values: Tensor) -> Tensor:
        """The same by one kernel behind the projection: queries (B, kv heads, groups, T, head_dim); keys and values are written."""
        packed, rotation = self._packed(hidden_states), [] if step.rotation is None else list(step.rotation)
        fused = torch.ops.engines
        rotate = fused.rotate_neighbors_into_cache if self.config.rotary.kind == "interleaved" else fused.rotate_halves_into_cache
        return rotate(packed, self.qk_norm, rotation, step.positions, keys_values, eps=self.config.norm_eps)

    def mixed_by_two(
        self, residual: Tensor, norm: RMSNorm, step: AttentionStep, keys_values: Tensor | None, *, overlaps: bool
    ) -> Tensor:  # fmt: skip
        """Rows (B, T, D) that are still to be normed -> the values that each position sees, weighed, as product_into_residual takes them,
        by two kernels. keys_values: as forward has them."""
        if keys_values is None:
            keys_values = self._for_this_pass(residual, step)
        parameters = [norm.weight, self.qkv_proj.weight, self.qkv_proj.bias, self.qk_norm]
        turns, flags = [*(step.rotation or ()), step.positions], [self.config.rotary.kind == "interleaved", overlaps]
        queries = torch.ops.engines.normed_heads_into_cache(residual, parameters, turns, keys_values, eps=self.config.norm_eps, flags=flags)
        past = keys_values[..., : step.n_keys, :]
        if residual.shape[1] == 1:
            return torch.ops.engines.attend_to_past(queries, past, step.positions, overlaps=overlaps)
        attn_out = F.scaled_dot_product_attention(queries.flatten(2, 3), past[0], past[1], attn_mask=step.mask)
        return attn_out.unflatten(2, queries.shape[2:4])

    def _for_this_pass(self, hidden_states: Tensor, step: AttentionStep) -> Tensor:
        """Memory of keys and values that nobody reads later."""
        assert isinstance(step.n_keys, int)
        shape = (2, len(hidden_states), self.config.n_kv_heads, step.n_keys, self.config.head_dim)
        return self.qkv_proj.weight.new_empty(shape)

    def _packed(self, hidden_states: Tensor) -> Tensor:
        """Queries, keys and values side by side."""
        return overflow_as_nan(self.qkv_proj(hidden_states))

    def attend_grouped(self, queries: Tensor, keys_values: Tensor, mask: Tensor | None) -> Tensor:
        """queries: (B, kv heads, groups, T, head_dim). keys_values: (2, B, kv heads, K, head_dim). returns: (B, T, D)."""
        return self.o_proj(_attend_grouped(queries, keys_values[0], keys_values[1], mask))

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """queries: (B, T, heads, head_dim). keys, values: (B, kv heads, K, head_dim). mask: see additive_mask. returns: (B, T, D)."""
        return self.o_proj(_attend(queries, keys, values, mask))


def weights_of(linear: nn.Linear) -> list[Tensor]:
    """The matrix, and the bias if there is one, as fused products take them."""
    return [linear.weight] if linear.bias is None else [linear.weight, linear.bias]


def _attend(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """queries: (B, T, heads, head_dim). returns: (B, T, heads * head_dim), the values that each query sees, weighed."""
    grouped = rearrange(queries, "b t (k g) d -> b k g t d", k=keys.shape[1])
    return _attend_grouped(grouped, keys, values, mask)


def _attend_grouped(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """The same of queries (B, kv heads, groups, T, head_dim): the heads of a group are rows of one product."""
    attn_out = F.scaled_dot_product_attention(queries.flatten(2, 3), keys, values, attn_mask=mask)
    return rearrange(attn_out, "b k (g t) d -> b t (k g d)", g=queries.shape[2])


def _attend_rows(queries: Tensor, keys_values: Tensor, n_keys: Tensor) -> Tensor:
    """(B, 1, heads, head_dim) -> (B, 1, heads * head_dim), each row as if it were alone."""
    mixed = queries.new_zeros(*queries.shape[:2], queries.shape[2] * queries.shape[3])
    for row, n in enumerate(n_keys.tolist()):
        if n:
            at = slice(row, row + 1)
            mixed[at] = _attend(queries[at], keys_values[0, at, :, :n], keys_values[1, at, :, :n], None)
    return mixed


@torch.library.custom_op("engines::attend_rows", mutates_args=())
def _attend_rows_opaquely(queries: Tensor, keys_values: Tensor, n_keys: Tensor) -> Tensor:
    """The same as one operation to torch.compile, which would otherwise compile anew for every combination of idle rows."""
    return _attend_rows(queries, keys_values, n_keys)


@_attend_rows_opaquely.register_fake
def _(queries: Tensor, keys_values: Tensor, n_keys: Tensor) -> Tensor:
    return queries.new_empty(*queries.shape[:2], queries.shape[2] * queries.shape[3])


class KVCache:
    """tensor: (layers, 2, B, kv heads, length, head_dim), keys then values."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor

    @property
    def length(self) -> int:
        return self.tensor.shape[4]

    @property
    def bytes(self) -> int:
        """Memory of keys and values."""
        return self.tensor.nbytes

    def row(self, index: int) -> "KVCache":
        """One of the B rows, the same memory as a cache of batch 1."""
        return KVCache(self.tensor[:, :, index : index + 1])

    def saved(self, start: int, end: int) -> Tensor:
        """A copy of positions start..end, (layers, 2, B, kv heads, end - start, head_dim)."""
        return self.tensor[..., start:end, :].clone()

    def restore(self, saved: Tensor, start: int = 0) -> None:
        """Write positions that `saved` gave, of this or of another KVCache of the same shape but for its length."""
        self.tensor[..., start : start + saved.shape[4], :].copy_(saved)
