"""The official package's side of `tests.parity.beside --engine qwen3_tts`. PYTHON as in `official.py`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.other_figures import measure

if TYPE_CHECKING:
    import numpy as np

    from engines.clips.clip import Clip

__all__ = ["OfficialSide"]


class OfficialSide:
    """qwen-tts: one piece, at the end."""

    streams = False
    sample_rate = 24_000

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


if __name__ == "__main__":
    measure(OfficialSide)
