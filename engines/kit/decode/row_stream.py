"""RowStream: a running stream whose large transformer reads a row per frame, and its stream start."""

from dataclasses import dataclass, field

from torch import Tensor

from engines.kit.codec.stream_state import StreamState
from engines.kit.decode.batched_decoder import FrameStream
from engines.kit.nn.attention import KVCache
from engines.kit.nn.key_prefix import KeyPrefix

__all__ = ["RowStart", "RowStream"]


@dataclass(frozen=True, kw_only=True)
class RowStart:
    """What a stream starts from. A subclass says how its codes are drawn.

    prefix: keys and values of the rows that were read before. rows: those that follow them, (1, T, H), T >= 1.
    codec: the state of the audio decoder for one stream, read only, where codes become audio in the batched decoder.
    """

    prefix: KeyPrefix
    rows: Tensor
    codec: StreamState | None = None

    @property
    def n_rows(self) -> int:
        """Of prefix and rows."""
        return self.prefix.n_rows + self.rows.shape[1]


@dataclass(eq=False, kw_only=True)
class RowStream(FrameStream):
    """A stream under way. n_seen: rows that the large transformer has read. own_keys: of a stream that has outgrown its row.

    codec: the state of the audio decoder, where there is one.
    """

    n_seen: int
    own_keys: KVCache | None = field(default=None, repr=False)
    codec: StreamState | None = field(default=None, repr=False)
