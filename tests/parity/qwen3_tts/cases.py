"""What both sides of the parity tests are given: clips, texts, modes and codes, all made by formula."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from engines.clips.clip import Clip
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import SPEAKERS, write_tiny_checkpoint

__all__ = ["CASES", "ENDING_TEXT", "FRAMES", "GOLDEN", "REFERENCE_TEXT", "SAMPLING_CASES", "SEED"]
__all__ += [
    "OWN_TEXT",
    "OWN_VOICES",
    "Case",
    "OwnVoice",
    "SamplingCase",
    "clips",
    "decoder_codes",
    "group_file",
    "own_voice_file",
    "sampling_history",
    "sampling_logits",
    "write_own_checkpoint",
]

GOLDEN = Path(__file__).parent / "golden"
REFERENCE_TEXT = "The sentence, then."
TEXTS = {  # in toy tokens, mostly bytes: together with the reference's words less than its 21 rows, and more
    "shorter": "And so.",
    "longer": "Ein Satz, NaOH and 12 więcej: 我 the sentence!",
}
ENDING_TEXT = "To the end."
FRAMES = 12  # generated per case
SEED = 12  # of the weights: no choice in any golden hangs on rounding


@dataclass(frozen=True)
class Case:
    """One prompt. in_context: clip and words, else the speaker embedding alone. full_text: `non_streaming_mode` of the official package."""

    projection: bool
    in_context: bool
    full_text: bool
    language: str
    length: str

    @property
    def name(self) -> str:
        return f"{self.language}_{self.length}"

    @property
    def group(self) -> str:
        """Cases of one group share a golden file."""
        words = ("projection" if self.projection else "equal_widths", "in_context" if self.in_context else "embedding")
        return "_".join((*words, "full_text" if self.full_text else "streaming_text"))

    @property
    def text(self) -> str:
        return TEXTS[self.length]


CASES = tuple(Case(*values) for values in product((True, False), (True, False), (False, True), ("english", "auto"), tuple(TEXTS)))


def group_file(group: str) -> Path:
    return GOLDEN / f"greedy_{group}.safetensors"


@dataclass(frozen=True)
class OwnVoice:
    """Speech in a voice of the model's own. speaker: "" for one that the instruction describes. projection: the larger size."""

    kind: str
    projection: bool
    speaker: str
    language: str
    instruction: str
    full_text: bool

    @property
    def name(self) -> str:
        words = (self.speaker or "described", self.language, "told" if self.instruction else "untold")
        return "_".join((*words, "full" if self.full_text else "streaming"))

    @property
    def group(self) -> str:
        """Cases of one group share a checkpoint and a golden file."""
        return f"{self.kind}_{'projection' if self.projection else 'equal_widths'}"


OWN_TEXT = TEXTS["longer"]
TOLD = "Say the 12, and then: 我 sotto voce!"
OWN_VOICES = (
    *(
        OwnVoice("custom_voice", projection, speaker, language, instruction, full_text)
        for projection, (speaker, language, instruction), full_text in product(
            (True, False),
            (("vivian", "auto", ""), ("eric", "auto", ""), ("eric", "chinese", TOLD), ("eric", "english", ""), ("ryan", "english", TOLD)),
            (True, False),
        )
    ),
    *(
        OwnVoice("voice_design", True, "", language, instruction, full_text)
        for (language, instruction), full_text in product((("auto", TOLD), ("english", TOLD), ("auto", "")), (True, False))
    ),
)


def write_own_checkpoint(folder: Path, case: OwnVoice) -> Path:
    """The toy checkpoint that a case speaks with."""
    speakers = SPEAKERS if case.kind == "custom_voice" else {}
    return write_tiny_checkpoint(folder, projection=case.projection, seed=SEED, kind=case.kind, speakers=speakers, learns=False)


def own_voice_file(group: str) -> Path:
    return GOLDEN / f"own_{group}.safetensors"


def clips() -> dict[str, Clip]:
    """reference: 20 whole frames of 24 kHz, the one that the prompts use. resampled: 2 s at 44.1 kHz.

    Two seconds are 25 frames, but the official resampling counts in floating point, to one sample and so to one frame more.
    """
    return {"reference": made_clip(1.6), "resampled": made_clip(2.0, sample_rate=44_100, pitch_hz=190.0, seed=1)}


def decoder_codes(frames: int) -> np.ndarray:
    """(1, 16, F) int64 in [0, 2048), by Philox."""
    return (np.random.Philox(key=5).random_raw(16 * frames) >> np.uint64(53)).astype(np.int64).reshape(1, 16, frames)


@dataclass(frozen=True)
class SamplingCase:
    """How codebook 0 is chosen. history: how many codes were spoken before. shift: added to all logits; penalties depend on their signs."""

    temperature: float
    top_k: int
    top_p: float
    repetition_penalty: float
    history: int
    shift: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.temperature}_{self.top_k}_{self.top_p}_{self.repetition_penalty}_{self.history}_{self.shift}"


SAMPLING_CASES = (
    SamplingCase(0.9, 50, 1.0, 1.05, 6),  # the released defaults
    SamplingCase(0.9, 50, 1.0, 1.05, 1),  # too early to end
    SamplingCase(0.7, 0, 0.8, 1.0, 6),
    SamplingCase(1.4, 30, 0.6, 1.5, 40),
    SamplingCase(0.3, 5, 0.95, 1.2, 40),
    SamplingCase(0.9, 50, 1.0, 1.3, 40, -20.0),
)


def sampling_logits() -> np.ndarray:
    """(3072,) float32 about as wide as a trained model's, the end of speech (2150) among the best, ties among the rest."""
    words = np.random.Philox(key=7).random_raw(4 * 3072).reshape(4, 3072) >> np.uint64(40)
    logits = ((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 6).astype(np.float32).round(2)
    logits[2150] = np.sort(logits[:2048])[-4]
    return logits


def sampling_history(length: int) -> np.ndarray:
    """(N,) int64: codes spoken before, half of them among the best now, some twice."""
    best = np.argsort(-sampling_logits()[:2048], kind="stable")
    return np.array([best[i % 30] if i % 2 else (i * 53) % 2048 for i in range(length)], np.int64)
