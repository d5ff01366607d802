"""CodeStream: a running stream of code frames in a BatchedCodeDecoder, and its stream start."""

from dataclasses import dataclass, field

from engines.kit.codec.stream_state import StreamState
from engines.kit.decode.row_stream import RowStart, RowStream

__all__ = ["CodeStart", "CodeStream"]


@dataclass(frozen=True, kw_only=True)
class CodeStart(RowStart):
    """What a stream starts from. codec: the state of the audio decoder for one stream, read only."""

    codec: StreamState


@dataclass(eq=False, kw_only=True)
class CodeStream(RowStream):
    """A stream under way. codec: the state of the audio decoder."""

    codec: StreamState = field(repr=False)
