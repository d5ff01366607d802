"""Another package's side of `tests.parity.beside`, whichever it is: a module of its own says how, and calls `measure` here.

Run as PYTHON -m MODULE SCENARIO RESULT: SCENARIO is a JSON file as that program writes it, RESULT the JSON file to write.
"""

import json
import sys
import threading
import time
import wave
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from engines.clips.clip import Clip

__all__ = ["Side", "measure"]

STARTED = time.perf_counter()  # before anything heavy is imported, so that a cold start has all of it


class Side(Protocol):
    """A package under measurement. streams: whether audio comes before all of it is made. sample_rate: of that audio, in Hz."""

    streams: bool
    sample_rate: int

    def versions(self) -> dict[str, str]:
        """Of what the figures depend on."""

    def warm_up(self) -> None:
        """What is done once before the first request, where the package has such a thing."""

    def extract(self, clip: "Clip", words: str) -> Any:
        """What is kept of a voice; with the words of the clip where the scenario has them."""

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        """The audio of a speech of so many frames, (T,) each. first: the first piece shall be the smallest there is."""


def measure(open_side: Callable[[Mapping], Side]) -> None:
    """Read the scenario, measure, write the result; both files are named on the command line."""
    scenario_file, result_file = map(Path, sys.argv[1:])
    scenario = json.loads(scenario_file.read_text())
    from tests.parity.our_figures import hold_to_cores, host_bytes, peak_host_bytes, several

    hold_to_cores(scenario["n_cores"])
    import torch

    torch_host_bytes = host_bytes()
    torch.set_num_threads(scenario["threads"])
    side = open_side(scenario)
    figures = {"cold_start_seconds": time.perf_counter() - STARTED, "cold_start_processor_seconds": time.process_time()}
    side.warm_up()
    figures |= {"cold_start_and_warm_up_seconds": time.perf_counter() - STARTED, "versions": side.versions()}
    clip = _clip(Path(scenario["clip"]))
    extractions = [_timed(lambda: side.extract(clip, scenario["transcript"])) for _ in range(1 + scenario["n_extractions"])]
    times, learned = [seconds for seconds, _ in extractions], extractions[-1][1]
    figures |= {"first_extraction_seconds": times[0], "extraction_seconds": times[1:]}
    figures |= _speeches(side, scenario, learned)
    for n in scenario["n_streams"]:
        figures |= several(lambda n=n: _at_once(side, scenario, learned, n), n, scenario["n_runs"])

    def cold() -> None:
        _first_audio(side, scenario, side.extract(clip, scenario["transcript"]))

    figures["cold_first_audio_seconds"] = [_timed(cold)[0] for _ in range(scenario["n_cold"])] if side.streams else []
    figures |= {"peak_host_bytes": peak_host_bytes(), "host_bytes": host_bytes(), "torch_host_bytes": torch_host_bytes}
    figures["peak_device_bytes"] = torch.cuda.max_memory_allocated() if scenario["device"].startswith("cuda") else None
    result_file.write_text(json.dumps(figures))


def _clip(file: Path) -> "Clip":
    """Of 16 bits and one channel, read by what every Python has."""
    import numpy as np

    from engines.clips.clip import Clip

    with wave.open(str(file)) as stream:
        if (stream.getsampwidth(), stream.getnchannels()) != (2, 1):
            raise SystemExit(f"{file.name} is not of 16 bits and one channel.")
        words = np.frombuffer(stream.readframes(stream.getnframes()), "<i2")
        return Clip(words.astype(np.float32) / 2**15, stream.getframerate())


def _speeches(side: Side, scenario: Mapping, learned: Any) -> dict[str, object]:
    seconds, processor_seconds, samples = [], [], 0
    for _ in range(scenario["n_runs"]):
        started = time.process_time()
        taken, audio = _timed(lambda: list(side.pieces(scenario["text"], learned, scenario["n_frames"], first=False)))
        samples = sum(map(len, audio))
        seconds.append(taken)
        processor_seconds.append(time.process_time() - started)
    first = [_first_audio(side, scenario, learned) for _ in range(scenario["n_first"])] if side.streams else seconds
    return {
        "first_audio_seconds": first,
        "speech_seconds": seconds,
        "speech_processor_seconds": processor_seconds,
        "audio_seconds": samples / side.sample_rate,
    }


def _first_audio(side: Side, scenario: Mapping, learned: Any) -> float:
    pieces = side.pieces(scenario["text"], learned, scenario["n_frames"], first=True)
    seconds = _timed(lambda: next(pieces))[0]
    pieces.close()
    return seconds


def _at_once(side: Side, scenario: Mapping, learned: Any, n_streams: int) -> float:
    """So many speeches, each on a thread of its own. Seconds until all have begun."""
    started, begun = time.perf_counter(), []

    def speak() -> None:
        pieces = side.pieces(scenario["text"], learned, scenario["n_frames"], first=True)
        next(pieces)
        begun.append(time.perf_counter() - started)
        list(pieces)

    threads = [threading.Thread(target=speak) for _ in range(n_streams)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(begun) < n_streams:
        raise SystemExit("The package does not speak on several threads.")
    return max(begun)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result
