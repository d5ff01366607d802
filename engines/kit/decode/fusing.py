"""Fusing: what a person may say about an engine's own kernels on a GPU, as options of every engine whose decoders have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from engines.contract.options import Option, Value, bool_option, text_option

__all__ = ["FUSING_OPTIONS", "LAYERS", "Fusing"]

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


@dataclass(frozen=True)
class Fusing:
    """is_used: whether kernels do what they fuse, where they are trusted. layers: one of LAYERS, see fused/layer_trial.py."""

    is_used: bool = True
    layers: str = "measured"

    @classmethod
    def of(cls, settings: Mapping[str, Value]) -> Self:
        """As an engine's options of this file say."""
        return cls(bool_option(settings, "fused"), text_option(settings, "layers"))
