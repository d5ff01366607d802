"""FrameSlot: a stream under way in the lane, and what it begins with."""

from collections import deque
from dataclasses import dataclass, field

from torch import Tensor

from engines.layers.decode_slots import DecodeSlot
from engines.layers.host_copy import HostCopy
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
class FrameSlot(DecodeSlot):
    """A stream under way. Tokens are first codes, drawn; a frame is a token that was completed.

    n_seen: rows that the talker has read. most_frames: of the whole stream. end: the token that ended it; over: no frame will follow.
    endings: tokens, and whether each ends speech, as far as nobody has looked. own_keys: of a stream that has outgrown its row.
    """

    n_seen: int
    most_frames: int
    trailing: Tensor = field(repr=False)
    codec: CodecState = field(repr=False)
    n_tokens: int = 1
    n_frames: int = 0
    end: int | None = None
    over: bool = False
    endings: deque[tuple[int, HostCopy]] = field(default_factory=deque, repr=False)
    own_keys: KVCache | None = field(default=None, repr=False)

    def look(self, newest: int) -> None:
        """Learn whether speech has ended with a token up to `newest`."""
        while self.endings and self.endings[0][0] <= newest:
            token, ended = self.endings.popleft()
            if self.end is None and bool(ended.wait()[self.row]):
                self.end, self.over = token, True
