"""What both sides of the parity tests are given: clips, texts, codes, waves and noise, all made by formula."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.kit.sampling.sampling import CODEBOOK_STRIDE, TEXT_STRIDE, TEXT_UNIFORM_BITS, gumbel_noise
from tests.engines.clips.made_clip import made_clip

__all__ = [
    "CODEC_FRAMES",
    "CUT_TEXT",
    "GOLDEN",
    "HEARD",
    "LONG",
    "LOOKED_AT",
    "PROMPTS",
    "REFERENCES",
    "SEEDS",
    "SHAPES",
    "SPOKEN",
    "TEXT",
]
__all__ += ["CODEC_RATE", "CODE_POINTS", "FRAME_SAMPLES", "SCRIPTS", "SHORTENED", "SPEEDS"]
__all__ += ["TOGETHER", "WORDS", "Prompt", "SpeechChunk", "Spoken", "as_bytes", "as_text", "clips", "half_masked", "made_codes"]
__all__ += ["made_samples", "noise", "thinned"]

GOLDEN = Path(__file__).parent / "golden"
SHAPES = ("usual", "sparse")
SEEDS = {"usual": 0, "sparse": 0}  # of all weights, by shape: no choice in any golden hangs on rounding
CODEC_RATE, FRAME_SAMPLES = 24_000, 960
UPSTREAM_EPSILON = 1e-10  # in its _gumbel_sample, twice
MASK = 1024  # code of what is not spoken yet
CLIP_SEEDS = {"plain": 27, "silences": 21, "quiet": 40}  # of their breath: no code hangs on rounding
# Frames of made codes and of made samples -> seed of these. A decoded sample is of 11 frames on each side.
CODEC_FRAMES = {1: 14, 2: 28, 3: 13, 12: 4, 26: 24}
LOOKED_AT = 61  # every so manieth logit is in a golden
MOST_SAMPLES = 1000  # of a waveform in a golden
TEXT = "the voice, and then text"

# By clip. Of the last one the ending is kept, and of the second one is of the language's own.
WORDS = {"plain": "And then, the voice", "silences": "然后 the 声音", "quiet": "speech!"}


@cache
def clips() -> dict[str, Clip]:
    """plain: at the codec's rate, loud. silences: long and short ones, within and at both ends. quiet: below the level of a reference."""
    plain = made_clip(1.13, seed=CLIP_SEEDS["plain"])
    quiet = made_clip(1.07, sample_rate=16_000, pitch_hz=90.0, seed=CLIP_SEEDS["quiet"])
    return {
        "plain": Clip(plain.samples * np.float32(1.5), plain.sample_rate),
        "silences": _silences(CLIP_SEEDS["silences"]),
        "quiet": Clip(quiet.samples * np.float32(0.3), quiet.sample_rate),
    }


def _silences(seed: int) -> Clip:
    """Without its long silences a whole number of frames, so that a little less at either end is a frame less."""
    spoken = made_clip(1.2, sample_rate=44_100, pitch_hz=170.0, seed=seed).samples * np.float32(1.7)
    parts = []
    for n_silent, first, last in ((20_000, 0, 20_240), (30_000, 20_000, 32_000), (5_000, 32_000, None), (26_000, 0, 0)):
        parts += [np.zeros(n_silent, np.float32), spoken[first:last]]
    return Clip(np.concatenate(parts), 44_100)


@dataclass(frozen=True)
class Prompt:
    """What stands before the codes. voice: of `clips`, or none."""

    text: str
    voice: str | None = None
    language: str | None = None
    instructions: str | None = None
    denoise: bool = True


_TEXTS = (
    "the voice",
    "  the\tvoice \r\nand  text（then）. ",
    "你好 the 世界，声音 。",
    "[laughter] the voice [sigh][question-ah]",
    "这是[surprise-wa] 声音 [dissatisfaction-hnn]。",
    "the [B EY1 S] voice, ZHONG4 [laughs]",
    "naïve e\u0301 🙂 żółw 12.5 %",
    "한국어 ひらがな नमस्ते",
)
_STYLES = (
    (None, None),
    ("en", "female, low pitch"),
    ("zh", "男，四川话"),
    ("de", " Whisper ，British Accent,"),
    ("yue", "young adult"),
    (None, " "),
)
PROMPTS = (
    *(Prompt(text, voice, *_STYLES[i % len(_STYLES)]) for i, (text, voice) in enumerate(product(_TEXTS, (None, *WORDS)))),
    *(Prompt(text, "plain", *style) for text, style in product(_TEXTS[:3], _STYLES)),
    Prompt("the voice", "plain", denoise=False),
    Prompt("the voice", "silences", "en", "elderly", denoise=False),
    Prompt("the voice", None, "zh", denoise=False),
)

