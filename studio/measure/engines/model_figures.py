"""Figures of one engine's model at a released size: `python -m studio.measure.engines.model_figures --engine ID --size SIZE`.

How many seconds of audio a second of computing gives, for one stream and for several, taking turns (an engine of width 1) and in common
steps (one of that width); and how long the first audio takes, alone, beside the others, and of the last of so many who come at once.
Without --checkpoint weights are drawn: speed does not depend on what they say. The last line is JSON.
"""

import argparse
import json
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypedDict

import numpy as np

from engines.catalog import engine_ids, engine_info, engine_sizes, open_engine, open_random_engine
from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import SpeechEnd
from engines.errors import EngineFailed
from engines.kit.gauges.device_figures import count_kernels, peak_device_bytes, set_threads
from studio.audio.decode import decode_clip
from studio.measure.engines.drawn_speech import drawn_speech_options, prompt_from
from studio.measure.server.machine import describe_machine

__all__ = ["Speeches", "has_width", "main", "measure_width", "prepared_prompt"]

CLIP = Path(__file__).parents[3] / "assets" / "voices" / "demo.flac"  # 11.6 s
TEXT = "The north wind and the sun were arguing about which of them was the stronger."
SPOKEN_SECONDS = 5.04  # what the sentence takes when it is read aloud
FRAMES_BEFORE_A_NEWCOMER = 4  # that the others have heard by then
N_FIRST = 3  # times that the first audio is timed; the least counts, since other programs only ever add to it
KERNEL_FRAMES = (15, 31)  # the difference of two speeches is of frames in the middle
Chunks = Generator[np.ndarray, None, object]  # of one stream


class Speeches:
    """One text in one voice, as many streams of it as are asked for, each with a seed of its own, cut off after so many frames; or where
    the text ends, for an engine that knows where.

    A frame is the engine's own: the samples of its first chunk. n_frames: None for as many as the text takes when it is read aloud.
    """

    def __init__(self, engine: Engine, prompt: SpeakerPrompt, n_frames: int | None):
        self.engine, self._prompt = engine, prompt
        stream = self._stream(0)
        self._frame_samples = len(next(filter(len, stream)))  # also the first run of all that is prepared once
        stream.close()
        self.n_frames = n_frames or round(SPOKEN_SECONDS / self.frame_seconds)

    @property
    def frame_seconds(self) -> float:
        """Of audio."""
        return self._frame_samples / self.engine.info.sample_rate

    def audio_per_second(self, n_streams: int) -> float:
        """Seconds of audio that a second gives while so many streams speak, from their start to the last one's end."""
        started = time.perf_counter()
        n_samples = self._advance([self._stream(seed) for seed in range(n_streams)], self.n_frames)
        return n_samples / self.engine.info.sample_rate / (time.perf_counter() - started)

    def first_audio_seconds(self, n_others: int = 0) -> float:
        """Seconds from a stream's start to its first audio beside so many others, which have heard a little; the least of N_FIRST.

        Of the others whoever comes to its end begins anew.
        """
        others = [self._stream(seed) for seed in range(1, n_others + 1)]
        self._advance(others, FRAMES_BEFORE_A_NEWCOMER, close=False)
        seconds = min(self._first(others) for _ in range(N_FIRST))
        for stream in others:
            stream.close()
        return seconds

    def all_heard_seconds(self, n_streams: int) -> float:
        """Seconds until so many streams that start at once have all had audio; the least of N_FIRST."""
        return min(self._all_heard(n_streams) for _ in range(N_FIRST))

    def kernels_per_frame(self) -> float | None:
        """Kernels that a GPU runs for one frame of one stream, of all its frames where the text ends so early; None elsewhere."""
        n_samples: list[int] = []

        def speak(n_frames: int) -> None:
            n_samples.append(self._advance([self._stream(0)], n_frames))

        few_kernels, more_kernels = (count_kernels(partial(speak, n_frames), self.engine.device) for n_frames in KERNEL_FRAMES)
        if few_kernels is None or more_kernels is None:
            return None
        more, few = (more_kernels, n_samples[1]), (few_kernels, n_samples[0]) if n_samples[1] > n_samples[0] else (0, 0)
        return (more[0] - few[0]) / (more[1] - few[1]) * self._frame_samples

    def _all_heard(self, n_streams: int) -> float:
        started = time.perf_counter()
        streams = [self._stream(seed) for seed in range(n_streams)]
        self._advance(streams, 1, close=False)
        seconds = time.perf_counter() - started
        for stream in streams:
            stream.close()
        return seconds

    def _first(self, others: list[Chunks]) -> float:
        started = time.perf_counter()
        newcomer = self._stream(0)
        seconds = 0.0
        while not seconds:
            turn = iter(self.engine.advance([newcomer, *others][: self.engine.width]))
            result = next(turn)
            if len(_checked(result)):
                seconds = time.perf_counter() - started
            elif isinstance(result, SpeechEnd):
                raise EngineFailed(sentence="engine_broke", detail="a stream ended before it was heard", hint="Measure other weights.")
            for index in [index for index, other in enumerate(turn) if isinstance(other, SpeechEnd)]:
                others[index] = self._stream(index + 1)
        newcomer.close()
        return seconds

    def _stream(self, seed: int) -> Chunks:
        return self.engine.stream(TEXT, self._prompt, drawn_speech_options(self.engine, seed=seed))

    def _advance(self, streams: Sequence[Chunks], n_frames: int, *, close: bool = True) -> int:
        """Advance them, whoever has heard least first, until each has heard so many frames or is over; returns the samples of all."""
        heard, going = dict.fromkeys(range(len(streams)), 0), set(range(len(streams)))
        while going:
            turn = sorted(going, key=heard.__getitem__)[: self.engine.width]
            for index, result in zip(turn, self.engine.advance([streams[index] for index in turn]), strict=True):
                heard[index] += len(_checked(result))
                if isinstance(result, SpeechEnd) or heard[index] >= n_frames * self._frame_samples:
                    going.discard(index)
        for stream in streams if close else ():
            stream.close()
        return sum(heard.values())


