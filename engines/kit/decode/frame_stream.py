"""FrameStream: a stream of frames under way, as the host knows it."""

from collections import deque
from dataclasses import dataclass, field

from engines.kit.decode.decode_slots import DecodeSlot
from engines.kit.decode.host_copy import HostCopy

__all__ = ["FrameStream"]


@dataclass(eq=False, kw_only=True)
class FrameStream(DecodeSlot):
    """Tokens are what a step draws first of a frame, and what may end the speech; a frame is a token that was completed.

    unread: what it begins with, as long as its lane has not read it. failure: why its lane could not.
    most_frames: of the whole stream. end: the token that is no frame any more; over: no frame will follow.
    endings: tokens, and whether each ends speech, (rows,) bool, as far as nobody has looked.
    """

    most_frames: int
    unread: object = field(default=None, repr=False)
    failure: Exception | None = None
    n_tokens: int = 1
    n_frames: int = 0
    end: int | None = None
    over: bool = False
    endings: deque[tuple[int, HostCopy]] = field(default_factory=deque, repr=False)

    def look(self, newest: int) -> None:
        """Learn whether speech has ended with a token up to `newest`."""
        while self.endings and self.endings[0][0] <= newest:
            token, ended = self.endings.popleft()
            if self.end is None and bool(ended.wait()[self.row]):
                self.end, self.over = token, token < self.n_tokens
