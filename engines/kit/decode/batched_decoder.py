"""BatchedDecoder: who has a row, who takes part in a step, whose speech is over. A step makes one frame of every stream that wants one.

DecodeSlots says which stream has which row: one step serves them all. FrameStream is the host's state of a running stream. What is computed
is told by DecoderRows, tensors that stay where they are, with one row per stream; it knows no turns.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor

from engines.kit.decode.cuda_graphs import BesideGraphs, HostCopy
from engines.kit.decode.overflow_watch import OverflowWatch

__all__ = ["BatchedDecoder", "DecodeSlot", "DecodeSlots", "DecoderRows", "FrameStream", "PieceCodes"]


@dataclass(eq=False, kw_only=True)
class DecodeSlot:
    """One stream's claim to a row.

    row: which one; None while its state lies aside. wants: whether its stream waits for a step that has not been done.
    aside: what was saved of the row, as whoever saves and restores knows it.
    """

    row: int | None = None
    wants: bool = False
    aside: object = field(default=None, repr=False)

    @property
    def own_row(self) -> int:
        """The row, of a stream that has one."""
        assert self.row is not None
        return self.row


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
        return slot.own_row

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
        slot.aside, row = self._save(slot), slot.own_row
        self._seated.remove(slot)
        self._without_row.append(slot)
        slot.row = None
        return row


@dataclass(frozen=True, eq=False)
class PieceCodes:
    """A copy (1, Q, F) of what audio of these frames is made of. done: of the copy. overflow: up to it, see BatchedDecoder.overflow_of."""

    frames: range
    codes: Tensor
    done: torch.cuda.Event
    overflow: HostCopy | None


@dataclass(eq=False, kw_only=True)
class FrameStream(DecodeSlot):
    """Tokens are what a step draws first of a frame, and what may end the speech; a frame is a token that was completed.

    unread: what it begins with, as long as its batched decoder has not read it. failure: why its batched decoder could not.
    most_frames: of the whole stream. end: the token that is no frame any more; over: no frame will follow.
    is_starved: it can have no further frame before more has come of its text.
    endings: tokens, and whether each ends speech, (rows,) bool, as far as nobody has looked.
    asked: frames of the piece that is wanted next. piece: its codes, where audio is made beside steps and they are there.
    is_heard: its first sound was handed out.
    """

    most_frames: int
    unread: object = field(default=None, repr=False)
    failure: Exception | None = None
    n_tokens: int = 1
    n_frames: int = 0
    end: int | None = None
    over: bool = False
    is_starved: bool = False
    is_heard: bool = False
    endings: deque[tuple[int, HostCopy]] = field(default_factory=deque, repr=False)
    asked: range = range(0)
    piece: PieceCodes | None = field(default=None, repr=False)

    def look(self, newest: int) -> None:
        """Learn whether speech has ended with a token up to `newest`."""
        while self.endings and self.endings[0][0] <= newest:
            token, ended = self.endings.popleft()
            if self.end is None and bool(ended.wait()[self.row]):
                self.end, self.over = token, token < self.n_tokens


B = TypeVar("B")  # what a stream begins with
S = TypeVar("S", bound=FrameStream)


class DecoderRows(Protocol[B, S]):
    """What a BatchedDecoder calls. A stream that is handed over has a row, unless it says otherwise.

    host_lag_frames: how much later than drawn the host learns that speech has ended: 0 where looking costs nothing, 1 on a GPU, where
    waiting for the newest frame would leave the device idle.
    end_is_predicted: a step says whether the token after the one that it draws is there at all, so that none is drawn in vain. What a step
    has said is known before its frame is completed, so that looking leaves no device idle.
    late_samples: by how much the audio of frames lags behind them, where the audio decoder looks ahead: the first piece begins with so many
    that are none, and `rest` has as many behind the last frame. Only where the end is predicted.
    audio_beside: of the audio decoder, where audio is made of `piece_of` at the same time as the frames of the next step.
    """

    late_samples: int = 0
    audio_beside: BesideGraphs | None = None
    width: int
    host_lag_frames: int
    end_is_predicted: bool
    watch: OverflowWatch

    def bytes_with(self, streams: Sequence[S]) -> int:
        """Memory of all that stays, and of these streams, which are all there are, with a row or without."""
        ...

    def new_stream(self, stream_start: B, most_frames: int) -> S:
        """The stream of that beginning, without a row."""
        ...

    def take_text(self, stream: S) -> None:
        """What more has come of the stream's text, and whether it `is_starved`. It may have no row."""

    def alike(self, streams: Sequence[S]) -> Iterable[Sequence[S]]:
        """The newcomers by those that are read in one pass."""
        return [[stream] for stream in streams]

    def read(self, streams: Sequence[S]) -> None:
        """Make rows of these newcomers, who are alike, ones before a first frame, and read what they begin with, `unread`."""
        ...

    def draw_first(self, streams: Sequence[S]) -> None:
        """The first tokens of these streams, which have been read; there may be none. Nothing where reading draws them."""

    def draw(self, streams: Sequence[S]) -> tuple[Tensor, bool]:
        """Feed back these streams' last frames and draw the next tokens.

        returns: whether each row's token ends its speech, or, where the end is foreseen, the token after it, (rows,) bool; and whether all
        rows' tokens have been completed along with it, as where one graph does both.
        """
        ...

    def complete(self, streams: Sequence[S]) -> None:
        """Make frames of the tokens that these streams are at. Of the others nothing may change that anybody sees."""
        ...

    def saved(self, stream: S) -> object:
        """What to keep of the stream's row before another gets it."""

    def restore(self, stream: S) -> None:
        """Write what was kept, `aside`, to the row that the stream has now."""

    def release(self, stream: S, row: int | None) -> None:
        """The stream is over. It had that row: steps of others that compute it along are to read as little of it as can be."""

    def codes_of(self, stream: S, first: int, n_frames: int) -> Tensor | None:
        """Codes of frames first, first + 1, ..., (1, Q, n_frames) on the device, valid until the next call; None: they are no codes."""

    def decode(self, stream: S, first: int, n_frames: int) -> Tensor:
        """The audio of frames first, first + 1, ..., (T,) float32 on the device, T a multiple of n_frames; pieces follow one another."""
        ...

    def rest(self, stream: S) -> Tensor:
        """The audio that comes behind that of the last frame, (late_samples,) float32 on the device; silence where nobody says other."""
        return torch.zeros(self.late_samples)

    def piece_of(self, stream: S, frames: range) -> PieceCodes:
        """These frames, which the steps so far have made, for `audio_beside`: of who has that."""
        raise TypeError(f"{type(self).__name__} makes audio along with its frames.")

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see fused/self_check.py), in all that is captured from now on."""

    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may have a row."""


