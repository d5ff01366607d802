"""KeyRows: keys and values of every row of a batched decoder, which rows take part, and the one place where prompts are read.

A prompt is read in place where shapes are fixed: padded to a few sizes, for graphs, whosever it is; then it goes to its row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.decode.row_stream import RowStream
from engines.kit.nn.attention import KVCache

__all__ = ["Caches", "KeyRows", "KeySizes", "RowReader", "SavedRow", "Tensors", "restore_keys"]

Tensors = tuple[Tensor, ...]
Caches = tuple[KVCache, ...]  # of a network that has several transformers, one of each


@dataclass(frozen=True)
class KeySizes:
    """keys: positions that a captured step reads; the last is how long a row is. rows: of a prompt to be read behind its prefix.

    prompt: positions of a prompt that is read in one place. most_rows: of a prompt that is read there, in parts of the largest of `rows`.
    """

    keys: tuple[int, ...]
    rows: tuple[int, ...]
    prompt: int
    most_rows: int

    def padded(self, n_rows: int) -> int:
        """To how many rows so many are padded, at most the largest of `rows`."""
        return next(size for size in (0, *self.rows) if size >= n_rows)

    def has_room(self, n_before: int, n_rows: int) -> bool:
        """Whether so many rows behind so many positions can be read in one place, the last of them padded."""
        n_whole = n_rows - n_rows % self.rows[-1]
        return n_rows <= self.most_rows and n_before + n_whole + self.padded(n_rows - n_whole) <= min(self.prompt, self.keys[-1])


class RowReader(Protocol):
    """A network that reads rows (B, T, ...): of one kind, or of several that lie side by side. So do hidden states and caches."""

    def new_caches(self, batch: int, length: int) -> Caches:
        """Empty ones for `length` positions of `batch` rows."""
        ...

    def read(self, rows: Tensors, caches: Caches, start: Tensor, n_keys: int) -> Tensors:
        """Rows at positions start, start + 1, ..., of which n_keys are read: their hidden states, (B, T, H). start: (1,) on the device."""
        ...

    def read_last(self, rows: Tensors, caches: Caches, start: int) -> Tensors:
        """The same of what is there alone: the last row's hidden states, (B, H)."""
        ...


@dataclass(frozen=True)
class SavedRow:
    """What is kept of a row whose stream is set aside. keys: None of a stream that has keys of its own."""

    tensors: list[Tensor]
    keys: Tensors | None

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for tensor in (*self.tensors, *(self.keys or ())))


@dataclass(frozen=True)
class _Place:
    """Where a prompt is read: its rows, the last of which may be padding, behind `start` positions that are there already."""

    rows: Tensors
    keys: Caches
    hidden_states: Tensors  # of the row whose number is last_row
    start: Tensor
    last_row: Tensor


