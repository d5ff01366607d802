"""faster-qwen3-tts's side of `tests.parity.beside --engine qwen3_tts`.

PYTHON's environment (PyPI): faster-qwen3-tts 0.5.4 with torch and torchaudio 2.11.0 and transformers 5.15.1 (5.23 does not load its model);
it brings qwen-tts-hf, the official package for a newer transformers. It wants CUDA.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tests.parity.other_figures import measure

if TYPE_CHECKING:
    import numpy as np

    from engines.clips.clip import Clip

__all__ = ["FasterSide"]

PIECE_FRAMES = 8  # its pieces are all of one size; ours grow to this one


class FasterSide:
    """faster-qwen3-tts, whose pieces have one size: the smallest where the first audio is timed."""

    streams = True
    sample_rate = 24_000

    def __init__(self, scenario: Mapping):
        import torch
        from faster_qwen3_tts import FasterQwen3TTS

        dtype = getattr(torch, scenario["dtype"])
        self._model = FasterQwen3TTS.from_pretrained(scenario["folder"], device=scenario["device"], dtype=dtype)

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("faster-qwen3-tts", "qwen-tts-hf", "transformers", "torch")}

    def warm_up(self) -> None:
        self._model.warmup()

    def extract(self, clip: "Clip", words: str) -> Any:
        import numpy as np

        return self._model.model.create_voice_clone_prompt((np.array(clip.samples), clip.sample_rate), words, False)

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        for samples, _, _ in self._model.generate_voice_clone_streaming(
            text,
            "Auto",
            voice_clone_prompt=learned,
            max_new_tokens=n_frames,
            chunk_size=1 if first else PIECE_FRAMES,
        ):
            yield samples


if __name__ == "__main__":
    measure(FasterSide)
