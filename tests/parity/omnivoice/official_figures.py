"""The official package's side of `tests.parity.beside --engine omnivoice`. PYTHON as in `official.py`.

The whole speech is one piece, at the end, however many sentences it has: the package cuts nothing below 30 s.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.other_figures import measure

if TYPE_CHECKING:
    import numpy as np

    from engines.clips.clip import Clip

__all__ = ["OfficialSide"]


class OfficialSide:
    """With its own defaults."""

    streams = False
    sample_rate = 24_000

    def __init__(self, scenario: Mapping):
        from tests.parity.omnivoice import official

        if (scenario["device"], scenario["dtype"]) != ("cpu", "float32"):
            raise SystemExit("The official side of OmniVoice is measured on the CPU, in float32.")
        self._package, self._frame_seconds = official.Package(Path(scenario["folder"])), scenario["frame_seconds"]

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("omnivoice", "transformers", "torch")}

    def warm_up(self) -> None:
        """It has nothing of the kind."""

    def extract(self, clip: "Clip", words: str) -> Any:
        return self._package.learned(clip, words)

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        yield self._package.model.generate(text, voice_clone_prompt=learned, duration=(n_frames + 0.5) * self._frame_seconds)[0]


if __name__ == "__main__":
    measure(OfficialSide)
