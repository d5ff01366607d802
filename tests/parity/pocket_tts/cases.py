"""What both sides of the parity tests are given: clips, texts, thresholds and noise, all made by formula."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.kit.sampling.sampling import gaussian_noise
from tests.engines.clips.made_clip import made_clip

__all__ = [
    "ENDINGS",
    "GOLDEN",
    "HEARD",
    "KINDS",
    "LATENT_WIDTH",
    "LONGER",
    "NEVER",
    "SAMPLE_RATE",
    "SPEECHES",
    "TEXT",
    "TOKEN_TEXTS",
    "VOICE",
]
__all__ += ["PIECED_OTHERWISE", "PIECE_KINDS", "PIECE_TEXTS"]
__all__ += ["Ending", "Speech", "SpeechChunk", "as_bytes", "clips", "noise_of", "recordings", "thinned", "thinned_frames"]

GOLDEN = Path(__file__).parent / "golden"
KINDS = ("lsd", "pointwise", "drifting")
SAMPLE_RATE = 24_000
LATENT_WIDTH = 8  # of what is spoken, in the toy checkpoints
NEVER = 1e9  # threshold that no logit crosses
VOICE = "odd"  # of `clips`, that SPEECHES are in
TEXT = "The voice."
LONGER = "One voice and the world, hello the end and two."
TWO = f"{LONGER} The end? {LONGER} {LONGER} {LONGER}"  # more than fit into one piece
TOKEN_TEXTS = (TEXT, LONGER, "Hello!", "the the  voice", "naïve 3.50 🙂")
PIECE_KINDS = ("lsd", "pointwise")  # whose rules of writing differ
PIECE_TEXTS = (
    "hello",
    "hello world, the end;",
    "one: two - three —",
    "'hello' said the voice",
    'He said "hello"',
    "Hello?!",
    "Hello world!... The end",
    "One two. Three four? The end!",
    "hello\nworld",
    "a  b   c",
    "3.50 and 4,5",
    "The voice; the end: hello, world",
    "it’s the ‘end’",
    "Hello… world",
    "Mr. Smith is here. Hello.",
    "naïve café – 🙂",
    "Hello. , world",
    "a b c d",
    "a b c d e",
    "One two three. " * 12,
    "One two three and hello, the world and the end; " * 6,
)
# Which ours reads otherwise: a capital within brackets, marks and abbreviations that stay whole, cuts between words.
PIECED_OTHERWISE = ("(hello)", "“Hello?”, she said", "5 p.m. today", "the end " * 60)
MOST_SAMPLES = 2500  # of a waveform in a golden
NOISE_PER_PIECE = 2**20  # frames of noise between two pieces of a text
FRAME_STRIDE = 17  # of samples within a frame in a golden


@cache
def clips() -> Mapping[str, np.ndarray]:
    """(T,) at 24 kHz. A whole number of half frames, none, and more frames than the window of the encoder has."""
    return {"second": _wave(1.0), "odd": _wave(2.04, seed=1), "long": _wave(12.0, seed=2)}


@cache
def recordings() -> Mapping[str, np.ndarray]:
    """(T,) at 24 kHz, with all ends that a recording may have: loud, quiet and long, silent throughout, a click, half a window."""
    loud = _wave(1.3, seed=3)
    quiet = np.float32(0.008) * _wave(0.43, seed=4)
    click = np.zeros(SAMPLE_RATE, np.float32)
    click[-5] = 0.5
    return {
        "loud": loud,
        "quiet": np.concatenate([loud, quiet, np.zeros(3001, np.float32)]),
        "silent": np.zeros(SAMPLE_RATE, np.float32),
        "click": click,
    }


def _wave(seconds: float, seed: int = 0) -> np.ndarray:
    return made_clip(seconds, seed=seed, pitch_hz=110.0 + 13 * seed).samples


@dataclass(frozen=True)
class Speech:
    """Frames of TEXT in VOICE, from noise that is given. temperature: the variance of that."""

    kind: str
    steps: int = 1
    temperature: float = 0.3
    n_frames: int = 14
    seed: int = 5

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.steps}"

    @property
    def text(self) -> str:
        return TEXT


SPEECHES = (Speech("lsd"), Speech("lsd", steps=3, temperature=0.7), Speech("pointwise"), Speech("drifting", temperature=1.0))


@dataclass(frozen=True)
class Ending:
    """A speech by a checkpoint whose end is known. ends_after: see RandomCheckpoint; where it never ends, its tokens end it."""

    ends_after: float
    text: str = TEXT
    kind: str = "pointwise"

    @property
    def name(self) -> str:
        return f"{self.ends_after}_{len(self.text.split())}"


# Up to frame 5 nobody asks. Of a text of more than four words two frames follow the end, and otherwise four.
ENDINGS = (*(Ending(after) for after in (0, 5, 6, 20, math.inf)), Ending(6, LONGER), Ending(math.inf, "Hello!"))


# What english_2026-01 has otherwise than all later models; and frames after the end, which a configuration may say and none released does.
FIRST_RELEASE = {"insert_bos_before_voice": False, "pad_with_spaces_for_short_inputs": True, "model_recommended_frames_after_eos": 4}


@dataclass(frozen=True)
class SpeechChunk:
    """One text as a caller hears it, from a recording. threshold: of the end. changes: of the model's configuration, see write_toy."""

    name: str
    kind: str
    text: str
    recording: str
    threshold: float = NEVER
    steps: int = 1
    seed: int = 3
    changes: Mapping[str, object] = field(default_factory=dict)


HEARD = (  # by thresholds that logits cross before frame 6 as well, and that none comes near
    SpeechChunk("short", "pointwise", TEXT, "quiet", threshold=-1.8),
    SpeechChunk("longer", "lsd", LONGER, "quiet", threshold=-3.6),
    SpeechChunk("two", "drifting", TWO, "loud", threshold=-1.5),
    SpeechChunk("stepped", "lsd", TEXT, "loud", threshold=-3.3, steps=3),
    SpeechChunk("first_release", "lsd", TEXT, "loud", threshold=-3.75, changes=FIRST_RELEASE),
)


def noise_of(seed: int, piece: int, frame: int, width: int = LATENT_WIDTH) -> np.ndarray:
    """(D,) float32 of variance 1: what our engine draws for a frame of a piece of text, in a stream with that seed."""
    number = torch.tensor([[piece * NOISE_PER_PIECE + frame]])
    return gaussian_noise(torch.tensor([[seed]]), number, torch.arange(width))[0].numpy()


def as_bytes(pieces: Iterable[tuple[str, int]]) -> np.ndarray:
    """Pieces of a text and the frames after the end of each, as goldens hold them."""
    return np.frombuffer("\n".join(f"{frames} {text}" for text, frames in pieces).encode(), np.uint8)


def thinned(samples: np.ndarray) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a rate of the decoder."""
    stride = -(-len(samples) // MOST_SAMPLES)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5)):
        stride += 1
    return samples[::stride]


def thinned_frames(frames: np.ndarray) -> np.ndarray:
    """The same of frames (F, 1920), some samples of each."""
    return np.ascontiguousarray(frames[:, ::FRAME_STRIDE])
