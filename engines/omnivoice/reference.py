"""Reference: the recording that the backbone reads before a sentence."""

from dataclasses import dataclass

from torch import Tensor

__all__ = ["ReferenceRows", "SpokenReference"]


@dataclass(frozen=True)
class ReferenceRows:
    """rows: (1, R, D), its frames embedded. Read-only and shared."""

    rows: Tensor

    @property
    def bytes(self) -> int:
        return self.rows.nbytes


@dataclass(frozen=True)
class SpokenReference:
    """words: what is said in it, which sets the pace with its length. rms: of the recording, 0 to 1; None of one that was made up."""

    words: str
    rows: Tensor
    rms: float | None

    @property
    def n_frames(self) -> int:
        return self.rows.shape[1]
