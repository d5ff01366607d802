"""The official code's side of `tests.parity.beside --engine cosyvoice3`. PYTHON as in `official.py`.

What is kept of a speaker is what its `add_zero_shot_spk` keeps, and the text follows it. Its networks of extraction run by onnxruntime;
the files in the folder hold weights alone, so that files which run are exported here, of the same sizes. Its first piece is a chunk of 25
tokens and what is missing to its grid, and its loop looks every 0.1 s whether there are tokens enough.
"""

import tempfile
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
    """CosyVoice3 without TensorRT and vLLM, which want CUDA."""

    streams = True
    sample_rate = 24_000

    def __init__(self, scenario: Mapping):
        from tests.parity.cosyvoice3 import official

        if (scenario["device"], scenario["dtype"]) != ("cpu", "float32"):
            raise SystemExit("The official side of CosyVoice3 is measured on the CPU, in float32.")
        self._folder = tempfile.TemporaryDirectory()
        self._package = official.Package(_runnable(Path(scenario["folder"]), Path(self._folder.name)))

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("transformers", "onnxruntime", "torch")}

    def warm_up(self) -> None:
        """It has nothing of the kind."""

    def extract(self, clip: "Clip", words: str) -> Any:
        return self._package.voice(clip, words)

    def pieces(self, text: str, learned: Any, n_frames: int, *, first: bool) -> "Iterator[np.ndarray]":
        return self._package.spoken(text, learned, n_frames)


def _runnable(folder: Path, place: Path) -> Path:
    """The folder again, with ONNX files that have steps: of the released sizes."""
    from tests.parity.cosyvoice3 import checkpoints, official_onnx
    from tests.parity.cosyvoice3.extraction_weights import RELEASED_TOKENIZER, speaker_encoder, speech_tokenizer

    for file in folder.iterdir():
        if file.suffix != ".onnx":
            (place / file.name).symlink_to(file.absolute())
    tensors = speech_tokenizer(checkpoints.EXTRACTION_SEED, RELEASED_TOKENIZER)
    official_onnx.export_speech_tokenizer(place / checkpoints.TOKENIZER_FILE, tensors, RELEASED_TOKENIZER)
    official_onnx.export_speaker_encoder(place / checkpoints.CAMPPLUS, speaker_encoder(checkpoints.EXTRACTION_SEED))
    return place


if __name__ == "__main__":
    measure(OfficialSide)
