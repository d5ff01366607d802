"""SentenceRehearsal: the work of a fake GPU for an engine that speaks sentence by sentence.

Some steps over the whole sentence, then its sound.

Part of `python -m studio.measure.engines.rehearsal`. Arithmetic is what bounds such an engine: a step computes every row anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np

from engines.contract.contract import YIELD_POINT, Engine, StepResult
from engines.contract.prompt import SpeakerPrompt
from engines.kit.gauges.fake_gpu import FakeGpu
from engines.kit.gauges.roofline import n_flops
from studio.measure.engines.device_work import DeviceWork, Milliseconds, milliseconds, said, watching
from studio.measure.engines.drawn_speech import drawn_speech_options

__all__ = ["SentenceRehearsal", "SpokenWork", "rehearse_sentences"]

TEXT = "A sentence that is to be spoken now, and then it goes on."  # a short piece, and what follows while it is heard
MOST_TOKENS = 100  # of an engine that says tokens, and with drawn weights never ends


@dataclass(frozen=True)
class SentenceRehearsal:
    """What a sentence costs, by steps and in all. A graph is named by what it does, for how many sentences or steps, over how many rows.

    streams: sentences that one step serves at most. launches_outside_per_step: what the host starts for a step of the later pieces, graph
    and all. launches_at_a_new_voice: to read a prompt that is not prepared, and to make sound of its first piece. copies_in_capture: must
    be 0. graphs, graph_milliseconds: kernels of each, and its least time by the roofline and with the starts of kernels.
    first_audio: from the text to the first sound of a voice that is prepared, alone. speech: all of a text in that voice, so many seconds
    of audio. shared_steps: how often graphs were replayed where two streams spoke the text at once.
    """

    streams: int
    launches_outside_per_step: float
    launches_at_a_new_voice: int
    copies_in_capture: int
    graphs: dict[str, int]
    graph_milliseconds: dict[str, Milliseconds]
    first_audio: "SpokenWork"
    speech: "SpokenWork"
    shared_steps: dict[str, int]


@dataclass(frozen=True)
class SpokenWork:
    """seconds: of audio. replays: of graphs. kernels: in graphs, and launched one by one. copies: between host and device. flops: by
    precision. milliseconds: least; kernels that are launched one by one are taken for kernels of a graph.
    """

    seconds: float
    replays: dict[str, int]
    kernels: tuple[int, int]
    copies: int
    bytes: int
    flops: dict[str, int]
    milliseconds: Milliseconds


def rehearse_sentences(gpu: FakeGpu, engine: Engine, prompts: list[SpeakerPrompt]) -> SentenceRehearsal:
    """prompts: two, the first of which is prepared. Raises what the engine does."""
    options = drawn_speech_options(engine, max_tokens=MOST_TOKENS)
    with watching(gpu) as at_first:
        newcomer = engine.stream(TEXT, prompts[1], options)
        next(filter(len, newcomer))
    newcomer.close()
    stream = engine.stream(TEXT, prompts[0], options)
    with watching(gpu) as first:
        n_first = len(next(filter(len, stream)))
    turns = list(_turns(gpu, stream))
    steps = [turn for turn, n_samples in turns if turn.replays and not n_samples]
    rate = engine.info.sample_rate
    return SentenceRehearsal(
        streams=engine.width,
        launches_outside_per_step=median(work.launches / work.replays.total() for work in steps),
        launches_at_a_new_voice=at_first.outside + at_first.copies,
        copies_in_capture=sum(counter.n_copies for counter in gpu.graphs.values()),
        graphs={said(key): graph.n_kernels for key, graph in gpu.graphs.items()},
        graph_milliseconds={said(key): milliseconds(graph.work, graph.n_kernels) for key, graph in gpu.graphs.items()},
        first_audio=_spoken(first, n_first / rate),
        speech=_spoken(sum((turn for turn, _ in turns), first), (n_first + sum(n_samples for _, n_samples in turns)) / rate),
        shared_steps=_replays(_together(gpu, engine, prompts[0])),
    )


def _turns(gpu: FakeGpu, stream: Iterator[np.ndarray]) -> Iterator[tuple[DeviceWork, int]]:
    """What every further turn of a stream costs, and how many samples it gives."""
    chunk: np.ndarray | None = YIELD_POINT
    while chunk is not None:
        with watching(gpu) as turn:
            chunk = next(stream, None)
        yield turn, 0 if chunk is None else len(chunk)


def _together(gpu: FakeGpu, engine: Engine, prompt: SpeakerPrompt) -> DeviceWork:
    """Two streams of one text, in turns that they share, until both are heard. Raises what either meets."""
    streams = [engine.stream(TEXT, prompt, drawn_speech_options(engine, seed=seed)) for seed in range(2)]
    waiting = list(streams)
    with watching(gpu) as work:
        while waiting:
            results = engine.advance(waiting[: engine.width])
            waiting = [stream for stream, result in zip(waiting, results, strict=False) if not len(_heard(result))]
    for stream in streams:
        stream.close()
    return work


def _heard(result: StepResult) -> np.ndarray:
    """Raises what a stream met, or RuntimeError where it ended."""
    if isinstance(result, np.ndarray):
        return result
    raise result if isinstance(result, Exception) else RuntimeError("a stream ended before it was heard")


def _spoken(work: DeviceWork, seconds: float) -> SpokenWork:
    return SpokenWork(
        seconds=round(seconds, 3),
        replays=_replays(work),
        kernels=(work.in_graphs, work.outside),
        copies=work.copies + work.host_copies,
        bytes=work.bytes,
        flops=n_flops(work.work),
        milliseconds=work.milliseconds,
    )


def _replays(work: DeviceWork) -> dict[str, int]:
    return {said(key): times for key, times in work.replays.items()}
