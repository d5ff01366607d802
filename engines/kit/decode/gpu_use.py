"""GpuUse: what an engine does on a GPU alone, as options of every engine whose decoders can do it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from engines.contract.options import Option, Value, bool_option, text_option

if TYPE_CHECKING:
    from engines.kit.decode.cuda_graphs import Graphs

__all__ = ["CODEC_BESIDE", "FUSING_OPTIONS", "GpuUse"]

LAYERS = ("measured", "plain", "fused", "overlapping")

FUSING_OPTIONS = (
    Option("fused", "bool", True, "On a GPU: several operations per kernel, where a check finds them to compute the same."),
    Option(
        "layers",
        "choice",
        "measured",
        "On a GPU: layers as nine kernels (plain), as five (fused), as five that begin early (overlapping); measured: the fastest.",
        choices=LAYERS,
    ),
)
CODEC_BESIDE = Option("codec_beside", "bool", False, "On a GPU: make audio at the same time as the next frame; takes memory of its own.")


@dataclass(frozen=True)
class GpuUse:
    """fused: several operations per kernel, where a check trusts them. layers: one of LAYERS, see fused/layer_trial.py.

    codec_beside: the codec makes audio at the same time as the next frame is made, with graphs of its own.
    """

    fused: bool = True
    layers: str = "measured"
    codec_beside: bool = False

    @classmethod
    def of(cls, settings: Mapping[str, Value]) -> Self:
        """By the options of those names, of which an engine has some."""
        beside = CODEC_BESIDE.name in settings and bool_option(settings, CODEC_BESIDE.name)
        return cls(bool_option(settings, "fused"), text_option(settings, "layers"), beside)

    def codec_graphs(self, graphs: "Graphs") -> "Graphs":
        """Of the codec, beside these of frames."""
        return graphs.beside() if self.codec_beside else graphs
