"""What more rows cost, without a GPU: `python -m studio.measure.engines.width_rehearsal --engine ID --size SIZE --widths 8 16 32`.

Opens an engine that makes frames on a fake GPU, once for each width, has every row busy, and counts what a step of all of them takes, with
the codec of each; and what a newcomer waits for beside all others. The last line is JSON.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from engines.catalog import engine_sizes, open_random_engine
from engines.contract.contract import ChunkStream, Engine
from engines.contract.prompt import SpeakerPrompt
from engines.kit.gauges.fake_gpu import DEVICE, FakeGpu, fake_gpu
from studio.measure.engines.device_work import Milliseconds, milliseconds, watching
from studio.measure.engines.drawn_speech import drawn_speech_options, prompt_from
from studio.measure.engines.rehearsal import TEXT, WHOLE, WORDS, engine_parser, made_clip

__all__ = ["WidthWork", "rehearse_width"]

LONG_TEXT = " ".join([TEXT] * 4)  # so that no speech is over before the last has begun
STEADY_CHUNKS = 4  # until pieces have their largest size


@dataclass(frozen=True)
class WidthWork:
    """What a step of all rows costs, which makes a frame of each, with the audio of these frames.

    held_bytes: memory of networks and rows, all of them busy; what graphs keep is not known here. frame_seconds: audio of a frame.
    kernels, launches, bytes: of a step; launches are what the host starts one by one, graphs with them. milliseconds: least, by the
    roofline and with the starts of kernels, one after the other. beside: where the codec's graphs run at the same time, as the engine was
    opened. first_alone, first_beside: from the text to the first sound of a prepared voice, alone and with all other rows busy, with what
    of theirs came before it.
    """

    width: int
    held_bytes: int
    frame_seconds: float
    kernels: float
    launches: float
    bytes: int
    milliseconds: Milliseconds
    beside: Milliseconds
    first_alone: Milliseconds
    first_beside: Milliseconds

    @property
    def speech_per_second(self) -> dict[str, tuple[float, float]]:
        """Seconds of audio that all rows make in a second of each device, with the starts of kernels at best and at worst."""
        audio_ms = 1000 * self.frame_seconds * self.width
        return {device: (round(audio_ms / best, 1), round(audio_ms / worst, 1)) for device, (_, best, worst) in self.beside.items()}


def rehearse_width(open_engine: Callable[[], Engine]) -> WidthWork:
    """On DEVICE: warm up, learn a voice, speak alone and with every row busy. Raises ValueError for an engine that makes no frames."""
    with fake_gpu() as gpu, gpu.counting():
        engine = open_engine()
        if engine.info.streams in WHOLE:
            raise ValueError(f"{engine.info.title} speaks by the {engine.info.streams}: it has no step of all rows.")
        engine.warmup()
        prompt = prompt_from(engine, made_clip(), WORDS)
        engine.prepare(prompt)
        work = _of_all_rows(gpu, engine, prompt)
        engine.close()
    return work


def _of_all_rows(gpu: FakeGpu, engine: Engine, prompt: SpeakerPrompt) -> WidthWork:
    options = drawn_speech_options(engine)
    begun = lambda: engine.stream(LONG_TEXT, prompt, options)  # noqa: E731
    busy: list[ChunkStream] = []
    newcomer = begun()
    with watching(gpu) as alone:
        frame_samples = _until_heard(engine, newcomer, busy)
    newcomer.close()
    while len(busy) < engine.width - 1:  # one after another, so that their pieces of audio do not fall due together
        busy.append(begun())
        _round(engine, busy[-1], busy[:-1])
    for _ in range(STEADY_CHUNKS if busy else 0):
        _round(engine, busy[0], busy[1:])
    newcomer = begun()
    with watching(gpu) as beside:
        frame_samples = math.gcd(frame_samples, _until_heard(engine, newcomer, busy))
    list(engine.advance(busy))
    for _ in range(STEADY_CHUNKS):
        _round(engine, newcomer, busy)
    with watching(gpu) as steady:
        n_samples = _round(engine, newcomer, busy)
    held_bytes, frame_samples = engine.memory_bytes(), math.gcd(frame_samples, n_samples)
    for stream in (newcomer, *busy):
        stream.close()
    share = frame_samples / n_samples
    return WidthWork(
        width=engine.width,
        held_bytes=held_bytes,
        frame_seconds=frame_samples / engine.info.sample_rate,
        kernels=round((steady.in_graphs + steady.outside) * share, 1),
        launches=round(steady.launches * share, 1),
        bytes=round(steady.bytes * share),
        milliseconds=milliseconds(steady.work, steady.in_graphs + steady.outside, share=share),
        beside=steady.milliseconds_beside(share),
        first_alone=alone.milliseconds,
        first_beside=beside.milliseconds,
    )


def _round(engine: Engine, stream: ChunkStream, others: Sequence[ChunkStream]) -> int:
    """As _until_heard, and then the turn of the others, so that all have had as many."""
    n_samples = _until_heard(engine, stream, others)
    list(engine.advance(others))
    return n_samples


def _until_heard(engine: Engine, stream: ChunkStream, others: Sequence[ChunkStream]) -> int:
    """Turns of all, this stream's first in each, until there is sound of it: so many samples. Raises what it meets."""
    while True:
        (first,) = engine.advance([stream])
        if not isinstance(first, np.ndarray):
            raise first if isinstance(first, Exception) else RuntimeError("a stream ended while it was counted")
        if len(first):
            return len(first)
        if others:
            list(engine.advance(others))


def main() -> None:
    """Rehearse one engine, at one of its released sizes, at several widths."""
    parser = engine_parser(main.__doc__)
    parser.add_argument("--widths", type=int, nargs="+", default=[8, 16, 32])
    asked = parser.parse_args()
    size, works = asked.size or engine_sizes(asked.engine)[0], []
    for width in asked.widths:
        options = {"width": width, **asked.load_options}
        open_it = lambda: open_random_engine(asked.engine, size, device=DEVICE, dtype=asked.dtype, options=options)  # noqa: B023, E731
        works.append(rehearse_width(open_it))
        print(f"{works[-1]}, speech per second {works[-1].speech_per_second}", flush=True)
    for narrow, wide in pairwise(works):
        print(f"a row takes {(wide.held_bytes - narrow.held_bytes) / (wide.width - narrow.width):,.0f} bytes", flush=True)
    print(json.dumps({"engine": asked.engine, "size": size, "widths": [asdict(work) for work in works]}))


if __name__ == "__main__":
    main()
