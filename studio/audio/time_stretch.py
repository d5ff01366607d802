"""TimeStretch: makes speech faster or slower in the same pitch, piece by piece. It is for engines that know one pace only.

FFmpeg's `atempo` (WSOLA: overlapping windows of about 45 ms, laid where they match best) does the work. Around it: pieces of one size, so
that the same sound gives the same samples however it was cut; an exact length; and no end that stays behind in the filter.
"""

from collections.abc import Generator, Iterator
from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from engines.contract.contract import ChunkStream, HeardOut
from engines.contract.options import Option
from engines.contract.speech_end import SpeechEnd
from studio.errors import NoAudio

if TYPE_CHECKING:
    from av import AudioFrame

__all__ = ["SPEED", "TimeStretcher", "at_speed", "with_speed"]

SPEED = Option("speed", "float", 1.0, "Speaking rate; the pitch stays.", minimum=0.25, maximum=4.0, unit="x")
BLOCK_SECONDS = Fraction(1, 100)
# Bounds of one `atempo`: below 0.5 it refuses, above 2 it skips samples instead of blending them (FFmpeg's manual, "atempo", which says
# to chain two). Two of the square root reach 0.25 to 4.
LEAST_TEMPO, MOST_TEMPO = 0.5, 2.0


def with_speed(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """An engine's options as the studio offers them: the same where the engine has a speed of its own, else SPEED as well."""
    return options if any(option.name == SPEED.name for option in options) else (*options, SPEED)


def at_speed(chunks: ChunkStream, sample_rate: int, speed: float) -> ChunkStream:
    """Chunks (T,) float32 at another speed, T = 0 where there is nothing to hear yet. At 1 `chunks` itself, a generator.

    Closing what comes back closes `chunks`; it returns their SpeechEnd. Raises what `chunks` raises, and NoAudio.
    """
    return chunks if speed == 1.0 else _stretched(chunks, TimeStretcher(sample_rate, speed))


class TimeStretcher:
    """Chunks (T,) float32 in, chunks (T',) out, T' sometimes 0; `finish` gives the rest. N samples become round(N / speed), at least one.

    speed: within SPEED; 2 is twice as fast. About 50 ms of what went in are held back (to a speed of 2), 200 ms at 4.
    """

    def __init__(self, sample_rate: int, speed: float):
        self._speed = speed
        self._sample_rate = sample_rate
        self._block_samples = int(sample_rate * BLOCK_SECONDS)
        self._waiting = np.zeros(0, np.float32)  # less than a block
        self._made = np.zeros(0, np.float32)  # and not handed out
        self._n_in = self._n_pushed = self._n_out = 0
        self._source, self._sink, self._graph = _filter_graph(sample_rate, speed)

    def push(self, chunk: np.ndarray) -> np.ndarray:
        """chunk: (T,) float32. Raises NoAudio for what is no number."""
        if not np.isfinite(chunk).all():
            raise NoAudio(detail="its samples are not numbers", sentence="sound_not_finite")
        self._n_in += len(chunk)
        self._filter(chunk)
        return self._hand_out(round(self._n_in / self._speed))

    def finish(self) -> np.ndarray:
        """The rest. Silence pushes it out of the filter, which would keep up to 130 ms for itself at its own end."""
        wanted = max(1, round(self._n_in / self._speed)) if self._n_in else 0
        while self._n_out + len(self._made) < wanted:
            self._filter(np.zeros(self._block_samples, np.float32))
        return self._hand_out(wanted)

    def _hand_out(self, until: int) -> np.ndarray:
        """What is made, but no more than `until` samples in all: there is no taking back at the end."""
        samples, self._made = np.split(self._made, [max(0, until - self._n_out)])
        self._n_out += len(samples)
        return samples

    def _filter(self, chunk: np.ndarray) -> None:
        waiting = np.concatenate([self._waiting, chunk])
        n_whole = len(waiting) // self._block_samples * self._block_samples
        for start in range(0, n_whole, self._block_samples):
            self._source.push(self._frame(waiting[start : start + self._block_samples]))
        self._waiting = waiting[n_whole:]
        self._made = np.concatenate([self._made, *self._pull()])

    def _frame(self, block: np.ndarray):
        import av

        frame = av.AudioFrame.from_ndarray(block[None], format="flt", layout="mono")
        frame.sample_rate = self._sample_rate
        frame.time_base = Fraction(1, self._sample_rate)
        frame.pts = self._n_pushed
        self._n_pushed += len(block)
        return frame

    def _pull(self) -> Iterator[np.ndarray]:
        while True:
            try:
                yield cast("AudioFrame", self._sink.pull()).to_ndarray()[0]
            except BlockingIOError:  # it wants more first
                return


def _stretched(chunks: ChunkStream, stretcher: TimeStretcher) -> Generator[np.ndarray, None, SpeechEnd]:
    heard_out = HeardOut(chunks)
    with closing(chunks):
        for chunk in heard_out:
            yield stretcher.push(chunk)
    samples = stretcher.finish()
    if len(samples):
        yield samples
    return heard_out.end


def _filter_graph(sample_rate: int, speed: float):
    """(source, sink, their graph)."""
    import av.filter

    tempi = [speed] if LEAST_TEMPO <= speed <= MOST_TEMPO else [speed**0.5] * 2
    graph = av.filter.Graph()
    source = graph.add_abuffer(sample_rate=sample_rate, format="flt", layout="mono", time_base=Fraction(1, sample_rate))
    last = source
    for tempo in tempi:
        last.link_to(following := graph.add("atempo", f"{tempo:.9f}"))
        last = following
    sink = graph.add("abuffersink")
    last.link_to(sink)
    graph.configure()
    return source, sink, graph
