"""Rehearsal of a GPU's work without a GPU: `python -m studio.measure.engines.rehearsal --engine ID --size SIZE`.

Opens the engine on a fake GPU (engines/kit/gauges/fake_gpu.py), lets it warm up, learn a voice and speak, and counts: kernels per frame in
graphs and outside of them, copies, bytes, and the least time that a GPU would need for them. The last line is JSON.
"""

import argparse
import contextlib
import itertools
import json
import math
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from engines.catalog import engine_ids, engine_sizes, open_random_engine
from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine
from engines.contract.prompt import SpeakerPrompt
from engines.kit.gauges.fake_gpu import DEVICE, FakeGpu, fake_gpu
from engines.kit.gauges.launch_counter import site
from studio.measure.engines.device_work import Milliseconds, milliseconds, said, watching
from studio.measure.engines.drawn_speech import drawn_speech_options, prompt_from
from studio.measure.engines.sentence_rehearsal import SentenceRehearsal, rehearse_sentences

__all__ = ["TEXT", "WHOLE", "WORDS", "Rehearsal", "RehearsalFailed", "engine_parser", "made_clip", "rehearse"]

CLIP_SECONDS, CLIP_RATE = 5.0, 24_000
WORDS = Transcript("and then the voice of a man was heard", "en")
TEXT = "A sentence that is to be spoken now by the voice of somebody else, and then it goes on for a while, please."
STEADY_CHUNKS = 3  # until pieces have their largest size, or nearly
WHOLE = ("sentence", "chunk")  # units that are made as a whole, by several kinds of graphs: there is no frame that costs its share


class RehearsalFailed(Exception):
    """The engine would fail or stall on a GPU: what it did, and where."""


@dataclass(frozen=True)
class Rehearsal:
    """What a step costs, which makes a frame of every row of the engine. A frame is the least piece of audio that the engine hands out.

    streams, frame_seconds: rows, and audio of a frame. kernels_per_frame: inside of graphs, the codec's share with them.
    launches_outside_per_frame: graphs, single kernels and copies that the host starts one by one. launches_at_a_new_voice: to read a prompt
    that is not prepared, and the first frame. copies_in_capture: must be 0. bytes_per_frame: read and written by kernels. graphs: kernels
    of each. milliseconds: least per frame by the roofline (engines/kit/gauges/roofline.py), and with the starts of kernels at best and at
    worst. first_audio_milliseconds: the same from the text to the first frame of a voice that is prepared, its launches outside of graphs
    taken for kernels.
    """

    streams: int
    frame_seconds: float
    kernels_per_frame: float
    launches_outside_per_frame: float
    launches_at_a_new_voice: int
    copies_in_capture: int
    bytes_per_frame: float
    graphs: dict[str, int]
    milliseconds: Milliseconds
    first_audio_milliseconds: Milliseconds


def rehearse(open_engine: Callable[[], Engine], *, watches_order: bool = True) -> Rehearsal | SentenceRehearsal:
    """The whole way on a fake GPU: open on DEVICE, warm up, learn a clip, prepare, speak, with others and alone. Raises RehearsalFailed.

    watches_order: whether races between streams of the device are looked for too, which takes half as long again.
    """
    with fake_gpu() as gpu, gpu.order if watches_order else contextlib.nullcontext(), gpu.counting():  # which refuses what mixes devices
        with _told("opening"):
            engine = open_engine()
        with _told("warming up"):
            engine.warmup()
        _check_captures(gpu)
        with _told("learning a voice"):
            prompt = prompt_from(engine, made_clip(), WORDS)
            engine.prepare(prompt)
            prompts = [prompt, replace(prompt, source_digest=f"{prompt.source_digest} of another")]  # which was not prepared
        with _told("speaking"):
            figures = (rehearse_sentences if engine.info.streams in WHOLE else _rehearse_frames)(gpu, engine, prompts)
        with _told("closing"):
            engine.close()
        _check_order(gpu)
    return figures