class BatchedDecoder(Generic[B, S]):
    """Makes the frames of all streams; `rows` knows what a frame is made of. Streams beyond the width take turns, see DecodeSlots."""

    def __init__(self, rows: DecoderRows[B, S]):
        self.rows, self.watch, self.width = rows, rows.watch, rows.width
        self.host_lag_frames, self.late_samples = rows.host_lag_frames, rows.late_samples
        self._slots: DecodeSlots[S] = DecodeSlots(rows.width, save=self._set_aside, restore=self._bring_back)

    @property
    def owes_first_sound(self) -> bool:
        """Whether somebody has a row and has heard nothing, and it is not text that is missing."""
        return any(not (one.is_heard or one.is_starved or one.over) for one in self._slots.seated)

    @property
    def bytes(self) -> int:
        """Memory of the rows, and of streams under way."""
        return self.rows.bytes_with((*self._slots.seated, *self._slots.set_aside))

    def use_kernels(self, names: Set[str]) -> None:
        """See DecoderRows."""
        self.rows.use_kernels(names)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """See DecoderRows."""
        self.rows.warm_up()

    # --- a stream, from its beginning to its end

    @torch.inference_mode()
    def begin(self, stream_start: B, most_frames: int) -> S:
        """A stream whose beginning is read with those of other newcomers, in the step that makes the first frame of any of them.

        So whoever comes to a busy batched decoder takes part in the very next step. The caller has seen to it that positions suffice.
        """
        stream = self.rows.new_stream(stream_start, most_frames)
        stream.unread = stream_start
        self._slots.seat(stream)
        return stream

    @torch.inference_mode()
    def want(self, stream: S) -> None:
        """Ask for a frame more, which is made with those of others when the first of them cannot wait any longer."""
        self.rows.take_text(stream)
        stream.wants = not stream.over and not stream.is_starved

    @torch.inference_mode()
    def due(self, stream: S) -> Sequence[S]:
        """Who takes part in the step that this stream waits for; nobody where its frame is there already, or its speech has ended."""
        return self._slots.together(stream) if stream.wants else ()

    @torch.inference_mode()
    def step(self, streams: Sequence[S]) -> None:
        """Make a frame of each of these, who are due together. Who cannot be read has a `failure`; the others go on."""
        if newcomers := [one for one in streams if one.unread is not None]:
            self._read_beginnings(newcomers)
        together = [one for one in streams if one.failure is None]
        if self.rows.end_is_predicted:
            self._look_ahead(together)
        drawing = [one for one in together if one.n_tokens == one.n_frames and not one.over]
        are_frames = False
        if drawing:
            ended, are_frames = self.rows.draw(drawing)
            ended = HostCopy(ended)
            for one in drawing:
                one.endings.append((one.n_tokens + self.rows.end_is_predicted, ended))
                one.n_tokens += 1
        for one in together:
            one.wants = False
            if not self.rows.end_is_predicted:
                self._look_back(one)
        going_on = [one for one in together if not one.over]
        if going_on and not are_frames:
            self.rows.complete(going_on)
        for one in going_on:
            one.n_frames += 1
            if self.rows.audio_beside and one.n_frames == one.asked.stop:
                one.piece = self.rows.piece_of(one, one.asked)

    @torch.inference_mode()
    def beside(self, stream: S, frames: range) -> AbstractContextManager[None]:
        """Where audio and codes of these frames, a piece, are asked for."""
        self._slots.seat(stream)  # in the order of steps
        if self.rows.audio_beside is None:
            return nullcontext()
        if stream.piece is None or stream.piece.frames != frames:
            stream.piece = self.rows.piece_of(stream, frames)
        return self.rows.audio_beside.after(stream.piece.done)

    @torch.inference_mode()
    def codes_of(self, stream: S, first: int, n_frames: int) -> Tensor | None:
        """See DecoderRows."""
        self._slots.seat(stream)
        return self.rows.codes_of(stream, first, n_frames)

    @torch.inference_mode()
    def decode(self, stream: S, first: int, n_frames: int) -> Tensor:
        """See DecoderRows."""
        self._slots.seat(stream)
        return self.rows.decode(stream, first, n_frames)

    @torch.inference_mode()
    def decode_on_time(self, stream: S, first: int, last: int) -> Tensor:
        """The audio of frames first to last - 1, as far as it is there, and all that is left where the last one is among them."""
        audio = self.decode(stream, first, last - first)
        if not self.late_samples:
            return audio
        stream.look(stream.n_tokens)  # known before the frame was completed
        parts = [audio[self.late_samples :] if first == 0 else audio]
        if last in (stream.end, stream.most_frames):
            parts.append(self.rows.rest(stream))
        return torch.cat(parts)

    @torch.inference_mode()
    def overflow_of(self, stream: S) -> HostCopy | None:
        """Of the stream's row, whether its numbers went beyond float16 by now, or by its `piece`, for `check`; None in other dtypes."""
        known = stream.piece.overflow if stream.piece else None
        return None if self.watch.sums is None else known or self.watch.copy(self._slots.seat(stream))

    @torch.inference_mode()
    def check(self, overflow: HostCopy | None) -> None:
        """Raises Float16Overflow."""
        if overflow is not None:
            self.watch.check(overflow)

    def release(self, stream: S) -> None:
        """The stream is over or was dropped. Idempotent."""
        row = stream.row
        self._slots.release(stream)
        self.rows.release(stream, row)

    # --- private

    def _read_beginnings(self, streams: Sequence[S]) -> None:
        """Of those that are alike together, and then the first tokens of all. Who fails has the error; the others go on."""
        for alike in self.rows.alike(streams):
            self._or_fail(self.rows.read, alike)
        self._or_fail(self.rows.draw_first, [stream for stream in streams if stream.failure is None])
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
        return None if stream.unread is not None else self.rows.saved(stream)

    def _bring_back(self, stream: S) -> None:
        if stream.unread is None:
            self.rows.restore(stream)

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
