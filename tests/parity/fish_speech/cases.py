"""What both sides of the parity tests are given: clips, texts, voices, codes, logits and noise, all made by formula."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.kit.sampling.sampling import gumbel_noise
from tests.engines.clips.made_clip import made_clip
from tests.parity.fish_speech.checkpoints import SHAPES
from tests.parity.fish_speech.oracle import GREEDY, Settings

__all__ = ["BFLOAT16_CASES", "CASES", "ENDINGS", "GOLDEN", "N_FRAMES", "N_RACES", "N_REPEATED", "N_STREAMS", "REPETITIONS", "SAMPLED"]
__all__ += ["SAMPLING", "TOKEN_TEXTS", "WORDS", "Case", "Ending", "clips", "looked_at", "made_codes", "made_numbers", "n_long_frames"]
__all__ += ["noise", "race", "recordings", "repetition_logits", "sampling_logits", "thinned"]

GOLDEN = Path(__file__).parent / "golden"
CODEC_RATE = 44_100
CLIP_RATES = (8_000, 16_000, 44_100, 48_000)
TEXTS = {  # by voice
    "any": "Oh, [whisper] the world: 12 (ø)!",
    "one": "<speaker:0>the voice, z\u0307o\u0301łw.",
    "several": "text [laugh] text: 你好.",
    "phonemes": "say <|phoneme_start|>t ə m eɪ<|phoneme_end|> the speech",
}
VOICES = tuple(TEXTS)
WORDS = ("And then, the voice.", "<speaker:3>ein zweiter Satz: 你好")  # the second one says who speaks
TOKEN_TEXTS = (*TEXTS.values(), *WORDS, "<|speaker:0|>the", "system\n", "\n\nSpeech:\n", "a", "  the  voice ", "one\ntwo")
TOKEN_TEXTS += ("don't STOP 123", "🙂ée\u0301")
CODEBOOK_STRIDE = 8192  # of noise: one draw's numbers behind the other's
MOST_SAMPLES = 1000  # of a waveform in a golden
N_RACES = 60  # draws that a way of sampling is compared over
N_STREAMS, N_FRAMES, N_REPEATED = 12, 25, 257  # of repetitions: the last of so many codes is the end


@dataclass(frozen=True)
class Case:
    """One speech. voice: any, of one recording, of several in one prompt, or of one with phonemes in the text. seed: None: greedy."""

    shape: str
    voice: str
    settings: Settings = GREEDY
    seed: int | None = None

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.voice}" + ("" if self.seed is None else "_sampled")

    @property
    def file(self) -> Path:
        return GOLDEN / f"speech_{self.name}.safetensors"

    @property
    def text(self) -> str:
        return TEXTS[self.voice]

    @property
    def words(self) -> tuple[str, ...]:
        """Of each recording in the prompt."""
        return WORDS[: {"any": 0, "several": 2}.get(self.voice, 1)]


# Of few codes, so that some of the last ten come again.
SAMPLED = tuple(
    Case(shape, voice, Settings(temperature, top_p, top_k, max_new_tokens=14), seed)
    for shape, (voice, temperature, top_p, top_k, seed) in zip(
        SHAPES, (("one", 0.8, 0.9, 3, 5), ("any", 1.3, 1.0, 2, 7), ("several", 0.5, 0.99, 4, 10)), strict=True
    )
)
BFLOAT16_CASES = tuple(Case(shape, "several") for shape in ("usual", "deep"))
CASES = (*(Case(shape, voice) for shape, voice in product(SHAPES, VOICES)), *SAMPLED)


@dataclass(frozen=True)
class Ending:
    """A speech by a checkpoint that ends every speech after so many frames, or where no more tokens are asked for."""

    shape: str
    ends_after: int
    max_new_tokens: int
    text: str = TEXTS["any"]

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.ends_after}_{self.max_new_tokens}"

    @property
    def settings(self) -> Settings:
        return Settings(max_new_tokens=self.max_new_tokens)


# The end is a token as well: of four frames it is the fifth, and where only four are drawn, the fourth is not heard.
ENDINGS = (Ending("usual", 3, 20), *(Ending("sparse", 4, most) for most in (20, 5, 4)))


def clips(frame_samples: int) -> dict[str, Clip]:
    """By rate, and one that is longer than the windows of the codec's transformers where frames are short."""
    by_rate = {str(rate): _clip(rate, 3 + i, frame_samples) for i, rate in enumerate(CLIP_RATES)}
    return by_rate | {"long": _clip(48_000, n_long_frames(frame_samples), frame_samples)}


