"""CodecPieces: audio of frames of codes, piece by piece, by a codec that goes on where each stream's last piece ended."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from engines.kit.codec.stream_state import StreamState
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.row_stream import RowStream

__all__ = ["CodecPieces", "FrameCodec"]


class FrameCodec(Protocol):
    """Codes (B, Q, F) to audio (B, F * frame_samples). Its state is of a form of its own, which it alone knows."""

    frame_samples: int

    def initial_state(self, batch: int) -> Any: ...

    def decode(self, codes: Tensor, state: Any, /) -> tuple[Tensor, Any]: ...


class CodecPieces:
    """fixed_shapes: audio is made in a few sizes, in one place, whosever it is, for graphs. like: codes (1, Q, 1) on the device.

    sizes: frames that are decoded at one go there, the largest first.
    """

    def __init__(self, codec: FrameCodec, graphs: Graphs, sizes: Sequence[int], *, fixed_shapes: bool, like: Tensor):
        self._codec, self._graphs, self._sizes, self._fixed_shapes = codec, graphs, sizes, fixed_shapes
        self._codes = like.new_zeros(1, like.shape[1], sizes[0])
        self._state: StreamState = codec.initial_state(1)
        self._state_of: RowStream | None = None
        self._audio = like.new_zeros(1, sizes[0] * codec.frame_samples, dtype=torch.float32)

    def bytes_with(self, streams: Sequence[RowStream]) -> int:
        """Memory of the place, and of the states of these streams, some of which may be the same."""
        states = {id(stream.codec): stream.codec for stream in streams if stream.codec is not None}
        own = self._codes.nbytes + self._audio.nbytes + self._state.n_bytes
        return own + sum(state.n_bytes for state in states.values())

    def decode(self, stream: RowStream, codes: Tensor) -> Tensor:
        """The audio of the stream's next frames, codes (1, Q, F): (T,) float32 on the device."""
        if not self._fixed_shapes:
            samples, stream.codec = self._codec.decode(codes, stream.codec)
            return samples[0]
        self._lend(stream)
        audio, done = [], 0
        for n in self._pieces(codes.shape[2]):
            self._codes[:, :, :n].copy_(codes[:, :, done : done + n])
            self._graphs.run(("decode", n), lambda n=n: self._decode(n))
            audio.append(self._audio[:, : n * self._codec.frame_samples].clone())
            done += n
        return torch.cat(audio, dim=1)[0]

    def release(self, stream: RowStream) -> None:
        """Nothing more will be heard of the stream. Idempotent."""
        if self._state_of is stream:
            self._state_of = None

    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold."""
        for n in self._sizes if self._fixed_shapes else self._sizes[-1:]:
            self._graphs.capture(("decode", n), lambda n=n: self._decode(n))

    def _lend(self, stream: RowStream) -> None:
        """Have the codec's static state be the stream's."""
        if self._state_of is stream:
            return
        if self._state_of is not None:
            self._state_of.codec = self._state.copy()
        assert stream.codec is not None
        self._state.copy_(stream.codec)
        self._state_of = stream

    def _pieces(self, n_frames: int) -> Iterable[int]:
        for size in self._sizes:
            while n_frames >= size:
                yield size
                n_frames -= size

    def _decode(self, n_frames: int) -> None:
        samples, state = self._codec.decode(self._codes[:, :, :n_frames], self._state)
        self._state.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)
