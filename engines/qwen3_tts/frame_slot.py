"""FrameSlot: a running stream in the batched decoder, and its stream start."""

from dataclasses import dataclass, field

from torch import Tensor

from engines.kit.decode.row_stream import RowStart, RowStream
from engines.qwen3_tts.text_along import TextAlong

__all__ = ["FrameSlot", "FrameStart", "SamplingParams"]


@dataclass(frozen=True)
class SamplingParams:
    """How codes are sampled. temperature 0: the likeliest; top_k 0, top_p 1: among all. predictor_*: for the codebooks after the first."""

    seed: int
    temperature: float
    top_k: int
    top_p: float
    repetition_penalty: float
    predictor_temperature: float
    predictor_top_k: int
    predictor_top_p: float


@dataclass(frozen=True, kw_only=True)
class FrameStart(RowStart):
    """trailing: (1, R, H), R at most MOST_TEXT_ROWS: what is added to frames 0, 1, ... as they are fed back, and to those from R on the
    last one. along: what more is to come of the text; None where that is all.
    """

    trailing: Tensor
    sampling: SamplingParams
    along: TextAlong | None = None


@dataclass(eq=False, kw_only=True)
class FrameSlot(RowStream):
    """A stream under way. trailing, along: see FrameStart."""

    trailing: Tensor = field(repr=False)
    along: TextAlong | None = field(repr=False)