def n_long_frames(frame_samples: int) -> int:
    """More than the 128 that a frame sees of those before it, unless that takes seconds."""
    return 135 if frame_samples < 256 else 7


def _clip(sample_rate: int, n_frames: int, frame_samples: int) -> Clip:
    """So many frames, the last a part. Clips of different rates are of different people."""
    seconds = (n_frames - 0.3) * frame_samples / CODEC_RATE
    return made_clip(seconds, sample_rate=sample_rate, pitch_hz=90.0 + sample_rate / 400, seed=sample_rate % 7)


def recordings(frame_samples: int) -> tuple[Clip, Clip]:
    """Those of the voices, at two rates."""
    return _clip(48_000, 4, frame_samples), _clip(16_000, 3, frame_samples)


def made_codes(sizes: tuple[int, ...], n_frames: int) -> np.ndarray:
    """(Q, F) int64 below the sizes of the books, by Philox; the first frames are the least and the largest."""
    words = np.random.Philox(key=n_frames).random_raw(len(sizes) * n_frames).reshape(len(sizes), n_frames) >> np.uint64(40)
    most = np.array(sizes, np.int64)[:, None]
    codes = words.astype(np.int64) % most
    codes[:, :2] = np.concatenate([np.zeros_like(most), most - 1], axis=1)
    return codes


def looked_at(n_rows: int) -> list[int]:
    """Rows of a prompt that goldens hold whole."""
    return [n_rows // 4, n_rows // 2, n_rows - 1]


def thinned(samples: np.ndarray) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a rate of the decoder."""
    stride = -(-len(samples) // MOST_SAMPLES)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5, 7)):
        stride += 1
    return samples[::stride]


def race(seed: int, frame: int, draw: int, n_codes: int) -> Tensor:
    """(V,) numbers of an exponential race: those whose negative logarithms are the Gumbel noise that our engine draws a code with."""
    return (-noise(seed, frame, draw, n_codes).double()).exp()


def noise(seed: int, frame: int, draw: int, n_codes: int) -> Tensor:
    """(V,) float32, the noise of a draw of a frame."""
    return gumbel_noise(torch.tensor([[seed]]), torch.tensor([[frame]]), draw * CODEBOOK_STRIDE + torch.arange(n_codes))[0]


# Ways of sampling: of semantic codes or of others, hot and cold, by either limit alone and by both.
SAMPLING = {
    "released": Settings(0.8, 0.8, 30),
    "server_of_old": Settings(1.0, 0.9, 30),
    "by_rank": Settings(0.7, 1.0, 5),
    "by_nucleus": Settings(1.4, 0.3, 4096),
    "nucleus_of_one": Settings(1.0, 0.01, 30),
    "cold": Settings(0.1, 0.95, 50),
    "greedy": Settings(0.8, 0.8, 1),
}
REPETITIONS = ("released", "by_rank", "by_nucleus")


def sampling_logits(n_codes: int) -> np.ndarray:
    """(V,) float32 about as wide as a trained model's; no two of the best are equal, and the last, the end, is among them."""
    words = np.random.Philox(key=n_codes + 8).random_raw(4 * n_codes).reshape(4, n_codes) >> np.uint64(40)
    logits = ((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 6).astype(np.float32)
    logits[-1] = np.sort(logits)[-3:-1].mean()
    return logits


def repetition_logits() -> np.ndarray:
    """(N_REPEATED,), the end so unlikely that streams go on."""
    logits = sampling_logits(N_REPEATED)
    logits[-1] = -30
    return logits


def made_numbers(count: int, width: int) -> np.ndarray:
    """(N, D) float32 of about unit size: sums of uniform numbers, by Philox."""
    words = np.random.Philox(key=count * width).random_raw(3 * count * width).reshape(3, count, width) >> np.uint64(40)
    return ((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 2.0).astype(np.float32)
