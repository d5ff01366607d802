"""CodeStream: a stream of frames of codes under way in a CodeLane, and what it begins with."""

from dataclasses import dataclass, field

from engines.kit.codec.stream_state import StreamState
from engines.kit.decode.row_stream import RowBeginning, RowStream

__all__ = ["CodeBeginning", "CodeStream"]


@dataclass(frozen=True, kw_only=True)
class CodeBeginning(RowBeginning):
    """What a stream starts from. codec: the state of the audio decoder for one stream, read only."""

    codec: StreamState


@dataclass(eq=False, kw_only=True)
class CodeStream(RowStream):
    """A stream under way. codec: the state of the audio decoder."""

    codec: StreamState = field(repr=False)
