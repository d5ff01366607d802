"""What both sides of the parity tests are given: clips, texts, tokens, mel frames and noise, all made by formula."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.kit.sampling.sampling import uniform_noise
from tests.engines.clips.made_clip import made_clip
from tests.stand_ins.random_checkpoint import uniform

__all__ = ["CHUNKINGS", "CHUNKS", "CLIPS", "CONVERSIONS", "DRAWS", "GOLDEN", "LOOKED_AT", "MEL_STOPS", "SEEDS", "SPEECHES"]
__all__ += ["TOKEN_TEXTS", "VOCODER_SEED", "WORDS"]
__all__ += [
    "Chunking",
    "Draw",
    "Speech",
    "TimbreMapping",
    "as_json",
    "clips",
    "from_json",
    "made_embedding",
    "made_logits",
    "made_mel",
    "made_silences",
]
__all__ += ["made_tokens", "on_grid", "rows_at", "source_noise", "thinned", "uniform_at"]

GOLDEN = Path(__file__).parent / "golden"
SEEDS = {"usual": 0, "sparse": 2}  # of the weights, by shape
CHUNKS = {"usual": 25, "sparse": 10}  # tokens of a chunk
FIRST_TOKENS = 10  # of the first chunk that is heard
WORDS = "And then the voice."  # of the clip
INSTRUCTIONS = "Speak slowly, and sadly."
MOST_SAMPLES = 3000  # of a waveform in a golden
LOOKED_AT = 37  # each so many-th logit is kept
N_CODES = 6561
SILENT = (1, 2, 28, 29, 55, 248, 494, 2241, 2242, 2322, 2323)  # codes of silence and breath, cosyvoice/cli/model.py @ ace7c47


@dataclass(frozen=True)
class Speech:
    """One text that is spoken. words, instructions: in context, or by instructions; neither: across languages. most: tokens.

    ends_after: see RandomCheckpoint; None: it never ends by itself.
    """

    name: str
    shape: str
    clip: str
    text: str
    most: int
    seed: int
    words: str | None = None
    instructions: str | None = None
    ends_after: int | None = None


SPEECHES = (
    Speech("in_context", "usual", "plain", "the voice.", 40, 5, words=WORDS),
    Speech("across_languages", "usual", "wide", "voice.", 20, 6),
    Speech("instructed", "usual", "plain", "speech and [breath] text.", 23, 7, instructions=INSTRUCTIONS),
    Speech("in_context_sparse", "sparse", "high", "then.", 40, 8, words=WORDS),
    Speech("ended", "usual", "plain", "assistant.", 40, 9, ends_after=23),
)


@dataclass(frozen=True)
class TimbreMapping:
    """A recording that is said again in the voice of another."""

    shape: str
    source: str
    clip: str


CONVERSIONS = (TimbreMapping("usual", "wide", "plain"), TimbreMapping("sparse", "plain", "high"))


@dataclass(frozen=True)
class Chunking:
    """Frames of made tokens after a prompt. stops: tokens after each chunk, on the grid that begins with the prompt; the last ends."""

    shape: str
    n_prompt: int
    stops: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.n_prompt}"


CHUNKINGS = (
    Chunking("usual", 15, (10, 35, 43)),
    Chunking("usual", 50, (25, 31)),
    Chunking("sparse", 7, (3, 23, 40)),
)
VOCODER_SEED = 68  # of mel frames, with and without pitch to either shape
MEL_STOPS = (21, 30, 38)  # frames that the vocoder has after each piece


@dataclass(frozen=True)
class Draw:
    """So many rows of made logits over `size` ids, and what was said before each."""

    size: int
    spread: float
    n_rows: int


DRAWS = (Draw(6761, 3.0, 60), Draw(6761, 12.0, 60), Draw(40, 1.0, 60), Draw(7, 6.0, 60))
# Ids as they stand: special tokens within words and beside blanks, letters of every script, digits, line ends.
TOKEN_TEXTS = (
    "You are a helpful assistant.<|endofprompt|>the voice",
    "You are a helpful assistant. Speak slowly.<|endofprompt|>",
    "hello [breath] world[laughter]",
    "<strong>the</strong> voice <laughter>text</laughter>",
    "[sigh][quick_breath] and [mn]",
    "你好，世界。",
    "[h][ào]奇 [AA1] [AY2]",
    "naïve żółw ё",
    "12 345 6.7",
    "line\nbreak\r\n\n  and blanks ",
    " a",
    "<|endofsystem|>",
    "<|im_start|>text<|im_end|><|endoftext|>",
    "[breath]",
    "[Breath] [BREATH]",
    "🙂 emoji 👩‍💻",
    "don't I'll we've",
    "x² + y³ = ½",
    "<|endofprompt|><|endofprompt|>",
    "カタカナ 한국어 العربية",
)


# plain: no resampling for two of the three features. wide, high: other rates. even: 100 half-frames of the speaker encoder exactly.
# long: 203 of them, so that the last of its segments is short. short: of the least length.
CLIPS = {
    "plain": {"seconds": 1.33, "sample_rate": 16_000},
    "wide": {"seconds": 1.62, "sample_rate": 24_000, "pitch_hz": 190.0, "seed": 1},
    "high": {"seconds": 1.1, "sample_rate": 44_100, "pitch_hz": 150.0, "seed": 2},
    "even": {"seconds": 2.015, "sample_rate": 16_000, "pitch_hz": 170.0, "seed": 3},
    "long": {"seconds": 4.07, "sample_rate": 16_000, "pitch_hz": 100.0, "seed": 4},
    "short": {"seconds": 1.0, "sample_rate": 16_000, "pitch_hz": 220.0, "seed": 5},
}


@cache
def clips() -> dict[str, Clip]:
    """All of `CLIPS`, made when the first is wanted."""
    return {name: made_clip(**about) for name, about in CLIPS.items()}


def uniform_at(seed: int, step: int, draw: int) -> float:
    """What our engine draws by: of a token's two draws, of a stream with that seed."""
    return float(uniform_noise(torch.tensor([[seed]]), torch.tensor([[step]]), torch.tensor([draw])))


