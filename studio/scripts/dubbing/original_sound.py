"""The video's own sound under the speech: decoded block after block, and turned down, for all of the video or while somebody speaks."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import numpy as np

from studio.scripts.dubbing.video import open_video

__all__ = ["DuckingCurve", "OriginalSound"]

# Turned down before somebody speaks, and up again afterwards; broadcasters' ducking has about these times. Our choice.
DOWN_SECONDS, UP_SECONDS = 0.2, 0.5


class OriginalSound(AbstractContextManager):
    """Samples from the beginning of the video on, at one rate. A context; by one thread."""

    def __init__(self, path: Path, sample_rate: int):
        """Raises VideoUnreadable. The video has a sound."""
        import av

        self._held = ExitStack()
        video = self._held.enter_context(open_video(path))
        self._stream = video.streams.audio[0]
        self.n_channels = min(2, self._stream.channels)
        layout = "stereo" if self.n_channels == 2 else "mono"
        self._resampler = av.AudioResampler(format="fltp", layout=layout, rate=sample_rate)
        self._rate = sample_rate
        self._begins = (video.start_time or 0) / 1e6
        self._blocks = self._decoded(video)
        self._waiting = np.zeros((self.n_channels, 0), np.float32)
        self._n_decoded = 0

    def __exit__(self, *raised: object) -> None:
        self._held.close()

    def take(self, n_samples: int) -> np.ndarray:
        """The next (C, n_samples) float32; silence behind its end."""
        while self._waiting.shape[1] < n_samples:
            block = next(self._blocks, None)
            if block is None:
                block = np.zeros((self.n_channels, n_samples - self._waiting.shape[1]), np.float32)
            self._waiting = np.concatenate([self._waiting, block], axis=1)
        taken, self._waiting = self._waiting[:, :n_samples], self._waiting[:, n_samples:]
        return taken

    def _decoded(self, video) -> Iterator[np.ndarray]:
        """Where the sound begins later than the picture, or has a hole, there is silence; what begins earlier is left out."""
        import av.error

        try:
            for frame in video.decode(self._stream):
                at = round((float(frame.pts * frame.time_base) - self._begins) * self._rate) if frame.pts is not None else None
                for converted in self._resampler.resample(frame):
                    yield from self._in_place(converted.to_ndarray(), at)
                    at = None
        except av.error.FFmpegError:  # damaged from here on: the picture is whole, and what was heard so far stays
            return

    def _in_place(self, samples: np.ndarray, at: int | None) -> Iterator[np.ndarray]:
        """at: where they belong, None directly behind those before. Clocks of containers count milliseconds: less is no hole."""
        late = 0 if at is None else at - self._n_decoded
        if late > self._rate // 20:
            self._n_decoded += late
            yield np.zeros((self.n_channels, late), np.float32)
        elif self._n_decoded == 0 and late < 0:
            samples = samples[:, -late:]
        self._n_decoded += samples.shape[1]
        yield samples


class DuckingCurve:
    """The gain of the original sound over time: `db` while somebody speaks, 0 dB else."""

    def __init__(self, spoken: Sequence[tuple[float, float]], db: float):
        """spoken: (start, end) seconds, by their starts. Pauses in which it could not come up are spoken through."""
        times, gains = [0.0], [0.0]
        for start, end in _merged(spoken):
            times += [max(times[-1], start - DOWN_SECONDS), start, end, end + UP_SECONDS]
            gains += [0.0, db, db, 0.0]
        if spoken and spoken[0][0] <= 0:
            gains[:2] = [db, db]
        self._times, self._gains = np.array(times), np.array(gains)

    def gains(self, first: int, n_samples: int, sample_rate: int) -> np.ndarray:
        """(n_samples,) float32, linear, from sample `first` on."""
        seconds = (first + np.arange(n_samples)) / sample_rate
        return (10 ** (np.interp(seconds, self._times, self._gains) / 20)).astype(np.float32)


def _merged(spoken: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    begin, end = None, 0.0
    for start, stop in spoken:
        if begin is not None and start - end > DOWN_SECONDS + UP_SECONDS:
            yield begin, end
            begin = None
        begin, end = (start, stop) if begin is None else (begin, max(end, stop))
    if begin is not None:
        yield begin, end
