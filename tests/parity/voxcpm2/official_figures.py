"""The official package's side of `tests.parity.beside --engine voxcpm2`. PYTHON as in `official.py`.

The voice is given as a reference: the package's prompt cache is what ours keeps of a clip. Its pieces are one patch each, as our first is.
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
    """voxcpm, not compiled: torch.compile is its affair on CUDA alone."""

    streams = True
    sample_rate = 48_000

    def __init__(self, scenario: Mapping):
        from tests.parity.voxcpm2 import official

        if scenario["device"] != "cpu":
            raise SystemExit("The official side of VoxCPM2 is measured on the CPU.")
        self._clip_file = scenario["clip"]
        self._model = official.load(Path(scenario["folder"]), scenario["dtype"]).tts_model

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("voxcpm", "transformers", "torch")}

    def warm_up(self) -> None:
        """It has nothing of the kind where it is not compiled."""

    def extract(self, clip: "Clip", words: str) -> Any:
        return self._model.build_prompt_cache(reference_wav_path=self._clip_file)  # which it wants as a file

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        for samples, _, _ in self._model.generate_with_prompt_cache_streaming(text, learned, max_len=n_frames):
            yield samples[0].numpy()


if __name__ == "__main__":
    measure(OfficialSide)
