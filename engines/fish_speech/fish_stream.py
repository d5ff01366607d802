"""FishBeginning: what a stream in the FishLane begins with, and how its codes are drawn."""

from dataclasses import dataclass

from engines.kit.decode.code_stream import CodeBeginning

__all__ = ["FishBeginning", "FishSampling"]


@dataclass(frozen=True)
class FishSampling:
    """Of all codebooks alike. temperature 0: the likeliest; top_k 0: among all."""

    seed: int
    temperature: float
    top_k: int
    top_p: float


@dataclass(frozen=True, kw_only=True)
class FishBeginning(CodeBeginning):
    """sampling: of all frames."""

    sampling: FishSampling