class WidthFigures(TypedDict):
    """What an engine does with so many rows in a step. Keys of dictionaries: numbers of streams, as JSON has them."""

    frames: int
    frame_seconds: float
    audio_per_second: dict[str, float]
    ttfp_seconds: float
    ttfp_newcomer_seconds: dict[str, float]
    ttfp_all_at_once_seconds: dict[str, float]
    kernels_per_frame: float | None
    engine_memory_bytes: int | None
    peak_device_bytes: int | None


def measure_width(engine: Engine, counts: Sequence[int], n_frames: int | None) -> WidthFigures:
    """Of an opened engine: audio per second by number of streams; seconds to the first audio, alone and beside one stream less each."""
    engine.warmup()
    speeches = Speeches(engine, prepared_prompt(engine), n_frames)
    return {
        "frames": speeches.n_frames,
        "frame_seconds": speeches.frame_seconds,
        "audio_per_second": {str(n): speeches.audio_per_second(n) for n in counts},
        "ttfp_seconds": speeches.first_audio_seconds(),
        "ttfp_newcomer_seconds": {str(n): speeches.first_audio_seconds(n - 1) for n in counts if n > 1},
        "ttfp_all_at_once_seconds": {str(n): speeches.all_heard_seconds(n) for n in counts if n > 1},
        "kernels_per_frame": speeches.kernels_per_frame(),
        "engine_memory_bytes": engine.memory_bytes(),
        "peak_device_bytes": peak_device_bytes(engine.device),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    asked = _arguments(arguments)
    if asked.threads:
        set_threads(asked.threads)
    counts = sorted({1, *asked.streams})
    device, turns = _measure(asked, 1, counts)
    common = {n: _measure(asked, n, [1, n])[1] for n in counts if n > 1 and has_width(asked.engine)}
    figures = {
        "engine": asked.engine,
        "size": asked.size,
        "dtype": asked.dtype,
        "device": device,
        "frames": turns["frames"],
        "frame_seconds": turns["frame_seconds"],
        "batched_over_turns": {
            str(n): measured["audio_per_second"][str(n)] / turns["audio_per_second"][str(n)] for n, measured in common.items()
        },
        "ttfp_seconds": turns["ttfp_seconds"],
        "ttfp_newcomer_seconds": {str(n): measured["ttfp_newcomer_seconds"][str(n)] for n, measured in common.items()},
        "ttfp_newcomer_over_alone": {
            str(n): measured["ttfp_newcomer_seconds"][str(n)] / turns["ttfp_seconds"] for n, measured in common.items()
        },
        "ttfp_all_at_once_seconds": {str(n): measured["ttfp_all_at_once_seconds"][str(n)] for n, measured in common.items()},
        "rtf": 1 / turns["audio_per_second"]["1"],
        "lone_stream_over_width_1": {
            str(n): measured["audio_per_second"]["1"] / turns["audio_per_second"]["1"] for n, measured in common.items()
        },
        "turns": {name: value for name, value in turns.items() if name not in ("frames", "frame_seconds")},
        "batched": {str(n): {"device": device, **measured} for n, measured in common.items()},
        "machine": describe_machine(),
    }
    print(_table(figures))
    print(json.dumps(figures))
    return 0


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--engine", choices=[name for name in engine_ids() if engine_sizes(name)], required=True)
    parser.add_argument("--size", required=True, help="a released size of the engine, as its makers call it")
    parser.add_argument("--checkpoint", help="folder or hub id of weights of that size; drawn if not said")
    parser.add_argument("--device", help='"cpu" or "cuda:0"; the engine\'s own choice if not said')
    parser.add_argument("--dtype", help="bfloat16 or float32; the engine's own choice if not said")
    parser.add_argument("--streams", type=_numbers, default=(1, 4), help="how many at once, with commas between")
    parser.add_argument("--frames", type=int, help=f"of audio that each stream speaks; {SPOKEN_SECONDS} s of them if not said")
    parser.add_argument("--threads", type=int, help="of the CPU")
    asked = parser.parse_args(given)
    if asked.size not in engine_sizes(asked.engine):
        parser.error(f"{asked.engine} has no size {asked.size!r}; it has {', '.join(engine_sizes(asked.engine))}")
    return asked


def _numbers(text: str) -> tuple[int, ...]:
    numbers = tuple(int(number) for number in text.split(","))
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} holds a number below 1")
    return numbers


