"""MemoryRows: memories of the flow network that stay where they are, one row per stream. CUDA graphs hold steps of several streams."""

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from engines.contract.contract import YIELD_POINT
from engines.cosyvoice3.flow.flow import MOST_FRAMES, Flow
from engines.cosyvoice3.flow.flow_memory import FlowMemory, SavedFlow
from engines.cosyvoice3.flow.mel_stream import MelStream
from engines.cosyvoice3.flow.pre_lookahead import NO_TOKEN, TOKENS_BEFORE, token_window
from engines.kit.decode.batched_decoder import DecodeSlots
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.nn import batch_check
from engines.kit.nn.ieee_float32 import tensor_float32

__all__ = ["KEY_FRAMES", "MemoryRows", "RowRoom"]

KEY_FRAMES = (512, 1024, 2048, 3072)  # that a captured step reads; the last is how long a row is: a voice of 30 s, and 31 s of speech
CHUNKS_AT_ONCE = (4, 2, 1)
ROWS_AT_ONCE = (1, 2, 4, 8)


class RowRoom(NamedTuple):
    """n_frames: one of KEY_FRAMES, how long each row is."""

    n_rows: int
    n_frames: int


class MemoryRows:
    """A step makes a chunk of every stream that wants one, where a check finds that each gets the same bits as alone; otherwise they take
    turns. Streams beyond the rows are set aside in the host's memory, see DecodeSlots: one takes gigabytes.
    """

    def __init__(self, flow: Flow, graphs: Graphs, room: RowRoom, memory_dtype: torch.dtype):
        config, most_tokens = flow.config, CHUNKS_AT_ONCE[0] * flow.config.chunk_tokens
        self._flow, self._graphs, self._ratio = flow, graphs, config.token_mel_ratio
        self._slots: DecodeSlots[MelStream] = DecodeSlots(room.n_rows, save=self._saved, restore=self._restore)
        self._memory_dtype = memory_dtype
        self.most_frames = room.n_frames
        self._key_frames = tuple(n_keys for n_keys in KEY_FRAMES if n_keys <= room.n_frames)
        self._shared = {n_keys: {1} for n_keys in self._key_frames}  # numbers of rows that may be made at once, by positions that are read
        self._wanted: dict[MelStream, range] = {}  # whose tokens wait for a step

        def zeros(*shape: int, dtype: torch.dtype = flow.dtype) -> Tensor:
            return torch.zeros(room.n_rows, *shape, dtype=dtype, device=flow.device)

        # What a step reads and makes, whosever it is: tokens, where its frames begin and how many there are, in which row of the memory.
        self._windows = zeros(TOKENS_BEFORE + most_tokens + config.pre_lookahead_len, dtype=torch.int64)
        self._starts, self._counts, self._rows = (zeros(dtype=torch.int64) for _ in range(3))
        self._speakers, self._known = zeros(config.mel_dim), zeros(most_tokens * self._ratio, config.mel_dim)
        self._mel = torch.zeros_like(self._known)

    @cached_property
    def _memory(self) -> FlowMemory:
        """Made by `warm_up`, or by the first who speaks: what is there when a page of ZeroGPU is launched is written to its disk."""
        with torch.inference_mode(False):
            return self._flow.new_memory(self._slots.width, self.most_frames, self._memory_dtype)

    @property
    def bytes(self) -> int:
        """On the device: of the rows, and of all tensors that stay."""
        tensors = [value for value in vars(self).values() if isinstance(value, Tensor)]
        rows = self._memory.bytes if "_memory" in vars(self) else 0
        return rows + sum(tensor.nbytes for tensor in tensors)

    def of(self, stream: MelStream) -> FlowMemory:
        """The row of the stream, the same memory."""
        is_new = stream.row is None and stream not in self._slots.set_aside
        row = self._memory.row(self._slots.seat(stream))
        if is_new:
            row.forget()
            if self._memory_dtype == torch.float16:  # a mask hides what the last stream left, and not NaN
                row.keys_values.zero_()
        return row

    def make(self, stream: MelStream, tokens: range) -> Iterator[np.ndarray]:
        """The frames of these tokens to `stream.mel`; with a yield point, after which those of others may be there too."""
        chunk_tokens, parts = self._flow.config.chunk_tokens, []
        for first, last in _steps(tokens, chunk_tokens):
            self._wanted[stream] = range(first, last)
            stream.wants = True
            yield YIELD_POINT
            if stream.wants:
                self._advance(stream)
            parts.append(stream.mel)
        stream.mel = parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    def release(self, stream: MelStream) -> None:
        self._slots.release(stream)
        self._wanted.pop(stream, None)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may have a row."""
        self._memory.forget()  # so that no capture makes it
        for n_keys in self._key_frames:
            for n_chunks in CHUNKS_AT_ONCE:
                self._graphs.capture(("mel", 1, n_chunks, n_keys), partial(self._step, 1, n_chunks, n_keys))
            for n in (n for n in ROWS_AT_ONCE[1:] if n <= self._slots.width):
                if batch_check.is_exact(partial(self._made, n_keys), torch.arange(n, device=self._rows.device)):
                    self._shared[n_keys].add(n)
                    self._graphs.capture(("mel", n, 1, n_keys), partial(self._step, n, 1, n_keys))
        self._memory.forget()

    # --- steps

    @torch.inference_mode()
    def _advance(self, stream: MelStream) -> None:
        self.of(stream)
        together, n_chunks = [stream], -(-len(self._wanted[stream]) // self._flow.config.chunk_tokens)
        if n_chunks == 1:
            others = [one for one in self._slots.together(stream) if one is not stream and self._is_one_chunk(one)]
            others = [one for one in others if self._n_keys(one) == self._n_keys(stream)]
            together += others[: max(self._shared[self._n_keys(stream)]) - 1]
        n_keys = self._n_keys(stream)
        n_rows = min(n for n in self._shared[n_keys] if n >= len(together))
        self._lay_out(together, n_rows)
        self._graphs.run(("mel", n_rows, n_chunks, n_keys), partial(self._step, n_rows, n_chunks, n_keys))
        for index, one in enumerate(together):
            made = self._wanted.pop(one)
            one.mel, one.n_made, one.wants = self._mel[index : index + 1, : len(made) * self._ratio].clone(), made.stop, False

    def _n_keys(self, stream: MelStream) -> int:
        """Positions that its step reads."""
        return next(n for n in self._key_frames if n >= self._wanted[stream].stop * self._ratio)

    def _is_one_chunk(self, stream: MelStream) -> bool:
        return len(self._wanted[stream]) <= self._flow.config.chunk_tokens

    def _lay_out(self, streams: Sequence[MelStream], n_rows: int) -> None:
        """Write what the step reads. Rows beyond the streams are others of the memory, which take no part."""
        config, n_window = self._flow.config, self._windows.shape[1]
        spans = [self._wanted[one] for one in streams]
        idle = [row for row in range(self._slots.width) if row not in {one.row for one in streams}][: n_rows - len(streams)]
        windows = [token_window(one.tokens, span, config.pre_lookahead_len) for one, span in zip(streams, spans, strict=True)]
        windows += [[] for _ in idle]
        self._windows[:n_rows] = torch.tensor([window + [NO_TOKEN] * (n_window - len(window)) for window in windows])
        self._rows[:n_rows] = torch.tensor([*(one.row for one in streams), *idle])
        self._starts[:n_rows] = torch.tensor([*(span.start * self._ratio for span in spans), *(0 for _ in idle)])
        self._counts[:n_rows] = torch.tensor([*(len(span) * self._ratio for span in spans), *(0 for _ in idle)])
        self._known[:n_rows].zero_()
        for index, (one, span) in enumerate(zip(streams, spans, strict=True)):
            self._speakers[index].copy_(one.voice.speaker[0])
            told = one.voice.mel[0, span.start * self._ratio : span.stop * self._ratio]
            self._known[index, : len(told)].copy_(told)

    def _made(self, n_keys: int, rows: Tensor) -> Tensor:
        """The first chunk of as many streams that differ, for the check: (n, F, mel_dim)."""
        n, config = len(rows), self._flow.config
        self._memory.forget()
        self._windows[:n] = (rows[:, None] * 7 + torch.arange(self._windows.shape[1], device=rows.device) * 3) % config.vocab_size
        self._rows[:n], self._starts[:n], self._counts[:n] = rows, 0, config.chunk_frames
        self._speakers[:n] = (rows[:, None] + 1) / 10
        self._known[:n] = 0
        self._step(n, 1, n_keys)
        return self._mel[:n, : config.chunk_frames].clone()

    def _step(self, n_rows: int, n_chunks: int, n_keys: int) -> None:
        """The work itself: reads and writes tensors that stay, knows no stream, waits for nothing."""
        config, flow = self._flow.config, self._flow
        n_tokens, n_frames = n_chunks * config.chunk_tokens, n_chunks * config.chunk_frames
        windows = self._windows[:n_rows, : TOKENS_BEFORE + n_tokens + config.pre_lookahead_len]
        starts, counts = self._starts[:n_rows], self._counts[:n_rows]
        frames = (starts[:, None] + torch.arange(n_frames, device=starts.device)).clamp(max=MOST_FRAMES - 1)
        rows = None if self._slots.width == 1 else self._rows[:n_rows]
        step = flow.steps.padded((starts, counts), (n_frames, n_keys), self._memory, rows)
        inputs = flow.noise[frames], flow.token_rows(windows), self._known[:n_rows, :n_frames]
        with tensor_float32():
            self._mel[:n_rows, :n_frames] = flow(inputs, self._speakers[:n_rows], self._memory, step)

    # --- turns

    def _saved(self, stream: MelStream) -> SavedFlow:
        saved = self._memory.row(stream.own_row).saved(stream.n_made * self._ratio)
        return SavedFlow(*(tensor.cpu() for tensor in saved))

    def _restore(self, stream: MelStream) -> None:
        assert isinstance(stream.aside, SavedFlow)
        self._memory.row(stream.own_row).restore(stream.aside)


def _steps(tokens: range, chunk_tokens: int) -> Iterator[tuple[int, int]]:
    """Tokens in as few steps as there are sizes for; the last may be shorter than its size."""
    first = tokens.start
    for n_chunks in CHUNKS_AT_ONCE:
        size = n_chunks * chunk_tokens
        while tokens.stop - first >= size or (n_chunks == 1 and tokens.stop > first):
            last = min(first + size, tokens.stop)
            yield first, last
            first = last
