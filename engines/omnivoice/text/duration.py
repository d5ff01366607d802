"""Duration of a text in frames of the codec: a weight per character by its script, and the pace of the speaker.

The rule is omnivoice 0.2.1's (utils/duration.py, OmniVoice._estimate_target_tokens), figure by figure: the model was never shown where its
text ends, so that the number of frames that it is given sets its pace.
"""

import json
import unicodedata
from bisect import bisect_left
from functools import lru_cache, reduce
from operator import add
from pathlib import Path

__all__ = ["FRAMES_PER_SECOND", "LEAST_WEIGHT", "MOST_WEIGHT", "estimated_frames", "spoken_weight", "weight_per_frame"]

FRAMES_PER_SECOND = 25  # of the released codec: 24,000 / 960
LEAST_WEIGHT, MOST_WEIGHT = 0.3, 1.2  # per frame: 7 to 30 Latin letters a second; words outside of it are hardly those of the recording
SHORT_FRAMES = 50  # below it an estimate is drawn up to it, by the cube root
UNHEARD_WORDS, UNHEARD_FRAMES = "Nice to meet you.", 25  # the pace of a voice that was not heard yet
MOST_KEPT_CHARACTERS = 4096  # whose weights are remembered; a text has a few hundred different ones
TATWEEL = 0x0640  # stretches an Arabic word on paper only
IDEOGRAPHIC_PLANE = 0x20000  # what is above it weighs as an ideograph; U+20000 itself does not, upstream

_TABLE = json.loads(Path(__file__).with_name("script_weights.json").read_text(encoding="utf-8"))
_WEIGHTS: dict[str, float] = _TABLE["weights"]
_RANGES = [(int(last, 16), _WEIGHTS[script]) for last, script in _TABLE["last_of_range"]]
_LASTS, _RANGE_WEIGHTS = zip(*_RANGES, strict=True)
_OF_CATEGORY = {"M": "mark", "P": "punctuation", "S": "punctuation", "Z": "space", "N": "digit"}  # the first letter of Unicode's category


def spoken_weight(text: str) -> float:
    """Sum of the characters' weights; 1 is a Latin letter. Added one after the other: the same bits on every Python, whose sums differ."""
    return reduce(add, map(_weight, text), 0.0)


def estimated_frames(text: str, reference: tuple[str, int] | None, speed: float = 1.0, *, goes_on: bool = False) -> int:
    """How many frames the text should have, at least 1.

    reference: words and how many frames they were spoken in, which say how fast the voice speaks; None for a voice that was not heard.
    speed: above 0; 2 is twice as fast. goes_on: whether more follows at once, so that a short text is given no more than the voice's pace.
    """
    words, n_frames = reference if reference is not None and reference[0] else (UNHEARD_WORDS, UNHEARD_FRAMES)
    pace = weight_per_frame(words, n_frames)
    frames = spoken_weight(text) / pace if pace else 0.0
    if frames < SHORT_FRAMES and not goes_on:
        frames = SHORT_FRAMES * (frames / SHORT_FRAMES) ** (1 / 3)
    return max(1, int(frames / speed))


def weight_per_frame(words: str, n_frames: int) -> float:
    """How fast the words were spoken, 0 where there are no frames. Outside of LEAST_WEIGHT to MOST_WEIGHT they are hardly what was said."""
    return spoken_weight(words) / n_frames if n_frames > 0 else 0.0


@lru_cache(maxsize=MOST_KEPT_CHARACTERS)
def _weight(character: str) -> float:
    code = ord(character)
    if code == TATWEEL:
        return _WEIGHTS["mark"]
    kind = _OF_CATEGORY.get(unicodedata.category(character)[0])
    return _WEIGHTS[kind] if kind else range_weight(code)


def range_weight(code: int) -> float:
    """By where a code point stands in Unicode, whatever kind of character it is."""
    row = bisect_left(_LASTS, code)
    if row < len(_LASTS):
        return _RANGE_WEIGHTS[row]
    return _WEIGHTS["cjk" if code > IDEOGRAPHIC_PLANE else "default"]
