"""BatchedDecoder: tensors that stay where they are, with one row per stream. A step makes one frame of every row that wants one.

DecodeSlots says which stream has which row: one step serves them all. FrameStream is the host's state of a running stream.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import torch
from torch import Tensor

from engines.kit.decode.cuda_graphs import HostCopy
from engines.kit.decode.overflow_watch import OverflowWatch

__all__ = ["BatchedDecoder", "DecodeSlot", "DecodeSlots", "FrameStream"]


@dataclass(eq=False, kw_only=True)
class DecodeSlot:
    """One stream's claim to a row.

    row: which one; None while its state lies aside. wants: whether its stream waits for a step that has not been done.
    aside: what was saved of the row, as whoever saves and restores knows it.
    """

    row: int | None = None
    wants: bool = False
    aside: object = field(default=None, repr=False)


D = TypeVar("D", bound=DecodeSlot)


class DecodeSlots(Generic[D]):
    """`width` rows. Up to so many streams keep theirs; beyond it a stream's state is set aside while others have their turn.

    save(slot): what to keep of the slot's row, before another gets it. restore(slot): write `slot.aside` to the row that it has now.
    """

    def __init__(self, width: int, *, save: Callable[[D], object], restore: Callable[[D], None]):
        self.width = width
        self._save, self._restore = save, restore
        self._seated: list[D] = []  # who was used last stands last
        self._without_row: list[D] = []

    @property
    def seated(self) -> tuple[D, ...]:
        """Everybody who has a row."""
        return tuple(self._seated)

    @property
    def set_aside(self) -> tuple[D, ...]:
        """Everybody whose row another has."""
        return tuple(self._without_row)

    def seat(self, slot: D) -> int:
        """The slot's row. Where all are taken, whoever was used least recently makes room; it comes back as it left."""
        if slot.row is None:
            taken = {other.row for other in self._seated}
            if len(taken) == self.width:
                taken.discard(self._make_room(self._seated[0]))
            slot.row = next(row for row in range(self.width) if row not in taken)
            if slot in self._without_row:
                self._restore(slot)
                self._without_row.remove(slot)
                slot.aside = None
        else:
            self._seated.remove(slot)
        self._seated.append(slot)
        return slot.row

    def together(self, slot: D) -> list[D]:
        """Who takes part when the slot's step is done: the slot itself, seated now, and everybody who has a row and wants a step too."""
        self.seat(slot)
        return [other for other in self._seated if other.wants or other is slot]

    def release(self, slot: D) -> None:
        """The stream is over or was dropped. Idempotent."""
        for slots in (self._seated, self._without_row):
            if slot in slots:
                slots.remove(slot)
        slot.row, slot.aside, slot.wants = None, None, False

    def _make_room(self, slot: D) -> int:
        slot.aside, row = self._save(slot), slot.row
        self._seated.remove(slot)
        self._without_row.append(slot)
        slot.row = None
        return row


@dataclass(eq=False, kw_only=True)
class FrameStream(DecodeSlot):
    """Tokens are what a step draws first of a frame, and what may end the speech; a frame is a token that was completed.

    unread: what it begins with, as long as its batched decoder has not read it. failure: why its batched decoder could not.
    most_frames: of the whole stream. end: the token that is no frame any more; over: no frame will follow.
    is_starved: it can have no further frame before more has come of its text.
    endings: tokens, and whether each ends speech, (rows,) bool, as far as nobody has looked.
    """

    most_frames: int
    unread: object = field(default=None, repr=False)
    failure: Exception | None = None
    n_tokens: int = 1
    n_frames: int = 0
    end: int | None = None
    over: bool = False
    is_starved: bool = False
    endings: deque[tuple[int, HostCopy]] = field(default_factory=deque, repr=False)

    def look(self, newest: int) -> None:
        """Learn whether speech has ended with a token up to `newest`."""
        while self.endings and self.endings[0][0] <= newest:
            token, ended = self.endings.popleft()
            if self.end is None and bool(ended.wait()[self.row]):
                self.end, self.over = token, token < self.n_tokens


B = TypeVar("B")  # what a stream begins with
S = TypeVar("S", bound=FrameStream)


