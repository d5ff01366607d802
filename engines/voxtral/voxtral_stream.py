"""VoxtralStart: the stream start of BatchedVoxtralDecoder, and how the noise of a stream is drawn."""

from dataclasses import dataclass

from engines.kit.decode.code_stream import CodeStart

__all__ = ["FlowParams", "VoxtralStart"]


@dataclass(frozen=True)
class FlowParams:
    """scale: of the guidance, 1 without."""

    seed: int
    scale: float


@dataclass(frozen=True, kw_only=True)
class VoxtralStart(CodeStart):
    """params: of all frames."""

    params: FlowParams
