"""BatchedVocoder: turns mel frames of many streams into sound. Each stream continues its own earlier sound."""

from collections.abc import Iterable

import torch
from torch import Tensor

from engines.cosyvoice3.flow.mel_stream import MelStream
from engines.cosyvoice3.vocoder.vocoder import HiftVocoder, VocoderState
from engines.kit.decode.cuda_graphs import Graphs

__all__ = ["BatchedVocoder"]

FIRST_FRAMES = 20  # that a stream begins with, where there are as many: those of its first tokens
PIECE_FRAMES = (50, 16, 8, 4, 2, 1)  # that are decoded at one go where shapes are fixed: a chunk, and any others
MOST_LAST_FRAMES = 16  # that are decoded with the end, elsewhere


class BatchedVocoder:
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
        """The sound that these frames (1, F, mel_dim) complete, (T,) float32, T >= 0, where the vocoder is; all that is left if is_last."""
        mel = mel.to(self._mel.device)
        mel = mel if stream.unheard is None else torch.cat([stream.unheard, mel], dim=1)
        stream.unheard, n_ahead, sound = None, self._vocoder.lookahead_frames, []
        if stream.vocoder is None:
            if mel.shape[1] < n_ahead and not is_last:
                stream.unheard = mel.clone()
                return mel.new_zeros(0)
            if mel.shape[1] <= n_ahead:
                return self._vocoder.whole(mel)[0] if mel.shape[1] else mel.new_zeros(0)
            n_first = FIRST_FRAMES if mel.shape[1] >= FIRST_FRAMES else n_ahead
            sound.append(self._begun(stream, mel[:, :n_first]))
            mel = mel[:, n_first:]
        n_last = min(mel.shape[1], MOST_LAST_FRAMES) if is_last and not self._fixed_shapes else 0
        n_before = mel.shape[1] - n_last
        if n_before:
            sound.append(self._decoded(stream, mel[:, :n_before]))
        if is_last:
            sound.append(self._ended(stream, mel[:, n_before:]))
        return torch.cat(sound, dim=1)[0] if sound else mel.new_zeros(0)

    def release(self, stream: MelStream) -> None:
        """Nothing was heard of the stream, or nothing more will be. Idempotent."""
        if self._state_of is stream:
            self._state_of = None
        stream.vocoder = None

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold."""
        for n in (FIRST_FRAMES, self._vocoder.lookahead_frames) if self._fixed_shapes else (FIRST_FRAMES,):
            self._graphs.capture(("begin", n), lambda n=n: self._begin(n))
        for n in PIECE_FRAMES if self._fixed_shapes else PIECE_FRAMES[-1:]:
            self._graphs.capture(("sound", n), lambda n=n: self._decode(n))
        self._graphs.capture("finish", self._finish)

    def _begun(self, stream: MelStream, mel: Tensor) -> Tensor:
        if not self._fixed_shapes:
            audio, stream.vocoder = self._vocoder.begin(mel, self._before)
            return audio
        self._set_aside()
        n_frames = mel.shape[1]
        self._mel[:, :n_frames].copy_(mel)
        self._graphs.run(("begin", n_frames), lambda: self._begin(n_frames))
        self._state_of, stream.vocoder = stream, self._before  # to be told from a stream that has not begun
        return self._audio[:, : (n_frames - self._vocoder.lookahead_frames) * self._vocoder.config.frame_samples].clone()

    def _decoded(self, stream: MelStream, mel: Tensor) -> Tensor:
        if not self._fixed_shapes:
            audio, stream.vocoder = self._vocoder.decode(mel, _begun_state(stream))
            return audio
        self._lend(stream)
        audio, done = [], 0
        for n in _pieces(mel.shape[1]):
            self._mel[:, :n].copy_(mel[:, done : done + n])
            self._graphs.run(("sound", n), lambda n=n: self._decode(n))
            audio.append(self._audio[:, : n * self._vocoder.config.frame_samples].clone())
            done += n
        return torch.cat(audio, dim=1)

    def _ended(self, stream: MelStream, mel: Tensor) -> Tensor:
        """mel: (1, F, mel_dim), the last frames; none where shapes are fixed."""
        if not self._fixed_shapes:
            return self._vocoder.finish(_begun_state(stream), mel)
        self._lend(stream)
        self._graphs.run("finish", self._finish)
        return self._audio[:, : self._vocoder.lookahead_frames * self._vocoder.config.frame_samples].clone()

    def _lend(self, stream: MelStream) -> None:
        """Have the static state be the stream's."""
        if self._state_of is not stream:
            self._set_aside()
            self._state.copy_(_begun_state(stream))
            self._state_of = stream

    def _set_aside(self) -> None:
        if self._state_of is not None:
            self._state_of.vocoder, self._state_of = self._state.copy(), None

    # --- the work itself: reads and writes the batched decoder's tensors, knows no stream, waits for nothing

    def _begin(self, n_frames: int) -> None:
        samples, state = self._vocoder.begin(self._mel[:, :n_frames], self._before)
        self._state.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)

    def _decode(self, n_frames: int) -> None:
        samples, state = self._vocoder.decode(self._mel[:, :n_frames], self._state)
        self._state.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)

    def _finish(self) -> None:
        samples = self._vocoder.finish(self._state)
        self._audio[:, : samples.shape[1]].copy_(samples)


def _begun_state(stream: MelStream) -> VocoderState:
    assert stream.vocoder is not None
    return stream.vocoder


def _pieces(n_frames: int) -> Iterable[int]:
    for size in PIECE_FRAMES:
        while n_frames >= size:
            yield size
            n_frames -= size
