"""SpeechKeys: keys and values of one stream of the flow LM: first the voice's, then those of text and latents."""

from torch import Tensor

from engines.kit.nn.attention import KVCache
from engines.kit.nn.key_prefix import KeyPrefix

__all__ = ["SpeechKeys"]


class SpeechKeys(KVCache):
    """Of one stream. n_rows: that are there; whoever writes more raises it.

    heads: (layers, 2 * kv heads, length, head_dim), the same memory.
    """

    def __init__(self, tensor: Tensor):
        """tensor: (layers, 2, 1, kv heads, length, head_dim), of which what is not written takes no memory yet."""
        super().__init__(tensor)
        self.heads, self.n_rows = tensor.flatten(1, 3), 0

    @property
    def bytes(self) -> int:
        """Of what has been written."""
        return super().bytes // self.length * self.n_rows

    def begin(self, voice: KeyPrefix) -> None:
        """Hold the voice's rows and no others."""
        self.restore(voice.keys_values)
        self.n_rows = voice.n_rows

    def prefix(self) -> KeyPrefix:
        """A copy of what is there."""
        return KeyPrefix(self.saved(0, self.n_rows))