def _measure(asked: argparse.Namespace, width: int, counts: Sequence[int]) -> tuple[str, WidthFigures]:
    """(device, what an engine of that width does), opened for this and closed again."""
    print(f"{asked.engine} {asked.size}, width {width} ...", flush=True)
    how = {"device": asked.device, "dtype": asked.dtype, "options": {"width": width} if has_width(asked.engine) else {}}
    if asked.checkpoint:
        engine = open_engine(asked.engine, checkpoint=asked.checkpoint, **how)
    else:
        engine = open_random_engine(asked.engine, asked.size, **how)
    try:
        return engine.device, measure_width(engine, counts, asked.frames)
    finally:
        engine.close()


def has_width(name: str) -> bool:
    """Whether an engine of the catalog can be opened with so many rows."""
    return any(option.name == "width" for option in engine_info(name).load_options)


def prepared_prompt(engine: Engine) -> SpeakerPrompt:
    """Of the demo clip with its words, or of a built-in speaker where the engine learns none; prepared."""
    words = Transcript(json.loads(CLIP.with_suffix(".json").read_text(encoding="utf-8"))["transcript"])
    prompt = prompt_from(engine, decode_clip(CLIP.read_bytes(), filename=CLIP.name), words)
    engine.prepare(prompt)
    return prompt


def _checked(result: object) -> np.ndarray:
    """The audio of a result, none at a stream's end. Raises what the stream met."""
    if isinstance(result, Exception):
        raise result
    return result if isinstance(result, np.ndarray) else np.zeros(0, np.float32)


def _table(figures: Mapping) -> str:
    """A row per number of streams."""
    machine = figures["machine"]
    lines = [
        f"{figures['engine']} {figures['size']}, {figures['device']} {figures['dtype'] or ''}, {figures['frames']} frames "
        f"of {1000 * figures['frame_seconds']:.0f} ms each; "
        f"{machine['processor']}, load {machine['load_average']}, revision {machine['revision']}",
        "| streams | audio s per s, in turn | in common steps | ratio | first audio of a newcomer, s | over alone | of all at once, s "
        "| lone at this width |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n, in_turn in figures["turns"]["audio_per_second"].items():
        cells = [f"{in_turn:.3g}", "-", "-", f"{figures['ttfp_seconds']:.3g}" if n == "1" else "-", "-", "-", "-"]
        if n in figures["batched"]:
            together = figures["batched"][n]["audio_per_second"][n]
            cells[1:] = [f"{together:.3g}", f"{figures['batched_over_turns'][n]:.2f}"]
            cells += [f"{figures['ttfp_newcomer_seconds'][n]:.3g}", f"{figures['ttfp_newcomer_over_alone'][n]:.2f}"]
            cells += [f"{figures['ttfp_all_at_once_seconds'][n]:.3g}", f"{figures['batched'][n]['audio_per_second']['1']:.3g}"]
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
