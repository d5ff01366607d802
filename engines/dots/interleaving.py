"""Text token by token: how tokens and patches alternate where a checkpoint speaks a text that is still coming.

Source: runtime_double_streaming.py of dots.tts 0.3.1. Before a patch the language model reads as many tokens as its quota is; when the text
is over, what is left of it and a mark, then patches alone until the end.
"""

from collections.abc import Sequence

from engines.contract.text_feed import TextFeed
from engines.dots.config import StreamingConfig
from engines.dots.input_sequence import DotsVocabulary
from engines.kit.decode.text_along import TextAlong

__all__ = ["MOST_TOKENS", "DotsAlong", "recording_ids"]

MOST_TOKENS = 2  # between two patches: the largest quota but that of the first, or a last token and the mark
PATCH = -1  # in a sequence of ids, where a patch stands


class DotsAlong(TextAlong):
    """The text of a stream, and how much of it the model has read."""

    def __init__(self, feed: TextFeed, vocabulary: DotsVocabulary, pattern: StreamingConfig):
        super().__init__(feed, vocabulary)
        self._pattern, self._vocabulary, self._n_read = pattern, vocabulary, 0
        self.is_read = False  # the mark behind it, too

    def has_next(self, patch: int) -> bool:
        """Whether that patch can be made: all that goes before it has come."""
        return self.is_read or self.is_over or len(self.ids) - self._n_read >= self._pattern.quota(patch)

    def read(self, patch: int) -> list[int]:
        """The ids that go before that patch, all before which were made. It `has_next`."""
        left, quota = len(self.ids) - self._n_read, self._pattern.quota(patch)
        if self.is_read:
            return []
        if left >= quota:
            left = quota
        else:
            self.is_read = True
        ids = self.ids[self._n_read : self._n_read + left]
        self._n_read += left
        return [*ids, self._vocabulary.end_id] if self.is_read else ids


def recording_ids(
    words: Sequence[int], n_patches: int, vocabulary: DotsVocabulary, pattern: StreamingConfig
) -> tuple[list[int], list[int]]:
    """What is read of a recording with its words: up to before its last patch, with PATCH for those before it, and what follows that one.

    n_patches: of the recording, the last among them, which is made anew.
    """
    sequence, at, is_marked = [], 0, False
    for patch in [*[PATCH] * n_patches, vocabulary.gen_end_id]:
        had_words, quota = at < len(words), pattern.quota(sequence.count(PATCH))
        sequence += words[at : at + quota]
        at = min(len(words), at + quota)
        if not had_words and not is_marked:
            sequence.append(vocabulary.end_id)
            is_marked = True
        sequence.append(patch)
    sequence += [*words[at:], *([] if is_marked else [vocabulary.end_id])]
    last = len(sequence) - 1 - sequence[::-1].index(PATCH)
    return [*vocabulary.along_prefix, *sequence[:last]], [*sequence[last + 1 :], *vocabulary.along_prefix]
