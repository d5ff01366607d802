"""The reference's side of `tests.parity.beside --engine fish_speech`. PYTHON as in `official.py`.

Codec: vllm-omni's. Transformers: the oracle, plain torch without graphs and without kernels of its own. So these figures are those of the
arithmetic, not of vLLM's speed. Like the official code it makes the whole speech before it decodes any.
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
    """One piece, at the end."""

    streams = False
    sample_rate = 44_100

    def __init__(self, scenario: Mapping):
        import torch

        from tests.parity.fish_speech import official, oracle

        if scenario["device"] != "cpu":
            raise SystemExit("The reference side of Fish Audio S2 Pro is measured on the CPU.")
        self._package = official.Package.load(Path(scenario["folder"]), getattr(torch, scenario["dtype"]))
        self._settings = oracle.Settings

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("vllm-omni", "torch")}

    def warm_up(self) -> None:
        """It has nothing of the kind."""

    def extract(self, clip: "Clip", words: str) -> Any:
        import torch

        return [(words, torch.from_numpy(self._package.encoded(clip)))]

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        trace = self._package.oracle.speak(text, learned, self._settings(max_new_tokens=n_frames + 1))
        yield self._package.codec.decode(trace.spoken.numpy())


if __name__ == "__main__":
    measure(OfficialSide)
