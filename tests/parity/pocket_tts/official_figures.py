"""The official package's side of `tests.parity.beside --engine pocket_tts`. PYTHON as in `official.py`.

As a caller of it would have it: its own threads, three for each text, of one torch thread each, its own noise, and decoding what is there.
`--cores 1` holds it to one core. Its pieces are a frame at first. int8 is what it calls quantize, by torch's own means where torchao is not
installed. A speech that is heard no further is stopped by the means that it has, and waited for, or it would run on into the next.
"""

import threading
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.other_figures import measure

if TYPE_CHECKING:
    import numpy as np

    from engines.clips.clip import Clip

__all__ = ["OfficialSide"]

QUANTIZED = {"float32": False, "int8": True}
WARM_UP_FRAMES = 8


class OfficialSide:
    """pocket-tts by its public door, but for the number of frames."""

    streams = True
    sample_rate = 24_000

    def __init__(self, scenario: Mapping):
        from tests.parity.pocket_tts import official

        if scenario["device"] != "cpu" or scenario["dtype"] not in QUANTIZED:
            raise SystemExit("The official side of Pocket TTS is measured on the CPU, in float32 or int8.")
        self._package = official.Package(Path(scenario["folder"]), quantize=QUANTIZED[scenario["dtype"]])
        self._clip_file, self._text = Path(scenario["clip"]), scenario["text"]

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("pocket-tts", "torch")}

    def warm_up(self) -> None:
        """One short speech, in any voice."""
        import numpy as np

        for _ in self.pieces(self._text, self._package.state(np.zeros(self.sample_rate, np.float32)), WARM_UP_FRAMES, first=True):
            pass

    def extract(self, clip: "Clip", words: str) -> Any:
        return self._package.read(self._clip_file)  # which it resamples itself

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        stop, others, is_whole = threading.Event(), set(threading.enumerate()), False
        try:
            yield from self._package.streamed(learned, text, n_frames, stop)
            is_whole = True
        finally:
            stop.set()
            for thread in set() if is_whole else set(threading.enumerate()) - others:
                thread.join()


if __name__ == "__main__":
    measure(OfficialSide)