SCRIPTS = {
    "latin": "The north wind and the sun were arguing about which of them was the stronger.",
    "vietnamese": "Gió bấc và mặt trời đang tranh cãi xem ai mạnh hơn.",
    "greek": "Ο βοριάς κι ο ήλιος μάλωναν για το ποιος είναι ο δυνατότερος.",
    "cyrillic": "Однажды северный ветер и солнце поспорили, кто из них сильнее.",
    "armenian": "Հյուսիսային քամին և արևը վիճում էին։",
    "georgian": "ჩრდილოეთის ქარი და მზე კამათობდნენ.",
    "hebrew": "רוּחַ הַצָּפוֹן וְהַשֶּׁמֶשׁ הִתְוַכְּחוּ",
    "arabic": "كانت ريح الشـــمال تتجادل والشَّمْس، أيّهما أقوى؟",
    "devanagari": "उत्तरी हवा और सूरज में बहस हो रही थी।",
    "bengali": "উত্তুরে হাওয়া আর সূর্য",
    "tamil": "வடக்குக் காற்றும் சூரியனும்",
    "sinhala": "උතුරු සුළඟ සහ හිරු",
    "thai": "ลมเหนือกับพระอาทิตย์กำลังเถียงกัน",
    "lao": "ລົມເໜືອກັບຕາເວັນ",
    "tibetan": "བྱང་གི་རླུང་དང་ཉི་མ།",
    "myanmar": "မြောက်လေနှင့်နေမင်း",
    "khmer": "ខ្យល់ខាងជើងនិងព្រះអាទិត្យ",
    "ethiopic": "የሰሜን ነፋስና ፀሐይ ተከራከሩ።",
    "hangul": "북풍과 태양이 서로 다투고 있었습니다.",
    "jamo": "\u1107\u116e\u11a8\u1111\u116e\u11bc",
    "kana": "きたかぜとタイヨウが、くらべっこをしました。",
    "chinese": "有一回，北风跟太阳正在那儿争论谁的本领大。",
    "rare_chinese": "𠮷野家𪚥",
    "yi": "ꆈꌠꁱꂷ",
    "cherokee": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
    "mongolian": "ᠮᠣᠩᠭᠣᠯ",
    "full_width": "Ｈｅｌｌｏ　１２３！",
    "digits": "12:30, 3½ — №5 €9",
    "emoji": "ha 🙂🙂 👩‍👩‍👧!",
    "tags": "[laughter] ha",
    "one": "a",
    "blank": " \u00a0\u200b",
    "long": "The voice speaks and does not end. " * 40,
}
# Words and frames of references: none, usual ones, and so fast and so slow that estimates are long and short.
REFERENCES = (
    None,
    ("Nice to meet you.", 25),
    ("And then, the voice.", 37),
    ("声音。", 30),
    ("a", 250),
    ("The voice is too fast. " * 3, 12),
)
SPEEDS = (1.0, 0.25, 1.3, 4.0)
CODE_POINTS = range(0, 0x32000, 41)  # whose weights are compared, surrogates left out
LONG = (
    "The voice begins, and Dr. Speech listens. “Is that a text?” it asks; nobody answers, for nobody is there (yet)! "
    "Then it says: one sentence is short. Another one is long, has commas, and goes on, as if the speaker did not want it to end at all. "
) * 6
CUT_TEXT = LONG[:112]
# Limits of long texts, a tenth of the package's, so that a text of seconds is cut.
SHORTENED = {"audio_chunk_threshold": 3.0, "audio_chunk_duration": 1.5, "num_step": 4, "position_temperature": 0.0}


@dataclass(frozen=True)
class Spoken:
    """Codes of TEXT. voice: of `clips`, or none. seed: of noise; None where nothing is drawn. settings: of generation."""

    shape: str
    n_frames: int
    voice: str | None = "plain"
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        said = "_".join(f"{name}_{value}" for name, value in self.settings.items())
        return f"{self.shape}_{self.n_frames}_{self.voice or 'any'}" + (f"_{said}" if said else "")

    @property
    def given(self) -> dict[str, Any]:
        """All settings; the greatest steps and the guidance are the defaults."""
        return {"num_step": 16, "position_temperature": 0.0 if self.seed is None else 5.0} | dict(self.settings)


