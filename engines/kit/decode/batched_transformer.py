"""BatchedTransformer: a BatchedDecoder with a large transformer that draws a frame's first code. The transformer reads one row of input per
frame. Its tensors stay where they are, so that graphs can hold them; streams are rows of them.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn

from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.nn.attention import KVCache
from engines.kit.nn.fusable import fuse
from engines.kit.nn.key_prefix import KeyPrefix
from engines.kit.nn.packed_linear import keeps_rows_apart
from engines.kit.nn.transformer import Decoder
from engines.kit.sampling.sampling import gumbel_noise

__all__ = ["BatchedTransformer", "DecoderNetworks"]

B = TypeVar("B", bound=RowStart)
S = TypeVar("S", bound=RowStream)


@dataclass(frozen=True)
class DecoderNetworks:
    """decoder: the large transformer, which has a row per frame. n_codebooks: Q. fusable: all networks that fused kernels may serve."""

    decoder: Decoder
    n_codebooks: int
    fusable: tuple[nn.Module, ...]


class BatchedTransformer(BatchedDecoder[B, S]):
    """A step makes one frame of every row that wants one: a row of input for the large transformer, whose hidden state gives the first
    code; then the others, and with them the next row of input.

    Rows that take no part are computed along and keep their state, so that shapes, and with them the rounding of every stream, are the same
    whoever else is there. Streams beyond the width take turns: their state is set aside and comes back as it was.
    fixed_shapes: pad prompts and keys to a few sizes, for graphs. Otherwise only what is there is computed, which suits a CPU.

    Whoever builds on it has rows of its own beside these, and says what a step feeds and draws (see the abstract methods).
    """

    KEY_SIZES = (512, 1024, 2048)  # positions that a captured step reads; the last is how long a row's keys and values are
    PROMPT_KEYS = 512  # positions of a prompt that is read in one place
    MOST_POSITIONS = 16384  # of a stream; one that outgrows its row goes on with keys and values of its own, outside of graphs
    MOST_READ_TOGETHER = 96  # rows of prompts on a CPU: beyond them a row costs the same however many there are (packed_linear.GROUPS)
    ROW_SIZES = (16, 32, 64, 128, 192, 256, 384)  # of a prompt to be read behind its prefix
    MOST_PENDING = 64  # frames whose codes are asked for at once
    RING = 2 * MOST_PENDING  # frames whose codes are remembered: those pending, and those made before anybody asked for them

    def __init__(self, networks: DecoderNetworks, graphs: Graphs, *, width: int, fixed_shapes: bool, host_lag_frames: int = 0):
        weight = networks.decoder.norm.weight
        super().__init__(width, host_lag_frames=host_lag_frames, device=weight.device, dtype=weight.dtype)
        self._decoder, self._graphs, self.fixed_shapes = networks.decoder, graphs, fixed_shapes
        self._fusable, self._kernels = networks.fusable, frozenset()
        self._dtype, hidden_size = weight.dtype, networks.decoder.config.attention.hidden_size
        self._each_row = torch.arange(width, device=weight.device)
        self._keys = networks.decoder.new_cache(width, self.KEY_SIZES[-1])
        self._hidden_state, self._row = self._zeros(width, hidden_size), self._zeros(width, 1, hidden_size)
        self._position, self._code = self._zeros(width, 1, dtype=torch.int64), self._zeros(width, dtype=torch.int64)
        self._seed, self._frame = self._zeros(width, 1, dtype=torch.int64), self._zeros(width, 1, dtype=torch.int64)
        self._ended = self._zeros(width, dtype=torch.bool)
        self._frame_codes = self._zeros(width, networks.n_codebooks, self.RING, dtype=torch.int64)
        # Of fixed shapes alone: a prompt is read in one place, whosever it is.
        self._prompt = self._zeros(1, self.ROW_SIZES[-1], hidden_size)
        self._prompt_keys = networks.decoder.new_cache(1, self.PROMPT_KEYS) if fixed_shapes else None
        self._prompt_state = self._zeros(1, hidden_size)
        self._start, self._last_row = self._zeros(1, dtype=torch.int64), self._zeros(1, dtype=torch.int64)

    def _zeros(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        return torch.zeros(*shape, dtype=dtype or self._dtype, device=self._active.device)

    @property
    def bytes(self) -> int:
        """Memory of keys and values, of all other tensors that stay, of streams that are set aside or have outgrown their rows."""
        streams = (*self._slots.seated, *self._slots.set_aside)
        held = [*vars(self).values(), *(stream.own_keys for stream in streams)]
        tensors = [*self.watch.tensors(), *(value for value in held if isinstance(value, Tensor))]
        for states, keys in (stream.aside for stream in self._slots.set_aside if stream.aside):
            tensors += [*states, *([] if keys is None else [keys])]
        return sum(value.bytes for value in held if isinstance(value, KVCache)) + sum(tensor.nbytes for tensor in tensors)

    # --- what whoever builds on it says

    @abstractmethod
    def _set(self, stream: S, stream_start: B) -> None:
        """Write what the beginning says of drawing, and of a stream before its first frame, to the stream's row; `_seed` too."""

    @abstractmethod
    def _input(self) -> Tensor:
        """What the large transformer reads next, (width, 1, H), of `_row` and the frame that each row is at."""

    @abstractmethod
    def _sample_first(self) -> None:
        """The first codes of the active rows' frames, from `_hidden_state`: `_code`, and whether it ends the speech, `_ended`."""

    @abstractmethod
    def _complete(self) -> None:
        """The other codes of the frame that each row is at, to `_frame_codes`, and the next `_row`. For a row that has them already they
        are the same again.
        """

    def _own_row_tensors(self) -> list[Tensor]:
        """What belongs to a stream in a row, beside what every BatchedTransformer has."""
        return []

    @torch.inference_mode()
    def read_prefix(self, rows: Tensor) -> KeyPrefix:
        """Keys and values of rows (1, T, H) that all texts in a voice begin with."""
        n_rows = rows.shape[1]
        if self._is_read_in_place(0, n_rows):
            self._clear_prompt()
            self._read_in_place(rows, 0)
            return KeyPrefix(self._prompt_keys.saved(0, n_rows))
        keys = self._decoder.new_cache(1, n_rows)
        self._decoder.prefill(rows, keys)
        return KeyPrefix(keys.tensor)

    # --- what a stream asks for

    @torch.inference_mode()
    def codes_of(self, stream: S, first: int, n_frames: int) -> Tensor:
        """Codes of frames first, first + 1, ..., (1, Q, n_frames) on the device, valid until the next call. At most MOST_PENDING frames."""
        ring, at = self._frame_codes[self._slots.seat(stream)][None], first % self.RING
        codes = ring[:, :, at : at + n_frames]
        if codes.shape[2] == n_frames:
            return codes
        return torch.cat([codes, ring[:, :, : n_frames - codes.shape[2]]], dim=2)

    @torch.inference_mode()
    def release(self, stream: S) -> None:
        """The stream is over or was dropped; what it had beyond its row is freed."""
        super().release(stream)
        stream.own_keys = None

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see fused/self_check.py), in all that is captured from now on."""
        self._kernels = frozenset(names)
        for network in self._fusable:
            fuse(network, names)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may have a row."""
        self._graphs.capture("first", self._sample_first)
        self._graphs.capture("complete", self._complete)
        if not self.fixed_shapes:
            self._talk((1,) * self.width)
            return
        for size in self.KEY_SIZES:
            self._graphs.capture(("step", size), lambda size=size: self._step(size))
        for n in self.ROW_SIZES:
            self._graphs.capture(("prefill", n), lambda n=n: self._prefill(n))

    # --- one stream's affairs

    def _alike(self, streams: Sequence[S]) -> Iterable[Sequence[S]]:
        """Few rows behind prefixes of one length: many are no sooner read together, and a decoder must keep them apart, which it does not
        with a lone one. Not by graphs: they are of one prompt, and soon over.
        """
        if len(streams) == 1 or self.fixed_shapes or not keeps_rows_apart(self._decoder):
            return super()._alike(streams)
        parties: list[list[S]] = []
        newest: dict[object, list[S]] = {}
        for index, stream in enumerate(streams):
            n_rows = stream.unread.rows.shape[1]
            shape = (stream.n_seen, n_rows) if n_rows > 1 and stream.n_seen <= self._keys.length else index
            if shape not in newest or (len(newest[shape]) + 1) * n_rows > self.MOST_READ_TOGETHER:
                newest[shape] = []
                parties.append(newest[shape])
            newest[shape].append(stream)
        return parties

    @torch.inference_mode()
    def _empty(self, row: int) -> None:
        """Else attention goes over all keys that its last stream has left there."""
        self._position[row].zero_()

    def _read(self, streams: Sequence[S]) -> None:
        for stream in streams:
            self._set(stream, stream.unread)
            for tensor in (self._frame, self._ended):
                tensor[stream.row].zero_()
            self._position[stream.row].fill_(stream.n_seen)
            if self.watch.begin(stream.row) and self.fixed_shapes:
                self._keys.row(stream.row).tensor.zero_()  # a mask hides numbers, and not NaN
        if len(streams) > 1:
            self._read_prompts(streams)
        else:
            self._read_prompt(streams[0], streams[0].unread)

    def _read_prompts(self, streams: Sequence[S]) -> None:
        """The same of several prompts of one shape, whose products then read the weights once for all."""
        beginnings = [stream.unread for stream in streams]
        keys = self._decoder.new_cache(len(beginnings), streams[0].n_seen)
        keys.restore(torch.cat([stream_start.prefix.keys_values for stream_start in beginnings], dim=2))
        rows = torch.cat([stream_start.rows for stream_start in beginnings])
        hidden_states = self._decoder.prefill(rows, keys, beginnings[0].prefix.n_rows)
        for index, stream in enumerate(streams):
            self._keys.row(stream.row).restore(keys.row(index).tensor)
            self._hidden_state[stream.row].copy_(hidden_states[index])

    def _read_prompt(self, stream: S, stream_start: B) -> None:
        """The prompt's rows behind its prefix; the last one's hidden state is the stream's."""
        n_prefix, n_rows = stream_start.prefix.n_rows, stream_start.rows.shape[1]
        if self._is_read_in_place(n_prefix, n_rows):
            self._clear_prompt()
            self._prompt_keys.restore(stream_start.prefix.keys_values)
            self._read_in_place(stream_start.rows, n_prefix)
            self._keys.row(stream.row).restore(self._prompt_keys.tensor[..., : stream.n_seen, :])
            self._hidden_state[stream.row].copy_(self._prompt_state[0])
            return
        keys = self._keys.row(stream.row) if stream.n_seen <= self._keys.length else self._outgrow(stream)
        keys.restore(stream_start.prefix.keys_values)
        self._hidden_state[stream.row].copy_(self._decoder.prefill(stream_start.rows, keys, n_prefix)[0])

    def _is_read_in_place(self, n_before: int, n_rows: int) -> bool:
        """Whether so many rows behind so many positions have room there, the last of them padded."""
        n_whole = n_rows - n_rows % self.ROW_SIZES[-1]
        n_padded = self._padded(n_rows - n_whole)
        return self.fixed_shapes and n_before + n_whole + n_padded <= min(self.PROMPT_KEYS, self._keys.length)

    def _padded(self, n_rows: int) -> int:
        return next(size for size in (0, *self.ROW_SIZES) if size >= n_rows)

    def _read_in_place(self, rows: Tensor, n_before: int) -> None:
        """Rows (1, T, H) behind so many positions of `_prompt_keys`; the last one's hidden state is `_prompt_state`."""
        for part in rows.split(self.ROW_SIZES[-1], dim=1):
            n_rows = part.shape[1]
            n_padded = self._padded(n_rows)
            self._prompt[:, :n_rows].copy_(part)
            self._start.fill_(n_before)
            self._last_row.fill_(n_rows - 1)
            self._graphs.run(("prefill", n_padded), lambda n=n_padded: self._prefill(n))
            n_before += n_rows

    def _clear_prompt(self) -> None:
        """A mask hides keys of other prompts, and not NaN, which only float16 leaves there."""
        if self.watch.sums is not None:
            self._prompt_keys.tensor.zero_()

    def _outgrow(self, stream: S) -> KVCache:
        """Keys and values of the stream's own with room for one position more at least, holding those that it had."""
        length = self.KEY_SIZES[-1]
        while length <= stream.n_seen:
            length *= 2
        had = stream.own_keys or self._keys.row(stream.row)
        stream.own_keys = self._decoder.new_cache(1, min(length, self.MOST_POSITIONS))
        stream.own_keys.restore(had.tensor[..., : stream.n_seen, :])
        return stream.own_keys

    def _saved(self, stream: S) -> tuple[list[Tensor], Tensor | None]:
        keys = None if stream.own_keys else self._keys.row(stream.row).saved(0, stream.n_seen)
        stream.look(stream.n_tokens)  # in the row that is still its own
        return [tensor[stream.row].clone() for tensor in self._row_tensors()], keys

    def _restore(self, stream: S) -> None:
        tensors, keys = stream.aside
        torch._foreach_copy_([tensor[stream.row] for tensor in self._row_tensors()], tensors)
        if keys is not None:
            self._keys.row(stream.row).restore(keys)

    def _row_tensors(self) -> list[Tensor]:
        """What belongs to the stream in a row; its keys and values are apart."""
        state = [self._hidden_state, self._row, self._position, self._code, self._seed, self._frame, self._ended, self._frame_codes]
        return [*state, *self.watch.tensors(), *self._own_row_tensors()]

    # --- steps of several

    def _draw_first(self, streams: Sequence[S]) -> None:
        if streams:
            self._activate(streams)
            self._graphs.run("first", self._sample_first)

    def _draw(self, streams: Sequence[S]) -> tuple[Tensor, bool]:
        """Feed back the frames just completed, and draw the first codes of the next ones."""
        for stream in streams:
            if stream.n_seen >= (stream.own_keys or self._keys).length:
                self._outgrow(stream)
        short, long = [stream for stream in streams if not stream.own_keys], [stream for stream in streams if stream.own_keys]
        if short:
            self._activate(short)
            if self.fixed_shapes:
                size = next(size for size in self.KEY_SIZES if size > max(stream.n_seen for stream in short))
                self._graphs.run(("step", size), lambda: self._step(size))
            else:
                lengths = {stream.row: stream.n_seen + 1 for stream in short}
                self._talk(tuple(lengths.get(row, 0) for row in range(self.width)))
        if long:
            self._activate(long)
            for stream in long:
                self._talk_alone(stream)
            self._graphs.run("first", self._sample_first)
        for stream in streams:
            stream.n_seen += 1
        return self._ended, self._completes_at_once and not long

    def _complete_tokens(self, streams: Sequence[S]) -> None:
        self._graphs.run("complete", self._complete)

    def _talk_alone(self, stream: S) -> None:
        """A step of a stream that has outgrown its row."""
        row = slice(stream.row, stream.row + 1)
        step = self._decoder.step(self._position[stream.row], stream.n_seen + 1, exact=True)
        self._hidden_state[row].copy_(self._decoder(self._input()[row], step, stream.own_keys)[:, -1])
        self._position[row].add_(1)
        self._frame[row].add_(1)

    # --- the work itself: reads and writes the batched decoder's tensors, knows no stream, waits for nothing

    def _prefill(self, n_rows: int) -> None:
        """The prompt's rows, the last of which may be padding, behind `_start` positions that are there already."""
        positions = self._start + torch.arange(n_rows, device=self._start.device)
        step = self._decoder.step(positions, self._prompt_keys.length)
        hidden_states = self._decoder(self._prompt[:, :n_rows], step, self._prompt_keys)
        self._prompt_state.copy_(hidden_states[0].index_select(0, self._last_row))

    def _step(self, n_keys: int) -> None:
        """A step of fixed shapes: as one graph where nobody looks at the end in between."""
        self._talk(n_keys)
        if self._completes_at_once:
            self._complete()

    @property
    def _completes_at_once(self) -> bool:
        return self.fixed_shapes and self.host_lag_frames > 0

    def _talk(self, n_keys: int | tuple[int, ...]) -> None:
        """One position more of the active rows, and the first codes that follow. n_keys: see Decoder.step; a row's own where exact."""
        n_active = self._active.long()
        positions = self._position.clamp(max=self._keys.length - 1)  # a row whose stream has outgrown it is only computed along
        if self.width == 1 and not isinstance(n_keys, int):
            step = self._decoder.step(positions[0], n_keys[0], exact=True)
        else:
            step = self._decoder.step(positions, n_keys)
        hidden_states = self._decoder(self._input(), step, self._keys)[:, -1]
        torch.where(self._active, hidden_states, self._hidden_state, out=self._hidden_state)
        self._position.add_(n_active)
        self._frame.add_(n_active)
        self._sample_first()

    def _noise(self, positions: Tensor) -> Tensor:
        """(width, N) float32, of each row's seed and frame. positions: (N,), see gumbel_noise."""
        return gumbel_noise(self._seed, self._frame, positions, fused="gumbel_noise" in self._kernels)

    def _remember(self, codes: Tensor) -> None:
        """Codes (width, Q) of the frame that each row is at."""
        codes = codes[..., None]
        self._frame_codes.scatter_(2, (self._frame % self.RING)[:, :, None].expand_as(codes), codes)
