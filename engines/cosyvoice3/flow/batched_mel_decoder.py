"""BatchedMelDecoder: turns speech tokens of all streams into mel frames, chunk by chunk, and mel frames into sound. No other code does."""

from collections.abc import Generator, Iterator
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from engines.cosyvoice3.flow.batched_vocoder import BatchedVocoder
from engines.cosyvoice3.flow.flow import Flow, frame_bytes
from engines.cosyvoice3.flow.flow_memory import FlowMemory, SavedFlow
from engines.cosyvoice3.flow.mel_stream import MelStream, MelVoice
from engines.cosyvoice3.flow.memory_rows import MemoryRows, RowRoom
from engines.cosyvoice3.flow.own_memories import OwnMemories
from engines.cosyvoice3.vocoder.vocoder import HiftVocoder
from engines.kit.decode.cuda_graphs import Graphs

__all__ = ["BatchedMelDecoder"]

MOST_CHUNKS = 4  # that are made at one go, of a voice or of tokens that are there


class _Memories(Protocol):
    """Where the flow network's memory of each stream is, and what makes frames there. most_frames: of a stream."""

    most_frames: int

    @property
    def bytes(self) -> int: ...

    def of(self, stream: MelStream) -> FlowMemory:
        """Of batch 1, valid until another stream is asked for."""
        ...

    def make(self, stream: MelStream, tokens: range) -> Iterator[np.ndarray]:
        """The frames of these tokens, which begin a chunk, to `stream.mel`; with yield points."""
        ...

    def release(self, stream: MelStream) -> None: ...

    def warm_up(self) -> None: ...


class BatchedMelDecoder:
    """Streams are independent of one another, and of how many of their tokens were there when: so a text is the same in any company.

    room: streams whose memory stays in one place, for graphs, and frames of each; where None, each has a memory of its own.
    width: how many there are at once. memory_dtype: of what attention remembers.
    """

    def __init__(
        self, flow: Flow, vocoder: HiftVocoder, graphs: Graphs, *, room: RowRoom | None, width: int, memory_dtype: torch.dtype
    ):  # fmt: skip
        self._config, self._memory_dtype = flow.config, memory_dtype
        self._memories: _Memories = OwnMemories(flow, memory_dtype) if room is None else MemoryRows(flow, graphs, room, memory_dtype)
        self._sound = BatchedVocoder(vocoder, graphs, fixed_shapes=room is not None)
        self.width = width if room is None else room.n_rows

    @property
    def bytes(self) -> int:
        """Memory of all that stays, and of streams under way."""
        return self._memories.bytes + self._sound.bytes

    def room(self, voice: MelVoice) -> int:
        """How many tokens can be spoken behind the voice."""
        return self._memories.most_frames // self._config.token_mel_ratio - len(voice.tokens)

    def voice_bytes(self, voice: MelVoice) -> int:
        """About what `saved_voice` takes: keys and values."""
        return voice.n_read * self._config.token_mel_ratio * frame_bytes(self._config, self._memory_dtype)

    def begin(self, voice: MelVoice) -> MelStream:
        """A stream that has not read its voice yet: `read_voice` or `restore_voice` comes first."""
        return MelStream(voice=voice, tokens=list(voice.tokens))

    def read_voice(self, stream: MelStream) -> Iterator[np.ndarray]:
        """Make the whole chunks of the voice, with yield points."""
        chunk_tokens, end = self._config.chunk_tokens, stream.voice.n_read
        while stream.n_made < end:
            first = stream.n_made
            yield from self._memories.make(stream, range(first, min(first + MOST_CHUNKS * chunk_tokens, end)))
        self._remember_voice(stream)

    @torch.inference_mode()
    def restore_voice(self, stream: MelStream, saved: SavedFlow) -> None:
        """Be where `read_voice` ends, by what `saved_voice` gave of another stream in that voice."""
        self._memories.of(stream).restore(saved)
        stream.n_made = stream.voice.n_read
        self._remember_voice(stream)

    @torch.inference_mode()
    def saved_voice(self, stream: MelStream) -> SavedFlow:
        """What `read_voice` has made."""
        assert stream.contexts is not None
        n_frames = stream.voice.n_read * self._config.token_mel_ratio
        return SavedFlow(self._memories.of(stream).saved(n_frames).keys_values, stream.contexts.clone())

    @torch.inference_mode()
    def restart(self, stream: MelStream) -> None:
        """Another text in the same voice, which is not read again."""
        assert stream.contexts is not None
        self._memories.of(stream).contexts.copy_(stream.contexts)
        stream.tokens, stream.has_all, stream.n_made, stream.n_pieces = list(stream.voice.tokens), False, stream.voice.n_read, 0
        stream.unheard = None
        self._sound.release(stream)

    def n_missing(self, stream: MelStream) -> int:
        """How many tokens more the stream must be given before the next chunk can be made; 0 where it can."""
        if stream.has_all:
            return 0
        end = stream.n_made + self._config.chunk_tokens
        return max(0, end + self._config.pre_lookahead_len - len(stream.tokens))

    def make(self, stream: MelStream) -> Generator[np.ndarray, None, Tensor]:
        """The sound of the next chunk, (T,) float32 on the device, or of several where their tokens are there; T may be 0.

        The first two pieces are one chunk each, the next has two at most, then MOST_CHUNKS: a larger one takes longer, and must be there
        before what is heard is over. Yields points where the stream can wait.
        """
        config, first = self._config, stream.n_made
        n_there = len(stream.tokens) if stream.has_all else len(stream.tokens) - config.pre_lookahead_len
        n_wanted = min(max(1, 1 << stream.n_pieces >> 1), MOST_CHUNKS) * config.chunk_tokens
        last = min(first + n_wanted, n_there)
        if last < len(stream.tokens) or not stream.has_all:
            last -= (last - first) % config.chunk_tokens
        yield from self._memories.make(stream, range(first, last))
        assert stream.mel is not None
        n_voice = max(0, len(stream.voice.tokens) - first)  # frames of the voice are made along, and not heard
        stream.n_pieces += 1
        is_last = stream.has_all and stream.n_made == len(stream.tokens)
        return self._sound.hear(stream, stream.mel[:, n_voice * config.token_mel_ratio :], is_last=is_last)

    def release(self, stream: MelStream) -> None:
        """The stream is over or was dropped. Idempotent."""
        self._memories.release(stream)
        self._sound.release(stream)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may be under way."""
        self._memories.warm_up()
        self._sound.warm_up()

    def _remember_voice(self, stream: MelStream) -> None:
        stream.contexts = self._memories.of(stream).contexts.clone()
