"""Sentence: the host's state of a running sentence. SentenceState: the device's state of one or of several."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Self

import torch
from torch import Tensor

from engines.kit.decode.cuda_graphs import HostCopy
from engines.omnivoice.unmasking import MOST_STEPS

__all__ = ["Sentence", "SentenceKind", "SentenceState"]

PROMPTED, UNPROMPTED, PADDING = range(3)  # groups of rows, each of which sees nothing but itself


@dataclass(frozen=True)
class SentenceState:
    """Tensors of B sentences, side by side in one pass: [prompt | target | target without the prompt | padding], N rows of each.

    rows: (B, N, D), those of the target written anew in every step. positions, groups: (B, N) int64. at: (B, 2, F) int64, where the two
    copies of each frame of the target are; padded frames are one row of the padding. codes: (B, Q, F) int64. counts: (B, MOST_STEPS)
    int64, how many codes each step settles. step, seed: (B, 1) int64. settings: (B, 4) float32, see UnmaskingTensors.
    seen: (B, 1) float32, as OverflowWatch has its sums.
    """

    rows: Tensor
    positions: Tensor
    groups: Tensor
    at: Tensor
    codes: Tensor
    counts: Tensor
    step: Tensor
    seed: Tensor
    settings: Tensor
    seen: Tensor

    @classmethod
    def blank(cls, n_sentences: int, n_rows: int, n_frames: int, *, like: Tensor, n_codebooks: int) -> Self:
        """like: any tensor where the rows shall be, (..., D) of their dtype."""

        def zeros(*shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.zeros(n_sentences, *shape, dtype=dtype, device=like.device)

        return cls(
            rows=zeros(n_rows, like.shape[-1], dtype=like.dtype), positions=zeros(n_rows), groups=zeros(n_rows), at=zeros(2, n_frames),
            codes=zeros(n_codebooks, n_frames), counts=zeros(MOST_STEPS), step=zeros(1), seed=zeros(1),
            settings=zeros(4, dtype=torch.float32), seen=zeros(1, dtype=torch.float32),
        )  # fmt: skip

    def lay_out(self, prompt: Tensor, n_frames: int, mask_id: int) -> None:
        """A sentence of n_frames behind the prompt's rows (1, P, D), all its codes open. For one sentence alone."""
        n_prompt, n_rows = prompt.shape[1], self.rows.shape[1]
        end, last = n_prompt + n_frames, n_prompt + 2 * n_frames
        counted = torch.arange(n_rows, device=self.rows.device)
        self.rows[:, :n_prompt] = prompt
        self.positions[:, :end], self.positions[:, end:last] = counted[:end], counted[:n_frames]
        self.groups[:, :end], self.groups[:, end:last], self.groups[:, last:] = PROMPTED, UNPROMPTED, PADDING
        self.at.fill_(n_rows - 1)
        self.at[:, 0, :n_frames], self.at[:, 1, :n_frames] = counted[n_prompt:end], counted[end:last]
        self.codes[..., :n_frames] = mask_id

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for tensor in self._tensors())

    def sentence(self, index: int) -> "SentenceState":
        """A view of one of them, as a batch of one."""
        return SentenceState(*(tensor[index : index + 1] for tensor in self._tensors()))

    def copy_(self, other: Self) -> None:
        for mine, theirs in zip(self._tensors(), other._tensors(), strict=True):
            mine.copy_(theirs)

    def copy_progress_(self, other: Self) -> None:
        """Of what steps change, all that cannot be computed again."""
        self.codes.copy_(other.codes)
        self.step.copy_(other.step)
        self.seen.copy_(other.seen)

    def _tensors(self) -> Iterator[Tensor]:
        return (getattr(self, each.name) for each in fields(self))


@dataclass(frozen=True)
class SentenceKind:
    """Sentences of one kind can be served by one step: n_rows and n_frames of their states; and whether their codes are drawn."""

    n_rows: int
    n_frames: int
    draws_codes: bool


@dataclass(eq=False)
class Sentence:
    """state: its own tensors, behind by what has been done where it lies in an area. n_frames: of the target. n_steps: in which it is
    settled. loop_steps: as many in one graph, if it may be settled at one go; None: step by step. n_done: steps that have been started.
    wants: whether it waits for one. marks: of its latest steps, to know which the device has done.
    """

    kind: SentenceKind
    state: SentenceState
    n_frames: int
    n_steps: int
    loop_steps: int | None = None
    n_done: int = 0
    wants: bool = False
    marks: deque[HostCopy] = field(default_factory=deque, repr=False)

    @property
    def is_settled(self) -> bool:
        return self.n_done >= self.n_steps
