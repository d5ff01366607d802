"""VoxtralStart: the stream start of VoxtralRows, and how the noise of a stream is drawn."""

from dataclasses import dataclass

from engines.kit.decode.row_stream import RowStart

__all__ = ["FlowParams", "VoxtralStart"]


@dataclass(frozen=True)
class FlowParams:
    """scale: of the guidance, 1 without."""

    seed: int
    scale: float


@dataclass(frozen=True, kw_only=True)
class VoxtralStart(RowStart):
    """params: of all frames."""

    params: FlowParams
