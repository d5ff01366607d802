"""CausalChain: causal layers one after another. Residual units stand in it, and Snakes before what rises to more rows.

What a unit adds is added where it is next looked at, which is the next layer's first affair: see RMSNorm.add.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_conv import CausalConv1d, CausalDepthwiseConv1d, CausalTransposedConv1d, Stateful
from engines.kit.codec.snake import ScaleBias, Snake, SnakeBeta
from engines.kit.nn.fusable import Fusable

__all__ = ["BranchingUnit", "CausalChain", "ResidualUnit"]

MOST_CHANNELS = 128  # of a unit that is one kernel


class Passing(NamedTuple):
    """Rows (B, T, D) between two layers. branch: what is still to be added to them. activated: what the next activation makes of them,
    where that is known; then nothing is to be added.
    """

    rows: Tensor
    branch: Tensor | None = None
    activated: Tensor | None = None

    @property
    def added(self) -> Tensor:
        return self.rows if self.branch is None else self.rows + self.branch

    def activated_by(self, activation: nn.Module) -> tuple[Tensor, Tensor]:
        """The rows with what is added to them, and what the activation makes of these."""
        if self.activated is not None:
            return self.rows, self.activated
        if isinstance(activation, Snake | SnakeBeta):
            return activation.add(self.rows, self.branch)
        added = self.added
        return added, activation(added)


class BranchingUnit(Fusable, Stateful):
    """rows + narrow(act(wide(act(rows)))): of DAC (arXiv 2306.06546) with Snake, of SEANet (arXiv 2009.02095) with ELU.

    fused: all but the first activation is one kernel, where there are few channels, of which a program holds all, and wide is depthwise.
    """

    FUSED_BY = frozenset({"residual_unit"})

    @property
    @abstractmethod
    def parts(self) -> tuple[nn.Module, Stateful, nn.Module, CausalConv1d]:
        """Activation, the convolution that looks back, activation, one of single rows."""

    def tail_before(self, rows: Tensor) -> Tensor:
        """That of the convolution that looks back."""
        first, wide, *_ = self.parts
        return wide.tail_before(first(rows))

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D), (B, context, D) -> (B, T, D), new tail."""
        passing, tail = self.branch_off(Passing(rows), tail)
        return passing.added, tail

    def branch_off(self, passing: Passing, tail: Tensor, ahead: nn.Module | None = None) -> tuple[Passing, Tensor]:
        """The same, where what comes in and goes out need not be added yet. ahead: what comes next, if that is an activation."""
        first, wide, second, narrow = self.parts
        rows, activated = passing.activated_by(first)
        if self.fused and self.width <= MOST_CHANNELS and isinstance(wide, CausalDepthwiseConv1d) and isinstance(second, Snake | SnakeBeta):
            following = [ahead.frequency, ahead.amplitude] if isinstance(ahead, Snake | SnakeBeta) and ahead.fused else [None, None]
            parameters = [wide.taps, wide.bias, second.frequency, second.amplitude, narrow.taps, narrow.bias, *following]
            rows, waved, tail = torch.ops.engines.residual_unit(activated, rows, tail, parameters, dilation=wide.dilation)
            return Passing(rows, activated=None if following[0] is None else waved), tail
        if isinstance(wide, CausalDepthwiseConv1d):
            mixed, tail = wide.forward_through(second, activated, tail)
        else:
            mixed, tail = wide(activated, tail)
            mixed = second(mixed)
        return Passing(rows, narrow(mixed, mixed[:, :0])[0]), tail


class ResidualUnit(BranchingUnit):
    """The usual one. `block` names the four parts as both upstreams do."""

    def __init__(self, activation: Callable[[int], nn.Module], wide: Stateful, narrow: CausalConv1d):
        super().__init__()
        self.block = nn.ModuleList([activation(wide.width), wide, activation(narrow.width), narrow])
        self.context, self.width = wide.context, wide.width

    @property
    def parts(self) -> tuple[nn.Module, Stateful, nn.Module, CausalConv1d]:
        """See BranchingUnit."""
        first, wide, second, narrow = self.block
        assert isinstance(wide, Stateful)
        assert isinstance(narrow, CausalConv1d)
        return first, wide, second, narrow


