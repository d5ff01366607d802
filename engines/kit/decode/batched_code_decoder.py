"""BatchedCodeDecoder: a BatchedTransformer with a small transformer for a frame's other codes, and a codec that makes audio of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from engines.kit.codec.stream_state import StreamState
from engines.kit.decode.batched_transformer import BatchedTransformer, DecoderNetworks
from engines.kit.decode.code_stream import CodeStart, CodeStream
from engines.kit.decode.cuda_graphs import Graphs

__all__ = ["BatchedCodeDecoder", "BatchedNetworks"]

B = TypeVar("B", bound=CodeStart)
S = TypeVar("S", bound=CodeStream)


class _Codec(Protocol):
    frame_samples: int

    def initial_state(self, batch: int) -> StreamState: ...

    def decode(self, codes: Tensor, state: StreamState) -> tuple[Tensor, StreamState]: ...


@dataclass(frozen=True)
class BatchedNetworks(DecoderNetworks):
    """codec: codes (B, Q, F) to audio, piece by piece, at most MOST_PENDING frames of them."""

    codec: _Codec


class BatchedCodeDecoder(BatchedTransformer[B, S]):
    """A step makes one frame of every row that wants one: a row of input for the large transformer, whose hidden state gives the first
    code; then the others, and with them the next row of input.

    fixed_shapes: audio too is made in a few sizes, in one place, whosever it is.
    """

    PIECE_SIZES = (8, 4, 2, 1)  # frames that the codec decodes at one go where shapes are fixed

    def __init__(self, networks: BatchedNetworks, graphs: Graphs, *, width: int, fixed_shapes: bool, host_lag_frames: int = 0):
        super().__init__(networks, graphs, width=width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        self._audio_decoder = networks.codec
        self._piece_codes = self._zeros(1, networks.n_codebooks, self.PIECE_SIZES[0], dtype=torch.int64)
        self._codec, self._codec_of = networks.codec.initial_state(1), None
        self._audio = self._zeros(1, self.PIECE_SIZES[0] * networks.codec.frame_samples, dtype=torch.float32)

    @property
    def bytes(self) -> int:
        """Memory of the rows and of all that belongs to streams, the codec's states among it."""
        streams = (*self._slots.seated, *self._slots.set_aside)
        codecs = sum(state.n_bytes for state in {id(stream.codec): stream.codec for stream in streams}.values()) + self._codec.n_bytes
        return super().bytes + codecs

    @torch.inference_mode()
    def decode(self, stream: S, first: int, n_frames: int) -> Tensor:
        """The audio of frames first, first + 1, ..., (T,) float32 on the device; pieces follow one another. At most MOST_PENDING frames."""
        codes = self.codes_of(stream, first, n_frames)
        if not self.fixed_shapes:
            samples, stream.codec = self._audio_decoder.decode(codes, stream.codec)
            return samples[0]
        self._lend_codec(stream)
        audio, done = [], 0
        for n in self._pieces(n_frames):
            self._piece_codes[:, :, :n].copy_(codes[:, :, done : done + n])
            self._graphs.run(("decode", n), lambda n=n: self._decode(n))
            audio.append(self._audio[:, : n * self._audio_decoder.frame_samples].clone())
            done += n
        return torch.cat(audio, dim=1)[0]

    @torch.inference_mode()
    def release(self, stream: S) -> None:
        super().release(stream)
        if self._codec_of is stream:
            self._codec_of = None

    @torch.inference_mode()
    def warm_up(self) -> None:
        for n in self.PIECE_SIZES if self.fixed_shapes else self.PIECE_SIZES[-1:]:
            self._graphs.capture(("decode", n), lambda n=n: self._decode(n))
        super().warm_up()

    def _lend_codec(self, stream: S) -> None:
        """Have the codec's static state be the stream's."""
        if self._codec_of is stream:
            return
        if self._codec_of is not None:
            self._codec_of.codec = self._codec.copy()
        self._codec.copy_(stream.codec)
        self._codec_of = stream

    def _pieces(self, n_frames: int) -> Iterable[int]:
        for size in self.PIECE_SIZES:
            while n_frames >= size:
                yield size
                n_frames -= size

    def _decode(self, n_frames: int) -> None:
        samples, state = self._audio_decoder.decode(self._piece_codes[:, :, :n_frames], self._codec)
        self._codec.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)