class KeyRows:
    """active: (width, 1) bool, which rows take part in the work that comes next. position: (width, 1) of what each row reads next.

    fixed_shapes: pad prompts and keys to a few sizes, for graphs. Otherwise only what is there is computed, which suits a CPU.
    """

    def __init__(
        self, reader: RowReader, graphs: Graphs, sizes: KeySizes, watch: OverflowWatch, *, like: Tensors, fixed_shapes: bool
    ):  # fmt: skip
        """like: empty rows (width, 1, ...) of each kind, on the device; the first has the width of hidden states."""
        width, device = len(like[0]), like[0].device
        self.width, self.fixed_shapes, self.sizes = width, fixed_shapes, sizes
        self.active, self.active_rows = torch.zeros(width, 1, dtype=torch.bool, device=device), ()
        self.position = torch.zeros(width, 1, dtype=torch.int64, device=device)
        self.caches = reader.new_caches(width, sizes.keys[-1])
        self._reader, self._graphs, self._watch = reader, graphs, watch
        self._place: _Place | None = None
        if fixed_shapes:
            keys = reader.new_caches(1, min(sizes.prompt, sizes.keys[-1]))
            states = tuple(like[0].new_zeros(1, like[0].shape[-1]) for _ in keys)
            rows = tuple(one.new_zeros(1, sizes.rows[-1], *one.shape[2:]) for one in like)
            start, last_row = (torch.zeros(1, dtype=torch.int64, device=device) for _ in range(2))
            self._place = _Place(rows, keys, states, start, last_row)

    @property
    def length(self) -> int:
        """Positions of a row."""
        return self.sizes.keys[-1]

    def bytes_with(self, streams: Sequence[RowStream]) -> int:
        """Memory of keys and values, and of the prompt; and what these streams have beyond their rows, or aside. Without what is public."""
        place = self._place
        caches = [*self.caches, *(place.keys if place else ()), *(stream.own_keys for stream in streams if stream.own_keys)]
        tensors = (*place.rows, *place.hidden_states, place.start, place.last_row) if place else ()
        aside = sum(stream.aside.bytes for stream in streams if isinstance(stream.aside, SavedRow))
        return sum(cache.bytes for cache in caches) + sum(tensor.nbytes for tensor in tensors) + aside

    def warm_up(self) -> None:
        """Capture the graphs of prompts. Nobody may have a row."""
        for n in self.sizes.rows if self._place else ():
            self._graphs.capture(("prefill", n), lambda n=n: self._prefill(n))

    # --- rows

    def activate(self, streams: Sequence[RowStream]) -> None:
        """Let these take part in what comes next."""
        rows = tuple(sorted(stream.own_row for stream in streams))
        if rows != self.active_rows:
            taking_part = torch.tensor([[row in rows] for row in range(self.width)])
            is_pinned = self.active.is_cuda
            self.active.copy_(taking_part.pin_memory() if is_pinned else taking_part, non_blocking=is_pinned)
            self.active_rows = rows

    def n_keys(self, streams: Sequence[RowStream]) -> int | tuple[int, ...]:
        """Positions that the next step of these streams reads: of all rows, or of each its own."""
        if self.fixed_shapes:
            return next(size for size in self.sizes.keys if size > max(stream.n_seen for stream in streams))
        lengths = {stream.row: stream.n_seen + 1 for stream in streams}
        return tuple(lengths.get(row, 0) for row in range(self.width))

    def row(self, index: int) -> Caches:
        """One of them, the same memory."""
        return tuple(cache.row(index) for cache in self.caches)

    def begin(self, row: int, n_seen: int) -> None:
        """Another stream has the row, which goes on behind so many positions."""
        self.position[row].fill_(n_seen)
        if self._watch.sums is not None and self._watch.begin(row) and self.fixed_shapes:
            for cache in self.row(row):
                cache.tensor.zero_()  # a mask hides numbers, and not NaN

    def empty(self, row: int) -> None:
        """Nobody has the row: else attention goes over all keys that its last stream has left there."""
        self.position[row].zero_()

    def saved(self, stream: RowStream, tensors: Sequence[Tensor]) -> SavedRow:
        """What belongs to the stream in its row: in these tensors, and its keys and values."""
        stream.look(stream.n_tokens)  # in the row that is still its own
        keys = None if stream.own_keys else saved_keys(self.row(stream.own_row), stream.n_seen)
        return SavedRow([tensor[stream.own_row].clone() for tensor in tensors], keys)

    def restore(self, stream: RowStream, tensors: Sequence[Tensor]) -> None:
        """Write what was saved, `aside`, to the row that the stream has now."""
        assert isinstance(stream.aside, SavedRow)
        torch._foreach_copy_(  # pyright: ignore[reportPrivateImportUsage]  # torch names it in no public stub
            [tensor[stream.own_row] for tensor in tensors], stream.aside.tensors
        )
        if stream.aside.keys is not None:
            restore_keys(self.row(stream.own_row), stream.aside.keys)

    # --- prompts

    def read(self, rows: Tensors, prefix: Tensors, caches: Caches) -> Tensors:
        """The last row's hidden states, (1, H), of rows behind a prefix; keys and values of both go to the caches, which have room.

        prefix: keys and values of what was read before, of every cache, () where nothing was. returns: valid until the next call.
        """
        n_before, n_rows = prefix[0].shape[4] if prefix else 0, rows[0].shape[1]
        if self._place is None or not self.sizes.has_room(n_before, n_rows):
            restore_keys(caches, prefix)
            return self._reader.read_last(rows, caches, n_before)
        states = self._read_in(self._place, rows, prefix, n_before)
        restore_keys(caches, tuple(cache.tensor[..., : n_before + n_rows, :] for cache in self._place.keys))
        return states

    def read_prefix(self, rows: Tensors) -> Tensors:
        """Keys and values of rows that begin with nothing, for `read`."""
        n_rows = rows[0].shape[1]
        if self._place is not None and self.sizes.has_room(0, n_rows):
            self._read_in(self._place, rows, (), 0)
            return saved_keys(self._place.keys, n_rows)
        caches = self._reader.new_caches(1, n_rows)
        self._reader.read_last(rows, caches, 0)
        return tuple(cache.tensor for cache in caches)

    def _read_in(self, place: _Place, rows: Tensors, prefix: Tensors, n_before: int) -> Tensors:
        if self._watch.sums is not None:  # a mask hides keys of other prompts, and not NaN, which only float16 leaves there
            for cache in place.keys:
                cache.tensor.zero_()
        restore_keys(place.keys, prefix)
        for part in zip(*(one.split(self.sizes.rows[-1], dim=1) for one in rows), strict=True):
            n_rows = part[0].shape[1]
            n_padded = self.sizes.padded(n_rows)
            for there, given in zip(place.rows, part, strict=True):
                there[:, :n_rows].copy_(given)
            place.start.fill_(n_before)
            place.last_row.fill_(n_rows - 1)
            self._graphs.run(("prefill", n_padded), lambda n=n_padded: self._prefill(n))
            n_before += n_rows
        return place.hidden_states

    def _prefill(self, n_rows: int) -> None:
        """The work itself, of so many rows: it reads and writes tensors of the place."""
        place = self._place
        assert place is not None
        states = self._reader.read(tuple(one[:, :n_rows] for one in place.rows), place.keys, place.start, place.keys[0].length)
        for there, made in zip(place.hidden_states, states, strict=True):
            there.copy_(made[0].index_select(0, place.last_row))


def saved_keys(caches: Caches, end: int) -> Tensors:
    """Copies of positions 0..end."""
    return tuple(cache.saved(0, end) for cache in caches)


def restore_keys(caches: Caches, saved: Tensors) -> None:
    """Write the first positions; nothing where () was saved."""
    for cache, tensor in zip(caches, saved, strict=bool(saved)):
        cache.restore(tensor)
