"""TextAlong: the tokens of a text that comes while it is spoken."""

from collections.abc import Callable
from typing import Protocol

from engines.contract.text_feed import TextFeed
from engines.kit.decode.frame_limit import FrameLimit
from engines.kit.tokenizers.byte_pair_tokenizer import settled_length

__all__ = ["PieceTokenizer", "TextAlong"]


class PieceTokenizer(Protocol):
    """Byte pairs, whose ids of a text are those of its pieces where it is cut at settled lengths."""

    def piece(self, text: str) -> list[int]: ...


class TextAlong:
    """ids: as far as nothing that follows can change them. text: what they are of. is_over: they are all.

    limit_of: the limit of the frames of a text, once it is whole; the engine sets it when it begins to speak.
    """

    limit_of: Callable[[str], FrameLimit]

    def __init__(self, feed: TextFeed, tokenizer: PieceTokenizer):
        self.ids: list[int] = []
        self.text = ""
        self.is_over = False
        self._feed, self._tokenizer = feed, tokenizer
        self._waiting = ""

    def take(self) -> list[int]:
        """The ids of what has come since the last time."""
        more, self.is_over = self._feed.take()
        waiting = self._waiting + more
        if not self.text:
            waiting = waiting.lstrip()
        ready = waiting.rstrip() if self.is_over else waiting[: settled_length(waiting)]
        self._waiting = waiting[len(ready) :]
        self.text += ready
        ids = self._tokenizer.piece(ready)
        self.ids += ids
        return ids

    def want(self) -> None:
        """Nothing can be done before more comes."""
        self._feed.want()
