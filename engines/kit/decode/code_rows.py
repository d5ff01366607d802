"""CodeRows: rows of a BatchedDecoder whose large transformer reads a row of input per frame, and draws the frame's first code. An engine
says what a row of input is and how codes are drawn. Tensors stay where they are, so that graphs can hold them; streams are rows of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, Generic, Self, TypeVar, cast

import torch
from torch import Tensor, nn

from engines.kit.decode.batched_decoder import BatchedDecoder, PieceCodes
from engines.kit.decode.codec_pieces import CodecPieces, FrameCodec
from engines.kit.decode.cuda_graphs import BesideGraphs, Graphs
from engines.kit.decode.key_rows import Caches, KeyRows, KeySizes, Tensors, restore_keys
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.nn.attention import KVCache
from engines.kit.nn.fusable import fuse
from engines.kit.nn.key_prefix import KeyPrefix
from engines.kit.nn.packed_linear import keeps_rows_apart
from engines.kit.nn.transformer import Decoder
from engines.kit.sampling.sampling import gumbel_noise

__all__ = ["CodeNetworks", "CodeRows", "DecoderReader"]

B = TypeVar("B", bound=RowStart)
S = TypeVar("S", bound=RowStream)


@dataclass(frozen=True)
class CodeNetworks:
    """decoder: the large transformer, which has a row per frame. n_codebooks: Q. fusable: all networks that fused kernels may serve.

    codec: codes to audio, piece by piece; None where codes are heard in another way.
    """

    decoder: Decoder
    n_codebooks: int
    fusable: tuple[nn.Module, ...]
    codec: FrameCodec | None = None


@dataclass(frozen=True)
class DecoderReader:
    """A RowReader of the one transformer, whose rows are (B, T, H)."""

    decoder: Decoder

    def new_caches(self, batch: int, length: int) -> Caches:
        return (self.decoder.new_cache(batch, length),)

    def read(self, rows: Tensors, caches: Caches, start: Tensor, n_keys: int) -> Tensors:
        positions = start + torch.arange(rows[0].shape[1], device=start.device)
        return (self.decoder(rows[0], self.decoder.step(positions, n_keys), caches[0]),)

    def read_last(self, rows: Tensors, caches: Caches, start: int) -> Tensors:
        return (self.decoder.prefill(rows[0], caches[0], start),)


class CodeRows(ABC, Generic[B, S]):
    """DecoderRows, where a step makes one frame of every row that wants one: a row of input for the large transformer, whose hidden state
    gives the first code; then the others, and with them the next row of input.

    Rows that take no part are computed along and keep their state, so that shapes, and with them the rounding of every stream, are the same
    whoever else is there. Streams beyond the width take turns: their state is set aside and comes back as it was.
    fixed_shapes: pad prompts and keys to a few sizes, for graphs, and make audio in a few, in one place. Otherwise only what is there is
    computed, which suits a CPU.
    codec_graphs: of the codec; those of Graphs.beside have it make audio at the same time as the next frame.

    An engine has rows of its own beside these, and says what a step feeds and draws (see the abstract methods).
    """

    KEY_SIZES: ClassVar[tuple[int, ...]] = (512, 1024, 2048)  # positions that a captured step reads; the last is how long a row is
    PROMPT_KEYS: ClassVar[int] = 512  # positions of a prompt that is read in one place
    MOST_POSITIONS: ClassVar[int] = 16384  # of a stream; one that outgrows its row goes on with keys of its own, outside of graphs
    MOST_READ_TOGETHER = 96  # rows of prompts on a CPU: beyond them a row costs the same however many there are (packed_linear.GROUPS)
    ROW_SIZES: ClassVar[tuple[int, ...]] = (16, 32, 64, 128, 192, 256, 384)  # of a prompt to be read behind its prefix
    MOST_PENDING = 64  # frames whose codes are asked for at once
    RING = 2 * MOST_PENDING  # frames whose codes are remembered: those pending, and those made before anybody asked for them
    PIECE_SIZES: ClassVar[tuple[int, ...]] = (8, 4, 2, 1)  # frames that the codec decodes at one go where shapes are fixed

    end_is_predicted = False
    late_samples = 0

    def __init__(
        self, networks: CodeNetworks, graphs: Graphs, codec_graphs: Graphs | None = None,
        *, width: int, fixed_shapes: bool, host_lag_frames: int = 0,
    ):  # fmt: skip
        weight = networks.decoder.norm.weight
        self.width, self.fixed_shapes, self.host_lag_frames = width, fixed_shapes, host_lag_frames
        self.watch = OverflowWatch(width, weight.dtype, weight.device)
        self.see = self.watch.see if self.watch.sums is not None else _as_it_is
        self._decoder, self._graphs = networks.decoder, graphs
        self._fusable, self._kernels = networks.fusable, frozenset[str]()
        self._like, hidden_size = weight.new_zeros(0), networks.decoder.config.attention.hidden_size
        self._each_row = torch.arange(width, device=weight.device)
        self._hidden_state, self._row = self._zeros(width, hidden_size), self._zeros(width, 1, hidden_size)
        self._code = self._zeros(width, dtype=torch.int64)
        self._seed, self._frame = self._zeros(width, 1, dtype=torch.int64), self._zeros(width, 1, dtype=torch.int64)
        self._ended = self._zeros(width, dtype=torch.bool)
        self._frame_codes = self._zeros(width, networks.n_codebooks, self.RING, dtype=torch.int64)
        sizes = KeySizes(self.KEY_SIZES, self.ROW_SIZES, self.PROMPT_KEYS, most_rows=self.PROMPT_KEYS)
        self._keys = KeyRows(DecoderReader(networks.decoder), graphs, sizes, self.watch, like=(self._row,), fixed_shapes=fixed_shapes)
        self._active, self._position = self._keys.active, self._keys.position
        self.audio_beside = codec_graphs if isinstance(codec_graphs, BesideGraphs) else None
        self._pieces: CodecPieces | None = None
        if networks.codec is not None:
            like = self._frame_codes[:1, :, :1]
            self._pieces = CodecPieces(networks.codec, codec_graphs or graphs, self.PIECE_SIZES, fixed_shapes=fixed_shapes, like=like)

    def _zeros(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        return self._like.new_zeros(*shape, dtype=dtype)

    def bytes_with(self, streams: Sequence[S]) -> int:
        """See DecoderRows."""
        held = self._keys.bytes_with(streams) + (self._pieces.bytes_with(streams) if self._pieces else 0)
        held += sum(stream.piece.codes.nbytes for stream in streams if stream.piece)
        tensors = [value for value in vars(self).values() if isinstance(value, Tensor)]
        return held + sum(tensor.nbytes for tensor in (*tensors, *self.watch.tensors()))

    # --- what an engine says

    @abstractmethod
    def _set(self, stream: S, stream_start: B) -> None:
        """Write what the beginning says of drawing, and of a stream before its first frame, to the stream's row; `_seed` too."""

    @abstractmethod
    def _sample_first(self) -> None:
        """The first codes of the active rows' frames, from `_hidden_state`: `_code`, and whether it ends the speech, `_ended`."""

    @abstractmethod
    def _complete(self) -> None:
        """The other codes of the frame that each row is at, to `_frame_codes`, and the next `_row`. For a row that has them already they
        are the same again.
        """

    def _input(self) -> Tensor:
        """What the large transformer reads next, (width, 1, H), of `_row` and the frame that each row is at."""
        return self._row

    def _own_row_tensors(self) -> list[Tensor]:
        """What belongs to a stream in a row, beside what all CodeRows have."""
        return []

    # --- what a stream asks for

    @classmethod
    def of(cls, batched_decoder: BatchedDecoder[B, S]) -> Self:
        """The decoder's rows, of this kind."""
        assert isinstance(batched_decoder.rows, cls)
        return batched_decoder.rows

    @torch.inference_mode()
    def read_prefix(self, rows: Tensor) -> KeyPrefix:
        """Keys and values of rows (1, T, H) that all texts in a voice begin with."""
        (keys_values,) = self._keys.read_prefix((rows,))
        return KeyPrefix(keys_values)

    def codes_of(self, stream: S, first: int, n_frames: int) -> Tensor:
        """See DecoderRows. At most MOST_PENDING frames."""
        if stream.piece is not None and stream.piece.frames == range(first, first + n_frames):
            return stream.piece.codes
        ring, at = self._frame_codes[stream.own_row][None], first % self.RING
        codes = ring[:, :, at : at + n_frames]
        if codes.shape[2] == n_frames:
            return codes
        return torch.cat([codes, ring[:, :, : n_frames - codes.shape[2]]], dim=2)

    def decode(self, stream: S, first: int, n_frames: int) -> Tensor:
        """See DecoderRows. At most MOST_PENDING frames."""
        assert self._pieces is not None
        return self._pieces.decode(stream, self.codes_of(stream, first, n_frames))

    def piece_of(self, stream: S, frames: range) -> PieceCodes:
        """See DecoderRows. Steps that follow may write the ring again, and give the row to another stream."""
        assert self.audio_beside is not None
        codes, state = self.codes_of(stream, frames.start, len(frames)).clone(), stream.codec
        self.audio_beside.keep([codes, *(state.tensors if state and not frames.start else ())])  # its first state is not the codec's own
        return PieceCodes(frames, codes, self.audio_beside.done(), self.watch.copy(stream.own_row))

    def release(self, stream: S, row: int | None) -> None:
        """See DecoderRows; what the stream had beyond its row is freed."""
        stream.own_keys = None
        if row is not None:
            self._keys.empty(row)
        if self._pieces:
            self._pieces.release(stream)

    def rest(self, stream: S) -> Tensor:
        """See DecoderRows: nothing comes late."""
        return self._like

    def use_kernels(self, names: Set[str]) -> None:
        """See DecoderRows."""
        self._kernels = frozenset(names)
        for network in self._fusable:
            fuse(network, names)

    def warm_up(self) -> None:
        """See DecoderRows."""
        if self._pieces:
            self._pieces.warm_up()
        self._graphs.capture("first", self._sample_first)
        self._graphs.capture("complete", self._complete)
        if not self.fixed_shapes:
            self._talk((1,) * self.width)
            return
        for size in self.KEY_SIZES:
            self._graphs.capture(("step", size), lambda size=size: self._step(size))
        self._keys.warm_up()

    # --- one stream's affairs

    def new_stream(self, stream_start: B, most_frames: int) -> S:
        """See DecoderRows. An engine whose streams hold more has its own."""
        return cast("S", RowStream(n_seen=stream_start.n_rows, most_frames=most_frames, codec=stream_start.codec))

    def take_text(self, stream: S) -> None:
        """See DecoderRows: all of it is there."""

    def alike(self, streams: Sequence[S]) -> Iterable[Sequence[S]]:
        """Few rows behind prefixes of one length: many are no sooner read together, and a decoder must keep them apart, which it does not
        with a lone one. Not by graphs: they are of one prompt, and soon over.
        """
        if len(streams) == 1 or self.fixed_shapes or not keeps_rows_apart(self._decoder):
            return [[stream] for stream in streams]
        parties: list[list[S]] = []
        newest: dict[object, list[S]] = {}
        for index, stream in enumerate(streams):
            n_rows = self._start_of(stream).rows.shape[1]
            shape = (stream.n_seen, n_rows) if n_rows > 1 and stream.n_seen <= self._keys.length else index
            if shape not in newest or (len(newest[shape]) + 1) * n_rows > self.MOST_READ_TOGETHER:
                newest[shape] = []
                parties.append(newest[shape])
            newest[shape].append(stream)
        return parties

    def read(self, streams: Sequence[S]) -> None:
        """See DecoderRows."""
        for stream in streams:
            self._set(stream, self._start_of(stream))
            for tensor in (self._frame, self._ended):
                tensor[stream.own_row].zero_()
            self._keys.begin(stream.own_row, stream.n_seen)
        if len(streams) > 1:
            self._read_prompts(streams)
            return
        (stream,), stream_start = streams, self._start_of(streams[0])
        caches = self._keys.row(stream.own_row) if stream.n_seen <= self._keys.length else self._outgrow(stream)
        (hidden_state,) = self._keys.read((stream_start.rows,), (stream_start.prefix.keys_values,), caches)
        self._hidden_state[stream.own_row].copy_(hidden_state[0])

    def _read_prompts(self, streams: Sequence[S]) -> None:
        """The same of several prompts of one shape, whose products then read the weights once for all."""
        beginnings = [self._start_of(stream) for stream in streams]
        keys = self._decoder.new_cache(len(beginnings), streams[0].n_seen)
        keys.restore(torch.cat([stream_start.prefix.keys_values for stream_start in beginnings], dim=2))
        rows = torch.cat([stream_start.rows for stream_start in beginnings])
        hidden_states = self._decoder.prefill(rows, keys, beginnings[0].prefix.n_rows)
        for index, stream in enumerate(streams):
            restore_keys(self._keys.row(stream.own_row), (keys.row(index).tensor,))
            self._hidden_state[stream.own_row].copy_(hidden_states[index])

    def _start_of(self, stream: S) -> B:
        return cast("B", stream.unread)

    def _outgrow(self, stream: S) -> Caches:
        """Keys and values of the stream's own with room for one position more at least, holding those that it had."""
        length = self.KEY_SIZES[-1]
        while length <= stream.n_seen:
            length *= 2
        had = (stream.own_keys,) if stream.own_keys else self._keys.row(stream.own_row)
        stream.own_keys = self._decoder.new_cache(1, min(length, self.MOST_POSITIONS))
        restore_keys((stream.own_keys,), tuple(cache.tensor[..., : stream.n_seen, :] for cache in had))
        return (stream.own_keys,)

    def saved(self, stream: S) -> object:
        """See DecoderRows."""
        return self._keys.saved(stream, self._row_tensors())

    def restore(self, stream: S) -> None:
        """See DecoderRows."""
        self._keys.restore(stream, self._row_tensors())

    def _row_tensors(self) -> list[Tensor]:
        """What belongs to the stream in a row; its keys and values are apart."""
        state = [self._hidden_state, self._row, self._position, self._code, self._seed, self._frame, self._ended, self._frame_codes]
        return [*state, *self.watch.tensors(), *self._own_row_tensors()]

    # --- steps of several

    def draw_first(self, streams: Sequence[S]) -> None:
        """See DecoderRows."""
        if streams:
            self._keys.activate(streams)
            self._graphs.run("first", self._sample_first)

    def draw(self, streams: Sequence[S]) -> tuple[Tensor, bool]:
        """Feed back the frames just completed, and draw the first codes of the next ones."""
        for stream in streams:
            if stream.n_seen >= (stream.own_keys or self._keys).length:
                self._outgrow(stream)
        short, long = [stream for stream in streams if not stream.own_keys], [stream for stream in streams if stream.own_keys]
        if short:
            self._keys.activate(short)
            n_keys = self._keys.n_keys(short)
            self._graphs.run(("step", n_keys), lambda: self._step(n_keys))
        if long:
            self._keys.activate(long)
            for stream in long:
                self._talk_alone(stream, stream.own_keys)
            self._graphs.run("first", self._sample_first)
        for stream in streams:
            stream.n_seen += 1
        return self._ended, self._completes_at_once and not long

    def complete(self, streams: Sequence[S]) -> None:
        """See DecoderRows."""
        self._graphs.run("complete", self._complete)

    def _talk_alone(self, stream: S, keys: KVCache | None) -> None:
        """A step of a stream that has outgrown its row."""
        row = slice(stream.own_row, stream.own_row + 1)
        step = self._decoder.step(self._position[stream.own_row], stream.n_seen + 1, exact=True)
        self._hidden_state[row].copy_(self._decoder(self._input()[row], step, keys)[:, -1])
        self._position[row].add_(1)
        self._frame[row].add_(1)

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _step(self, n_keys: int | tuple[int, ...]) -> None:
        """A step of fixed shapes: as one graph where nobody looks at the end in between."""
        self._talk(n_keys)
        if self._completes_at_once:
            self._complete()

    @property
    def _completes_at_once(self) -> bool:
        return self.fixed_shapes and self.host_lag_frames > 0

    def _talk(self, n_keys: int | tuple[int, ...]) -> None:
        """One position more of the active rows, and the first codes that follow. n_keys: see Decoder.step; a row's own where exact."""
        n_active, (keys,) = self._active.long(), self._keys.caches
        positions = self._position.clamp(max=keys.length - 1)  # a row whose stream has outgrown it is only computed along
        if self.width == 1 and not isinstance(n_keys, int):
            step = self._decoder.step(positions[0], n_keys[0], exact=True)
        else:
            step = self._decoder.step(positions, n_keys)
        hidden_states = self._decoder(self._input(), step, keys)[:, -1]
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


def _as_it_is(values: Tensor) -> Tensor:
    return values
