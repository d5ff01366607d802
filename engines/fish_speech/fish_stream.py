"""FishStart: the stream start of FishRows, and how the codes of a stream are drawn."""

from dataclasses import dataclass

from engines.kit.decode.row_stream import RowStart

__all__ = ["FishSampling", "FishStart"]


@dataclass(frozen=True)
class FishSampling:
    """Of all codebooks alike. temperature 0: the likeliest; top_k 0: among all."""

    seed: int
    temperature: float
    top_k: int
    top_p: float


@dataclass(frozen=True, kw_only=True)
class FishStart(RowStart):
    """sampling: of all frames."""

    sampling: FishSampling
