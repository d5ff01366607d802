"""Layers that encoder and decoder of OmniVoice's codec share: DAC's residual units, and their names in the file."""

from torch import nn

from engines.kit.codec.lookahead_conv import LookaheadConv1d, LookaheadResidualUnit
from engines.kit.codec.snake import Snake

__all__ = ["PACKS", "centerd", "dac_units"]

# transformers 5.23, DacResidualUnit
KERNEL, DILATIONS = 7, (1, 3, 9)

# For Checkpoint.load_into: parts that are ours -> what the file calls them, of every leaf.
_NAMES = {
    "conv.conv": "conv",
    "conv1.conv": "conv1",
    "conv2.conv": "conv2",
    "conv_t1.conv": "conv_t1",
    "act1": "snake1",
    "act2": "snake2",
    "in_proj": "project_in",
    "out_proj": "project_out",
}
PACKS = {f"{ours}.{leaf}": (f"{theirs}.{leaf}",) for ours, theirs in _NAMES.items() for leaf in ("weight", "bias", "alpha")}
PACKS["codebook.weight"] = ("codebook.embed",)


def centerd(width_in: int, width_out: int, kernel: int, *, dilation: int = 1, bias: bool = True) -> LookaheadConv1d:
    """A convolution that sees as much at either side, and keeps the number of rows."""
    reach = (kernel - 1) // 2 * dilation
    return LookaheadConv1d(width_in, width_out, kernel, zeros=(reach, reach), dilation=dilation, bias=bias)


def dac_units(width: int) -> dict[str, nn.Module]:
    """Three residual units that look further and further, by name."""
    units = (LookaheadResidualUnit(Snake, centerd(width, width, KERNEL, dilation=dilation)) for dilation in DILATIONS)
    return {f"res_unit{number}": unit for number, unit in enumerate(units, start=1)}
