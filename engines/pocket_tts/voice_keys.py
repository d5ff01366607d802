"""VoiceKeys and SpeechKeys: keys and values of the flow LM's rows, of a voice and of a stream that speaks in it."""

from dataclasses import dataclass

from torch import Tensor

__all__ = ["SpeechKeys", "VoiceKeys"]


@dataclass(frozen=True)
class VoiceKeys:
    """tensor: (layers, 2 * kv heads, T, head_dim) float32, keys above values, read only."""

    tensor: Tensor

    @property
    def n_rows(self) -> int:
        return self.tensor.shape[2]

    @property
    def bytes(self) -> int:
        """Memory of keys and values."""
        return self.tensor.nbytes


class SpeechKeys:
    """A stream's own: the voice's, and behind them those of text and latents. n_rows: that are there.

    tensor: (layers, 2 * kv heads, room, head_dim). What is not written takes no memory yet.
    """

    def __init__(self, tensor: Tensor):
        self.tensor, self.n_rows = tensor, 0

    @property
    def room(self) -> int:
        """For rows, in all."""
        return self.tensor.shape[2]

    @property
    def bytes(self) -> int:
        """Of what has been written."""
        return self.tensor.nbytes // self.room * self.n_rows

    def restore(self, voice: VoiceKeys) -> None:
        """Hold the voice's rows and no others."""
        self.tensor[:, :, : voice.n_rows].copy_(voice.tensor)
        self.n_rows = voice.n_rows

    def rewind(self, n_rows: int) -> None:
        """Hold no more than the first rows, which are as they were."""
        self.n_rows = n_rows

    def saved(self) -> VoiceKeys:
        """A copy of what is there."""
        return VoiceKeys(self.tensor[:, :, : self.n_rows].clone())
