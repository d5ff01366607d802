"""The official side of `tests.parity.beside --engine voxtral`. PYTHON as in `official.py`.

Flow head, codec and embedding of frames: vllm-omni's; backbone: transformers'; in plain torch, without graphs and without kernels of their
own. So these figures are those of the arithmetic, not of vLLM's speed. Audio comes in the pieces that vllm-omni makes of a stream, each
decoded anew behind up to 25 frames of context; the codec is float32, as ours, since bfloat16 is slower on a CPU.
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

# generator2tokenizer_async_chunk of vllm-omni 0.30.0 and its defaults: pieces of 5 frames up to the 25th, then of 25.
FIRST_FRAMES, CHUNK_FRAMES, CONTEXT_FRAMES = 5, 25, 25


class OfficialSide:
    """A piece whenever so many frames are there."""

    streams = True
    sample_rate = 24_000

    def __init__(self, scenario: Mapping):
        import torch

        from tests.parity.voxtral import official

        if scenario["device"] != "cpu":
            raise SystemExit("The official side of Voxtral TTS is measured on the CPU.")
        self._package = official.Package(Path(scenario["folder"]), getattr(torch, scenario["dtype"]))
        self._scale = torch.tensor([1.2])
        torch.set_grad_enabled(False)

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("transformers", "mistral-common", "torch")} | {"vllm-omni": "0.30.0"}

    def warm_up(self) -> None:
        """It has nothing of the kind on a CPU."""

    def extract(self, clip: "Clip", words: str) -> Any:
        return clip, self._package.voice_of(clip)

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        _, rows = self._package.prompt_after(*learned, text)
        cache, frames = self._package.backbone.new_cache(), []
        for number in range(1, n_frames + 1):
            rows, frame = self._made(rows, cache)
            frames.append(frame)
            size = FIRST_FRAMES if number <= CHUNK_FRAMES else CHUNK_FRAMES
            if number % size == 0 or number == n_frames:
                yield self._decoded(frames, number % size or size)

    def _made(self, rows: Any, cache: Any) -> tuple[Any, Any]:
        """The next frame behind these rows, as the row that it is and as its codes (Q,)."""
        states = self._package.backbone.states(rows, cache)
        codes = self._package.flow(llm_hidden=states[-1:], cfg_alpha=self._scale)
        return self._package.frame_row(codes), codes[0] - 2

    def _decoded(self, frames: list, n_new: int) -> "np.ndarray":
        import torch

        window = frames[-(n_new + CONTEXT_FRAMES) :]
        samples = self._package.decoded(torch.stack(window, dim=1).numpy())
        return samples[len(samples) // len(window) * (len(window) - n_new) :]


if __name__ == "__main__":
    measure(OfficialSide)
