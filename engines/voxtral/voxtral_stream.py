"""VoxtralBeginning: what a stream in the VoxtralLane begins with, and how its noise is drawn."""

from dataclasses import dataclass

from engines.kit.decode.code_stream import CodeBeginning

__all__ = ["FlowParams", "VoxtralBeginning"]


@dataclass(frozen=True)
class FlowParams:
    """scale: of the guidance, 1 without."""

    seed: int
    scale: float


@dataclass(frozen=True, kw_only=True)
class VoxtralBeginning(CodeBeginning):
    """params: of all frames."""

    params: FlowParams
