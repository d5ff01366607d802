"""The official package"s side of `tests.parity.qwen3_tts.beside`: `PYTHON -m tests.parity.qwen3_tts.official_figures SCENARIO RESULT`.

SCENARIO is a JSON file as that program writes it, RESULT the JSON file to write. PYTHON as in `official.py`.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from engines.clip import Clip

__all__ = ["OfficialSide", "Side", "measure"]

STARTED = time.perf_counter()  # before anything heavy is imported, so that a cold start has all of it
SAMPLE_RATE = 24_000


class Side(Protocol):
    """A package under measurement. streams: whether audio comes before all of it is made."""

    streams: bool

    def versions(self) -> dict[str, str]:
        """Of what the figures depend on."""

    def warm_up(self) -> None:
        """What is done once before the first request, where the package has such a thing."""

    def extract(self, clip: "Clip", words: str) -> Any:
        """The speaker prompt, in context."""

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        """The audio of a speech of so many frames, (T,) each. first: the first piece shall be the smallest there is."""


class OfficialSide:
    """qwen-tts: one piece, at the end."""

    streams = False

    def __init__(self, scenario: Mapping):
        import torch

        from tests.parity.qwen3_tts import official

        self._package = official
        self._model = official.load(Path(scenario["folder"]), device_map=scenario["device"], dtype=getattr(torch, scenario["dtype"]))

    def versions(self) -> dict[str, str]:
        return self._package.versions()

    def warm_up(self) -> None:
        """It has nothing of the kind."""

    def extract(self, clip: "Clip", words: str) -> Any:
        return self._package.prompt(self._model, clip, words)

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        # The last token is drawn and not spoken.
        samples, codes = self._package.speak(self._model, text, learned, language="auto", max_new_tokens=n_frames + 1)
        assert len(codes) == n_frames, f"{len(codes)} frames"
        yield samples


def measure(open_side: Callable[[Mapping], Side]) -> None:
    """Read the scenario, measure, write the result; both files are named on the command line."""
    scenario_file, result_file = map(Path, sys.argv[1:])
    scenario = json.loads(scenario_file.read_text())
    import soundfile
    import torch

    from engines.clip import Clip
    from tests.parity.qwen3_tts.our_figures import host_bytes, peak_host_bytes

    torch.set_num_threads(scenario["threads"])
    side = open_side(scenario)
    figures = {"cold_start_seconds": time.perf_counter() - STARTED, "cold_start_processor_seconds": time.process_time()}
    side.warm_up()
    figures |= {"cold_start_and_warm_up_seconds": time.perf_counter() - STARTED, "versions": side.versions()}
    clip = Clip(*soundfile.read(scenario["clip"], dtype="float32"))
    extractions = [_timed(lambda: side.extract(clip, scenario["transcript"])) for _ in range(1 + scenario["n_extractions"])]
    times, learned = [seconds for seconds, _ in extractions], extractions[-1][1]
    figures |= {"first_extraction_seconds": times[0], "extraction_seconds": times[1:]}
    figures |= _speeches(side, scenario, learned)
    figures |= {"peak_host_bytes": peak_host_bytes(), "host_bytes": host_bytes()}
    figures["peak_device_bytes"] = torch.cuda.max_memory_allocated() if scenario["device"].startswith("cuda") else None
    result_file.write_text(json.dumps(figures))


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
        "audio_seconds": samples / SAMPLE_RATE,
    }


def _first_audio(side: Side, scenario: Mapping, learned: Any) -> float:
    pieces = side.pieces(scenario["text"], learned, scenario["n_frames"], first=True)
    seconds = _timed(lambda: next(pieces))[0]
    pieces.close()
    return seconds


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    measure(OfficialSide)