class BatchedDecoder(ABC, Generic[B, S]):
    """What a frame is made of is up to whoever builds on it. Streams beyond the width take turns, see DecodeSlots.

    host_lag_frames: how much later than drawn the host learns that speech has ended: 0 where looking costs nothing, 1 on a GPU, where
    waiting for the newest frame would leave the device idle.
    end_is_predicted: a step says whether the token after the one that it draws is there at all, so that none is drawn in vain. What a step
    has said is known before its frame is completed, so that looking leaves no device idle.
    device: where the rows are, and `_active`, (width, 1) bool: which of them take part in the work that comes next. dtype: of the rows.
    """

    def __init__(
        self,
        width: int,
        *,
        host_lag_frames: int = 0,
        end_is_predicted: bool = False,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ):
        self._slots: DecodeSlots[S] = DecodeSlots(width, save=self._set_aside, restore=self._bring_back)
        self.host_lag_frames, self.end_is_predicted = host_lag_frames, end_is_predicted
        self._active, self._active_rows = torch.zeros(width, 1, dtype=torch.bool, device=device), ()
        self.watch = OverflowWatch(width, dtype, device)

    @property
    def width(self) -> int:
        return self._slots.width

    @torch.inference_mode()
    def begin(self, stream_start: B, most_frames: int) -> S:
        """A stream whose beginning is read with those of other newcomers, in the step that makes the first frame of any of them.

        So whoever comes to a busy batched decoder takes part in the very next step. The caller has seen to it that positions suffice.
        """
        stream = self._new_stream(stream_start, most_frames)
        stream.unread = stream_start
        self._slots.seat(stream)
        return stream

    def want(self, stream: S) -> None:
        """Ask for a frame more, which is made with those of others when the first of them cannot wait any longer."""
        stream.wants = not stream.over

    @torch.inference_mode()
    def advance(self, stream: S) -> None:
        """Have the frame that was asked for, unless it is there already; speech that has ended has none.

        Raises what the reading of this stream's beginning met, in whoever's step that was.
        """
        if stream.wants:
            self._step_together(self._slots.together(stream))
        if stream.failure is not None:
            raise stream.failure

    def _step_together(self, streams: Sequence[S]) -> None:
        if newcomers := [one for one in streams if one.unread is not None]:
            self._read_beginnings(newcomers)
        together = [one for one in streams if one.failure is None]
        if self.end_is_predicted:
            self._look_ahead(together)
        drawing = [one for one in together if one.n_tokens == one.n_frames and not one.over]
        are_frames = False
        if drawing:
            ended, are_frames = self._draw(drawing)
            ended = HostCopy(ended)
            for one in drawing:
                one.endings.append((one.n_tokens + self.end_is_predicted, ended))
                one.n_tokens += 1
        for one in together:
            one.wants = False
            if not self.end_is_predicted:
                self._look_back(one)
        going_on = [one for one in together if not one.over]
        if going_on and not are_frames:
            self._complete_tokens(going_on)
        for one in going_on:
            one.n_frames += 1

    def _read_beginnings(self, streams: Sequence[S]) -> None:
        """Of those that are alike together, and then the first tokens of all. Who fails has the error; the others go on."""
        for alike in self._alike(streams):
            self._or_fail(self._read, alike)
        self._or_fail(self._draw_first, [stream for stream in streams if stream.failure is None])
        for stream in streams:
            stream.unread = None

    @staticmethod
    def _or_fail(work: Callable[[Sequence[S]], None], streams: Sequence[S]) -> None:
        try:
            work(streams)
        except Exception as error:
            for stream in streams:
                stream.failure = error

    def _set_aside(self, stream: S) -> object:
        return None if stream.unread is not None else self._saved(stream)

    def _bring_back(self, stream: S) -> None:
        if stream.unread is None:
            self._restore(stream)

    def _activate(self, streams: Sequence[S]) -> None:
        """Let these take part in what comes next."""
        rows = tuple(sorted(stream.row for stream in streams))
        if rows != self._active_rows:
            taking_part = torch.tensor([[row in rows] for row in range(self.width)])
            is_pinned = self._active.is_cuda
            self._active.copy_(taking_part.pin_memory() if is_pinned else taking_part, non_blocking=is_pinned)
            self._active_rows = rows

    def _look_ahead(self, streams: Sequence[S]) -> None:
        """Which of them have had their last frame."""
        for one in streams:
            one.look(one.n_tokens)
            one.over = one.end == one.n_frames or one.n_frames >= one.most_frames

    def _look_back(self, stream: S) -> None:
        """Whether a token that was drawn, as far as that is known by now, has ended the speech, or its frames are at their limit."""
        stream.look(stream.n_tokens - 1 - self.host_lag_frames)
        if stream.n_frames >= stream.most_frames:
            stream.look(stream.n_tokens - 1)  # had it more to say?
            stream.over = True

    def codes_of(self, stream: S, first: int, n_frames: int) -> Tensor | None:
        """Codes of frames first, first + 1, ..., (1, Q, n_frames) on the device, valid until the next call; None: they are no codes."""
        return None

    def overflow_of(self, stream: S) -> HostCopy | None:
        """Whether the stream's numbers went beyond float16 by now, for `watch.check`."""
        return None if self.watch.sums is None else self.watch.copy(self._slots.seat(stream))

    def release(self, stream: S) -> None:
        """The stream is over or was dropped. Idempotent."""
        row = stream.row
        self._slots.release(stream)
        if row is not None:
            self._empty(row)

    def _empty(self, row: int) -> None:
        """Nobody has the row any more: steps of others that compute it along are to read as little of it as can be."""

    @abstractmethod
    def _new_stream(self, stream_start: B, most_frames: int) -> S:
        """The stream of that beginning, without a row."""

    def _alike(self, streams: Sequence[S]) -> Iterable[Sequence[S]]:
        """The newcomers by those that are read in one pass: where no batched decoder says more, each alone."""
        return [[stream] for stream in streams]

    @abstractmethod
    def _read(self, streams: Sequence[S]) -> None:
        """Make rows of these newcomers, who are alike, ones before a first frame, and read what they begin with, `unread`."""

    def _draw_first(self, streams: Sequence[S]) -> None:
        """The first tokens of these streams, which have been read; there may be none. Nothing where reading draws them."""

    @abstractmethod
    def _draw(self, streams: Sequence[S]) -> tuple[Tensor, bool]:
        """Feed back these streams' last frames and draw the next tokens.

        returns: whether each row's token ends its speech, or, where the end is foreseen, the token after it, (rows,) bool; and whether all
        rows' tokens have been completed along with it, as where one graph does both.
        """

    @abstractmethod
    def _complete_tokens(self, streams: Sequence[S]) -> None:
        """Make frames of the tokens that these streams are at. Of the others nothing may change that anybody sees."""

    @abstractmethod
    def _saved(self, stream: S) -> object:
        """What to keep of the stream's row before another gets it."""

    @abstractmethod
    def _restore(self, stream: S) -> None:
        """Write what was kept, `aside`, to the row that the stream has now."""