@dataclass(frozen=True, eq=False)
class _Rise:
    """A Snake with what stands before it, a factor per channel, and behind it, a convolution to more rows; neither need be there."""

    turn: ScaleBias | None
    wave: Snake | SnakeBeta
    up: CausalTransposedConv1d | None

    @property
    def fused(self) -> bool:
        return self.wave.fused and (self.up is None or self.up.fused)

    def risen(self, rows: Tensor, branch: Tensor | None, tail: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Rows to which the branch is still to be added -> more rows, and the new tail, if the convolution has one."""
        if not self.fused:
            rows = rows if branch is None else rows + branch
            waved = self.wave(rows if self.turn is None else self.turn(rows))
            return (waved, None) if self.up is None else self.up(waved, waved[:, :0] if tail is None else tail)
        turn = [] if self.turn is None else [self.turn.scale, self.turn.bias]
        given = [[] if branch is None else [branch], turn, [self.wave.frequency, self.wave.amplitude], [] if tail is None else [tail]]
        waved, new_tail = torch.ops.engines.rising_snake(rows, *given)
        if self.up is None:
            return waved, None
        return self.up.of_seen(waved), None if tail is None else new_tail


class CausalChain:
    """Layers one after another, Stateful ones and ones that look at single rows; the tails of the chain are one tuple.

    It holds no parameters of its own: the layers belong to the module that names them as the checkpoint does.
    """

    def __init__(self, layers: Sequence[nn.Module]):
        self._layers, self._parts = tuple(layers), tuple(_with_rises(layers))
        self._n_rows_that_matter = self._count_rows_that_matter()

    def start(self, batch: int, like: Tensor) -> tuple[Tensor, ...]:
        """Tails of silence, of the dtype and on the device of `like`."""
        return tuple(layer.start(batch, like) for layer in self._layers if isinstance(layer, Stateful) and layer.context)

    def __call__(self, rows: Tensor, tails: Sequence[Tensor] | None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """(B, T, D), tails -> (B, T * rates, D_out), new tails.

        tails: None at the first rows of all; where no layer continues its left edge, those of `start` are the same.
        """
        left, new, passing = None if tails is None else iter(tails), [], Passing(rows)
        for part, following in zip(self._parts, (*self._parts[1:], None), strict=True):
            if left is None or not isinstance(part, BranchingUnit | _Rise):
                passing = Passing(passing.added)
            if isinstance(part, BranchingUnit):
                ahead = following.parts[0] if isinstance(following, BranchingUnit) else None
                passing, *tail = part.branch_off(passing, part.tail_before(passing.rows) if left is None else next(left), ahead)
            elif isinstance(part, _Rise):
                tail = _before(part.up, passing.rows, left)
                rows, made = part.risen(passing.rows, passing.branch, tail)
                passing, tail = Passing(rows), [] if made is None or tail is None else [made]
            else:
                rows, tail = _advance(part, passing.rows, left)
                passing = Passing(rows)
            new += tail
        return passing.added, tuple(new)

    def tails_after(self, rows: Tensor) -> tuple[Tensor, ...]:
        """The tails that calling with all rows from the start would leave, from the last few rows alone. rows: (B, T, D).

        Before each layer, rows on which no tail from there on depends are dropped. What the zeros in the place of their past make wrong
        is dropped before the next one. So a thousand frames cost about as much as one.
        """
        silence, is_whole, new = iter(self.start(len(rows), rows)), True, []
        for layer, n_rows in zip(self._layers, self._n_rows_that_matter, strict=True):
            is_whole = is_whole and rows.shape[1] <= n_rows
            zeros = [next(silence)] if isinstance(layer, Stateful) and layer.context else []
            rows, tail = _advance(layer, rows[:, max(0, rows.shape[1] - n_rows) :], None if is_whole else iter(zeros))
            new += tail
        return tuple(new)

    def _count_rows_that_matter(self) -> list[int]:
        """For each layer, how many of its last input rows its tail and all later tails depend on."""
        counts, needed = [], 0
        for layer in reversed(self._layers):
            if isinstance(layer, Stateful):
                needed = -(-needed // layer.rate) + layer.context
            counts.append(needed)
        return counts[::-1]


def _with_rises(layers: Sequence[nn.Module]) -> Iterator[nn.Module | _Rise]:
    """Snakes with their neighbors, where those belong to a rise."""
    left = list(layers)
    while left:
        turn = left.pop(0) if len(left) > 1 and isinstance(left[0], ScaleBias) and isinstance(left[1], Snake | SnakeBeta) else None
        first = left.pop(0)
        if not isinstance(first, Snake | SnakeBeta):
            yield first
            continue
        up = left.pop(0) if left and isinstance(left[0], CausalTransposedConv1d) else None
        yield _Rise(turn if isinstance(turn, ScaleBias) else None, first, up if isinstance(up, CausalTransposedConv1d) else None)


def _before(layer: Stateful | None, rows: Tensor, left: Iterator[Tensor] | None) -> Tensor | None:
    """The tail that a layer gets: the next of those that are left, that of silence before the first row, or none."""
    if layer is None or not layer.context:
        return None
    return layer.start(len(rows), rows) if left is None else next(left)


def _advance(layer: nn.Module, rows: Tensor, left: Iterator[Tensor] | None) -> tuple[Tensor, list[Tensor]]:
    """Rows through one layer; the next of the tails that are left goes in (None: that before the first row), the new one comes out."""
    if not isinstance(layer, Stateful):
        return layer(rows), []
    if not layer.context:
        return layer(rows, rows[:, :0])[0], []
    rows, tail = layer(rows, layer.tail_before(rows) if left is None else next(left))
    return rows, [tail]
