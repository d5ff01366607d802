"""OwnMemories: one memory of the flow network per stream, as large as the stream needs.
For the host's memory, where no graph is captured.
"""

from collections.abc import Iterator
from weakref import WeakSet

import numpy as np
import torch

from engines.contract.contract import YIELD_POINT
from engines.cosyvoice3.flow.flow import MOST_FRAMES, Flow
from engines.cosyvoice3.flow.flow_memory import FlowMemory
from engines.cosyvoice3.flow.mel_stream import MelStream
from engines.cosyvoice3.flow.pre_lookahead import token_window

__all__ = ["OwnMemories"]

LEAST_FRAMES = 1024  # of a memory, beside the voice: 20 s of speech. What is not written takes no memory yet


class OwnMemories:
    """A step can be left between any two of its Euler steps."""

    most_frames = MOST_FRAMES

    def __init__(self, flow: Flow, memory_dtype: torch.dtype):
        self._flow, self._dtype = flow, memory_dtype
        self._streams: WeakSet[MelStream] = WeakSet()

    @property
    def bytes(self) -> int:
        """Of what streams have written so far."""
        memories = [(stream.memory, stream.n_made * self._flow.config.token_mel_ratio) for stream in self._streams if stream.memory]
        return sum(memory.contexts.nbytes + memory.keys_values.nbytes * end // memory.length for memory, end in memories)

    @torch.inference_mode()
    def of(self, stream: MelStream, n_frames: int = 0) -> FlowMemory:
        """n_frames: that it has room for, at least."""
        if stream.memory is None:
            stream.memory = self._flow.new_memory(1, min(stream.voice.mel.shape[1] + LEAST_FRAMES, MOST_FRAMES), self._dtype)
            self._streams.add(stream)
        if n_frames > stream.memory.length:
            had, end = stream.memory, stream.n_made * self._flow.config.token_mel_ratio
            stream.memory = self._flow.new_memory(1, min(max(n_frames, 2 * had.length), MOST_FRAMES), self._dtype)
            stream.memory.keep(had, end)
        return stream.memory

    def make(self, stream: MelStream, tokens: range) -> Iterator[np.ndarray]:
        """The frames of these tokens to `stream.mel`, with a yield point before each Euler step but the first."""
        config, flow = self._flow.config, self._flow
        frames = range(tokens.start * config.token_mel_ratio, tokens.stop * config.token_mel_ratio)
        with torch.inference_mode():
            memory = self.of(stream, frames.stop)
            window = torch.tensor([token_window(stream.tokens, tokens, config.pre_lookahead_len)], device=flow.device)
            known = flow.noise.new_zeros(1, len(frames), config.mel_dim)
            told = stream.voice.mel[:, frames.start : frames.stop]
            known[:, : told.shape[1]] = told
            inputs = flow.noise[None, frames.start : frames.stop], flow.token_rows(window), known
            path = flow.path(inputs, stream.voice.speaker, memory, flow.steps.whole(frames, memory))
            stream.mel = next(path)
        while True:
            yield YIELD_POINT
            with torch.inference_mode():
                moved = next(path, None)
            if moved is None:
                break
            stream.mel = moved
        stream.n_made = tokens.stop

    def release(self, stream: MelStream) -> None:
        stream.memory = None

    def warm_up(self) -> None:
        """Nothing is captured."""
