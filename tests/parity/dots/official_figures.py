"""The official package's side of `tests.parity.beside --engine dots`. PYTHON as in `official.py`.

The voice is the speaker vector alone, as ours is by default, of a recording of at most 10 s, which the package keeps. Its pieces are one
patch each but for the ends, as our first is.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parity.other_figures import measure

if TYPE_CHECKING:
    import numpy as np

    from engines.clips.clip import Clip

__all__ = ["OfficialSide"]


class OfficialSide:
    """dots.tts, not optimized: its graphs and torch.compile are affairs of CUDA."""

    streams = True
    sample_rate = 48_000

    def __init__(self, scenario: Mapping):
        from tests.parity.dots import official

        if (scenario["device"], scenario["dtype"]) != ("cpu", "float32"):
            raise SystemExit("The official side of dots.tts is measured on the CPU, where it computes in float32 alone.")
        self._clip_file = scenario["clip"]
        self._runtime = official.load(Path(scenario["folder"]))
        self._runtime.vocoder_merge_steps = 1

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("dots.tts", "transformers", "torch")}

    def warm_up(self) -> None:
        """It has nothing of the kind where it is not optimized."""

    def extract(self, clip: "Clip", words: str) -> None:
        """Vector and latents, as ours, into the package's own store, which is emptied before."""
        model = self._runtime.model
        model._prompt_feature_cache.clear()
        model._prepare_prompt_conditioning(self._runtime._load_prompt_audio(self._clip_file), use_prompt_prefill=True)

    def pieces(self, text: str, learned: None, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        self._runtime.max_generate_length = n_frames
        steps = {} if self._runtime.model.config.sampling is not None else {"num_steps": 4}  # of the makers' page, of mf
        for samples in self._runtime.generate_stream(text=text, prompt_audio_path=self._clip_file, **steps):
            yield samples.squeeze().numpy()


if __name__ == "__main__":
    measure(OfficialSide)
