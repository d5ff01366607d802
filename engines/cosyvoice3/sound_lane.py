"""SoundLane: mel frames of many streams to sound, each behind what was heard of it before."""

from collections.abc import Iterable

import torch
from torch import Tensor

from engines.cosyvoice3.mel_stream import MelStream
from engines.cosyvoice3.vocoder import HiftVocoder
from engines.layers.cuda_graphs import Graphs

__all__ = ["SoundLane"]

PIECE_FRAMES = (50, 15, 8, 4, 2, 1)  # that are decoded at one go where shapes are fixed: a chunk, what is heard first, and any others


class SoundLane:
    """fixed_shapes: in one place, whosever they are, in a few sizes, for graphs."""

    def __init__(self, vocoder: HiftVocoder, graphs: Graphs, *, fixed_shapes: bool):
        self._vocoder, self._graphs, self._fixed_shapes = vocoder, graphs, fixed_shapes
        config, like = vocoder.config, vocoder.initial_state(1)
        self._state, self._state_of, self._before = like, None, like.copy()
        self._mel = like.mel.new_zeros(1, max(PIECE_FRAMES[0], vocoder.lookahead_frames), config.in_channels)
        self._audio = like.mel.new_zeros(1, self._mel.shape[1] * config.frame_samples)

    @property
    def bytes(self) -> int:
        return 2 * self._state.n_bytes + self._mel.nbytes + self._audio.nbytes

    @torch.inference_mode()
    def hear(self, stream: MelStream, mel: Tensor, *, is_last: bool) -> Tensor:
        """The sound that these frames (1, F, mel_dim) complete, (T,) float32 on the device, T >= 0; all that is left where is_last."""
        mel = mel if stream.unheard is None else torch.cat([stream.unheard, mel], dim=1)
        stream.unheard, n_ahead = None, self._vocoder.lookahead_frames
        if stream.vocoder is None:
            if mel.shape[1] < n_ahead and not is_last:
                stream.unheard = mel.clone()
                return mel.new_zeros(0)
            if mel.shape[1] <= n_ahead:
                return self._vocoder.whole(mel)[0] if mel.shape[1] else mel.new_zeros(0)
            self._begin(stream, mel[:, :n_ahead])
            mel = mel[:, n_ahead:]
        sound = [self._decoded(stream, mel)] if mel.shape[1] else []
        if is_last:
            sound.append(self._ended(stream))
        return torch.cat(sound, dim=1)[0] if sound else mel.new_zeros(0)

    def release(self, stream: MelStream) -> None:
        """Nothing was heard of the stream, or nothing more will be. Idempotent."""
        if self._state_of is stream:
            self._state_of = None
        stream.vocoder = None

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold."""
        self._graphs.capture("prime", self._prime)
        for n in PIECE_FRAMES if self._fixed_shapes else PIECE_FRAMES[-1:]:
            self._graphs.capture(("sound", n), lambda n=n: self._decode(n))
        self._graphs.capture("finish", self._finish)

    def _begin(self, stream: MelStream, mel: Tensor) -> None:
        if not self._fixed_shapes:
            stream.vocoder = self._vocoder.prime(mel, self._before)
            return
        self._set_aside()
        self._mel[:, : mel.shape[1]].copy_(mel)
        self._graphs.run("prime", self._prime)
        self._state_of, stream.vocoder = stream, self._before  # to be told from a stream that has not begun

    def _decoded(self, stream: MelStream, mel: Tensor) -> Tensor:
        if not self._fixed_shapes:
            audio, stream.vocoder = self._vocoder.decode(mel, stream.vocoder)
            return audio
        self._lend(stream)
        audio, done = [], 0
        for n in _pieces(mel.shape[1]):
            self._mel[:, :n].copy_(mel[:, done : done + n])
            self._graphs.run(("sound", n), lambda n=n: self._decode(n))
            audio.append(self._audio[:, : n * self._vocoder.config.frame_samples].clone())
            done += n
        return torch.cat(audio, dim=1)

    def _ended(self, stream: MelStream) -> Tensor:
        if not self._fixed_shapes:
            return self._vocoder.finish(stream.vocoder)
        self._lend(stream)
        self._graphs.run("finish", self._finish)
        return self._audio[:, : self._vocoder.lookahead_frames * self._vocoder.config.frame_samples].clone()

    def _lend(self, stream: MelStream) -> None:
        """Have the static state be the stream's."""
        if self._state_of is not stream:
            self._set_aside()
            self._state.copy_(stream.vocoder)
            self._state_of = stream

    def _set_aside(self) -> None:
        if self._state_of is not None:
            self._state_of.vocoder, self._state_of = self._state.copy(), None

    # --- the work itself: reads and writes the lane's tensors, knows no stream, waits for nothing

    def _prime(self) -> None:
        self._state.copy_(self._vocoder.prime(self._mel[:, : self._vocoder.lookahead_frames], self._before))

    def _decode(self, n_frames: int) -> None:
        samples, state = self._vocoder.decode(self._mel[:, :n_frames], self._state)
        self._state.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)

    def _finish(self) -> None:
        samples = self._vocoder.finish(self._state)
        self._audio[:, : samples.shape[1]].copy_(samples)


def _pieces(n_frames: int) -> Iterable[int]:
    for size in PIECE_FRAMES:
        while n_frames >= size:
            yield size
            n_frames -= size
