"""FrameSlot: a stream under way in the lane, and what it begins with."""

from dataclasses import dataclass, field

from torch import Tensor

from engines.layers.frame_stream import FrameStream
from engines.layers.kv_cache import KVCache
from engines.qwen3_tts.codec_decoder import CodecState
from engines.qwen3_tts.prepared import Prefix

__all__ = ["Beginning", "FrameSlot", "SamplingParams"]


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


@dataclass(frozen=True)
class Beginning:
    """What a stream starts from.

    prefix: the shared rows' keys and values. rows: those that follow them, (1, T, H). trailing: (1, R, H), R at most MOST_TEXT_ROWS: what
    is added to frames 0, 1, ... as they are fed back, and to those from R on the last one. codec: its state, read only.
    """

    prefix: Prefix
    rows: Tensor
    trailing: Tensor
    codec: CodecState
    sampling: SamplingParams


@dataclass(eq=False, kw_only=True)
class FrameSlot(FrameStream):
    """A stream under way. n_seen: rows that the talker has read. own_keys: of a stream that has outgrown its row."""

    n_seen: int
    trailing: Tensor = field(repr=False)
    codec: CodecState = field(repr=False)
    own_keys: KVCache | None = field(default=None, repr=False)
