"""The reference of Fish Audio S2 Pro, run so that every number it computes can be compared. Imported only where vllm-omni is.

Its environment (PyPI, Python 3.11): torch 2.11.0, torchaudio 2.11.0, tokenizers 0.23.3, safetensors 0.8.0, soundfile 0.14.0, soxr 1.1.0,
einops 0.8.2, numpy 2.4.6, and vllm-omni 0.30.0 without its dependencies. Of that package (Apache-2.0) are the codec and the preparation of
recordings; `oracle.py` has the transformers, and what of them the package has too is compared with it.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Clip
from tests.parity.fish_speech import official_transformers
from tests.parity.fish_speech.cases import Case, race, recordings
from tests.parity.fish_speech.official_codec import Codec, prepared
from tests.parity.fish_speech.oracle import Oracle, Race, Reference, Trace
from tests.parity.fish_speech.vllm_modules import UPSTREAM

__all__ = ["UPSTREAM", "Package"]


@dataclass(frozen=True)
class Package:
    """A checkpoint folder as the reference uses it."""

    oracle: Oracle
    codec: Codec

    @classmethod
    def load(cls, folder: Path, dtype: torch.dtype = torch.float32) -> "Package":
        """dtype: of the transformers; the codec is float32."""
        codec = Codec.load(folder / "codec.pth")
        return cls(Oracle(folder, codec.codebook_sizes[1], dtype), codec)

    def encoded(self, clip: Clip) -> np.ndarray:
        """Codes (Q, F) int64 of a recording at any rate."""
        return self.codec.encode(prepared(clip))

    def references(self, case: Case) -> list[Reference]:
        """Words and codes of the recordings that a case's voice is of."""
        clips = recordings(self.codec.frame_samples)[: len(case.words)]
        return [(words, torch.from_numpy(self.encoded(clip))) for words, clip in zip(case.words, clips, strict=True)]

    def speak(self, case: Case) -> tuple[Trace, np.ndarray]:
        """What went through the transformers, and the waveform, (T,)."""
        trace = self.oracle.speak(case.text, self.references(case), case.settings, self._race(case))
        return trace, self.codec.decode(trace.spoken.numpy())

    def differences(self, case: Case) -> list[str]:
        """Where the oracle and what vllm-omni has of the transformers part in a case with one recording."""
        ((words, codes),) = self.references(case)
        return official_transformers.differences(self.oracle, case.text, words, codes)

    def _race(self, case: Case) -> Race | None:
        return None if case.seed is None else lambda frame, draw, n_codes: race(case.seed, frame, draw, n_codes)