def source_noise(n_frames: int, frame_samples: int = 480, n_sines: int = 9) -> np.ndarray:
    """(n_frames * frame_samples, n_sines) of [0, 1], what our vocoder adds to its sines."""
    places, frames = torch.arange(frame_samples * n_sines), torch.arange(n_frames)[:, None]
    return uniform_noise(torch.full((1, 1), 1986), frames, places).reshape(-1, n_sines).numpy()


def made_tokens(count: int, seed: int) -> list[int]:
    """Codes of speech, by Philox."""
    return (np.random.Philox(key=seed).random_raw(count) % np.uint64(N_CODES)).astype(np.int64).tolist()


def made_mel(n_frames: int, seed: int) -> np.ndarray:
    """(F, 80) float32: noise around a slope over the bins, as wide as log-mel."""
    return uniform("mel", seed, "", (n_frames, 80), (4.0, 0.0)) - np.linspace(0, 3, 80, dtype=np.float32)


def made_embedding(seed: int, width: int = 192) -> np.ndarray:
    """(width,) float32, a speaker's, of any length."""
    return uniform("embedding", seed, "", (width,), (3.0, 0.2))


def made_silences() -> list[int]:
    """Tokens with runs of 1 to 9 that are silence, of one kind and of several, at the beginning and at the end too."""
    tokens = []
    for length in (7, *range(1, 10)):
        tokens += [SILENT[(length * place) % len(SILENT)] for place in range(length)] + made_tokens(length % 3 + 1, seed=length)
    return [*tokens, *SILENT[:8]]


def made_logits(draw: Draw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """logits (n, V) float32; recent (n, 10) int64, -1 where there was none, likely ids among them; uniforms (n, 2)."""
    logits = uniform("logits", draw.size, "", (draw.n_rows, draw.size), (1.0, 0.0)) ** 3 * np.float32(draw.spread)
    order = np.argsort(-logits, axis=1)
    recent = np.full((draw.n_rows, 10), -1, np.int64)
    for row in range(draw.n_rows):
        n_recent = row % 11
        recent[row, 10 - n_recent :] = order[row, np.arange(n_recent) * (1 + row % 3) % draw.size]
    uniforms = np.array([[uniform_at(draw.size, row, number) for number in (0, 1)] for row in range(draw.n_rows)])
    return logits, recent, uniforms


def on_grid(n_prompt: int, chunk: int) -> int:
    """How many of the prompt's last tokens the flow is given, so that FIRST_TOKENS more end a chunk. All where that loses over a third."""
    left = (n_prompt + FIRST_TOKENS) % chunk
    return n_prompt - left if left <= n_prompt / 3 else n_prompt


def rows_at(n_rows: int) -> list[int]:
    """Frames of a spectrogram that goldens hold: the first two, some between, the last two."""
    return sorted({0, 1, n_rows // 5, n_rows // 2, n_rows - n_rows // 5, n_rows - 2, n_rows - 1})


def thinned(samples: np.ndarray) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a rate of the decoder."""
    stride = -(-len(samples) // MOST_SAMPLES)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5, 7)):
        stride += 1
    return samples[::stride]


def as_json(content: object) -> np.ndarray:
    """(N,) uint8."""
    return np.frombuffer(json.dumps(content, ensure_ascii=False).encode(), np.uint8)


def from_json(values: np.ndarray) -> Any:
    """What as_json was given."""
    return json.loads(values.tobytes())