def made_clip() -> Clip:
    """Noise, as long as a short recording."""
    return Clip(np.random.default_rng(0).normal(0, 0.1, int(CLIP_SECONDS * CLIP_RATE)).astype(np.float32), CLIP_RATE)


@contextlib.contextmanager
def _told(doing: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        where = site(traceback.extract_tb(error.__traceback__))
        raise RehearsalFailed(f"{doing}, at {where}: {type(error).__name__}: {error}") from error


def _check_captures(gpu: FakeGpu) -> None:
    for key, counter in gpu.graphs.items():
        if counter.n_copies:
            raise RehearsalFailed(f"the graph {key} would capture {counter.n_copies} copies: {', '.join(counter.where)}")


def _check_order(gpu: FakeGpu) -> None:
    if gpu.order.races:
        raise RehearsalFailed(f"work is not in order: {'; '.join(sorted(map(str, gpu.order.races)))}")


def _rehearse_frames(gpu: FakeGpu, engine: Engine, prompts: list[SpeakerPrompt]) -> Rehearsal:
    options = drawn_speech_options(engine)
    with watching(gpu) as at_first:
        newcomer = engine.stream(TEXT, prompts[1], options)
        next(filter(len, newcomer))
    with watching(gpu) as first:
        stream = engine.stream(TEXT, prompts[0], options)
        next(filter(len, stream))
    stream.close()
    stream = engine.stream(TEXT, prompts[0], drawn_speech_options(engine, initial_codec_chunk_frames=1))  # so that a frame is seen alone
    list(engine.advance([newcomer, stream]))
    newcomer.close()
    sizes = [len(chunk) for chunk in itertools.islice(filter(len, stream), STEADY_CHUNKS)]
    with watching(gpu) as steady:
        sizes.append(len(next(filter(len, stream))))
    stream.close()
    sizes[0] += getattr(getattr(engine, "_batched_decoder", None), "late_samples", 0)  # which the first piece lacks
    frame_samples = math.gcd(*sizes)
    share = frame_samples / sizes[-1]
    return Rehearsal(
        streams=engine.width,
        frame_seconds=frame_samples / engine.info.sample_rate,
        kernels_per_frame=round(steady.in_graphs * share, 1),
        launches_outside_per_frame=round(steady.launches * share, 2),
        launches_at_a_new_voice=at_first.outside + at_first.copies,
        copies_in_capture=sum(counter.n_copies for counter in gpu.graphs.values()),
        bytes_per_frame=round(steady.bytes * share),
        graphs={said(key): graph.n_kernels for key, graph in gpu.graphs.items()},
        milliseconds=milliseconds(steady.work, steady.in_graphs, share=share),
        first_audio_milliseconds=first.milliseconds,
    )


def engine_parser(description: str | None) -> argparse.ArgumentParser:
    """Of a command line that names an engine that can be drawn, its size and its dtype, and how it is opened."""
    parser = argparse.ArgumentParser(description=description)
    measurable = [name for name in engine_ids() if engine_sizes(name)]
    parser.add_argument("--engine", choices=measurable, default=measurable[0])
    parser.add_argument("--size", help="as the makers name it; the engine's first one where none is given")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--load-options", type=json.loads, default={}, help="JSON: more of what the engine is opened with")
    return parser


def main() -> None:
    """Rehearse one engine at one of its released sizes."""
    asked = engine_parser(main.__doc__).parse_args()
    size = asked.size or engine_sizes(asked.engine)[0]
    given = {"device": DEVICE, "dtype": asked.dtype, "options": asked.load_options}
    figures = asdict(rehearse(lambda: open_random_engine(asked.engine, size, **given)))
    for name, value in figures.items():
        print(f"{name}: {value}")
    print(json.dumps({"engine": asked.engine, "size": size, **figures}))


if __name__ == "__main__":
    main()