EIGHT = {"num_step": 8}
SPOKEN = (
    Spoken("usual", 1, settings=EIGHT),
    Spoken("usual", 4, "quiet", settings=EIGHT),
    Spoken("usual", 9, settings=EIGHT),
    Spoken("usual", 8, None, settings=EIGHT),
    Spoken("sparse", 1),  # fewer codes than steps
    Spoken("usual", 12, settings={"num_step": 32}),
    Spoken("sparse", 13, "quiet", settings={"num_step": 32}),
    Spoken("usual", 30, settings={"num_step": 6}),
    Spoken("sparse", 9, "silences", settings={"guidance_scale": 0.0}),
    Spoken("usual", 9, settings={"guidance_scale": 3.5, "t_shift": 0.6, "layer_penalty_factor": 1.0, "num_step": 5}),
    Spoken("usual", 12, seed=3),
    Spoken("sparse", 7, None, seed=4, settings={"position_temperature": 1.5, "num_step": 32}),
    Spoken("usual", 6, seed=5, settings={"class_temperature": 0.5, "position_temperature": 0.0}),
    Spoken("sparse", 10, seed=6, settings={"class_temperature": 0.5}),
    Spoken("usual", 4, "quiet", seed=7, settings={"class_temperature": 2.0, "num_step": 32}),
)
TOGETHER = tuple(case for case in SPOKEN if case.seed is None and case.settings == EIGHT)


@dataclass(frozen=True)
class SpeechChunk:
    """One speech as a caller hears it. given: of generation, by the names that both sides have."""

    name: str
    shape: str
    voice: str | None
    text: str = TEXT
    language: str | None = None
    instructions: str | None = None
    seed: int = 1
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        return {"num_step": 6} | dict(self.given)


HEARD = (
    SpeechChunk("cloned", "usual", "plain", language="en", given={"num_step": 32}),
    SpeechChunk("quiet", "sparse", "quiet"),
    SpeechChunk("designed", "usual", None, language="de", instructions="female, low pitch"),
    SpeechChunk("any", "sparse", None),
    SpeechChunk("fast", "usual", "silences", given={"speed": 1.6}),
    SpeechChunk("slow", "sparse", "plain", "the voice", given={"speed": 0.7}),
    SpeechChunk("timed", "usual", "plain", given={"duration": 0.5}),
    SpeechChunk("unprocessed", "sparse", "quiet", given={"postprocess_output": False}),
    SpeechChunk("chinese", "usual", "silences", "声音 [laughter] 你好。", "zh", "whisper", given={"denoise": False}),
    SpeechChunk("sampled", "sparse", "plain", given={"class_temperature": 0.7}),
)


def made_samples(n_frames: int) -> np.ndarray:
    """(T,) float32 of so many frames at the codec's rate."""
    return made_clip(n_frames * FRAME_SAMPLES / CODEC_RATE, pitch_hz=100.0 + 7 * n_frames, seed=CODEC_FRAMES[n_frames]).samples.copy()


def made_codes(n_frames: int) -> np.ndarray:
    """(8, F) int64 by Philox; the first frames are the least and the largest."""
    words = np.random.Philox(key=n_frames).random_raw(8 * n_frames).reshape(8, n_frames) >> np.uint64(40)
    codes = words.astype(np.int64) % MASK
    codes[:, :2] = np.array([0, MASK - 1])[:n_frames]
    return codes


def half_masked(n_frames: int) -> np.ndarray:
    """(8, F) made codes of which some are not spoken yet."""
    codes = made_codes(n_frames)
    codes[(np.arange(8)[:, None] * 3 + np.arange(n_frames)) % 5 < 2] = MASK
    return codes


def noise(seed: int, step: int, shape: tuple[int, ...]) -> Tensor:
    """Uniform numbers, float64, of which upstream makes the Gumbel noise that our engine draws with.

    step: among those that settle a code. shape: (Q, T), of places, or (Q, T, V), of entries.
    """
    n_books, n_frames, *entries = shape
    places = torch.arange(n_books)[:, None] * CODEBOOK_STRIDE + torch.arange(n_frames)
    keys = torch.tensor([[seed]]), torch.tensor([[step]])
    if entries:
        places = (places + CODEBOOK_STRIDE * n_books)[..., None] * entries[0] + torch.arange(*entries) + TEXT_STRIDE
        drawn = gumbel_noise(*keys, places.flatten(), TEXT_UNIFORM_BITS)
    else:
        drawn = gumbel_noise(*keys, places.flatten())
    return ((UPSTREAM_EPSILON - (-drawn.double()).exp()).exp() - UPSTREAM_EPSILON).view(shape)


def thinned(samples: np.ndarray) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a rate of the decoder."""
    stride = -(-len(samples) // MOST_SAMPLES)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5)):
        stride += 1
    return samples[::stride]


def as_bytes(text: str) -> np.ndarray:
    """As goldens hold words."""
    return np.frombuffer(text.encode(), np.uint8)


def as_text(stored: np.ndarray) -> str:
    return stored.tobytes().decode()
