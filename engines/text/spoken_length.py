"""Spoken length: an estimate of how long a text takes to say, in any script, and the most that it may take. It needs no speech."""

import unicodedata
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence

__all__ = [
    "DURATION",
    "SECONDS_PER_WEIGHT",
    "asked_seconds",
    "estimated_seconds",
    "most_spoken_seconds",
    "repeated_seconds",
    "shared_out",
    "spoken_seconds",
]

# Weights of one character by script, in Latin letters: the duration rule of OmniVoice (omnivoice/utils/duration.py @ 468e927), blocks of
# equal weight in one row. Letters up to that code point weigh so much.
_SCRIPTS = (
    (0x058F, 1.0),  # Latin, Greek, Cyrillic, Armenian
    (0x08FF, 1.5),  # Hebrew, Arabic and their neighbors
    (0x0DFF, 1.8),  # Indic
    (0x0EFF, 1.5),  # Thai, Lao
    (0x109F, 1.8),  # Tibetan, Burmese
    (0x10FF, 1.0),  # Georgian
    (0x11FF, 2.5),  # Hangul
    (0x139F, 3.0),  # Ethiopic
    (0x177F, 1.0),
    (0x17FF, 1.8),  # Khmer
    (0x18FF, 1.0),
    (0x1CFF, 1.8),  # Indic and South East Asian
    (0x2E7F, 1.0),
    (0x303F, 3.0),  # Chinese
    (0x30FF, 2.2),  # kana
    (0x312F, 3.0),  # Bopomofo
    (0x318F, 2.5),  # Hangul
    (0xA4CF, 3.0),  # Chinese, Yi
    (0xA7FF, 1.0),
    (0xABFF, 1.8),  # Indic and South East Asian
    (0xD7FF, 2.5),  # Hangul
    (0xFAFF, 3.0),  # Chinese
    (0xFEFF, 1.5),  # Arabic
    (0x1FFFF, 1.0),
    (0x10FFFF, 3.0),  # Chinese
)
_ENDS = tuple(end for end, _ in _SCRIPTS)
_CATEGORIES = {"M": 0.0, "P": 0.5, "S": 0.5, "Z": 0.2, "C": 0.2, "N": 3.5}  # digits are words; control characters break lines
# The same rule without a recording to go by: "Nice to meet you.", of 14.1, in 25 frames of 40 ms. That is some 170 English words a minute.
SECONDS_PER_WEIGHT = 1.0 / 14.1

# Twice the estimate is a slow reading, as of dictation; four of those are no reading. VoxCPM2 allows 6 patches of 160 ms per token of about
# four letters, and CosyVoice3 20 frames of 40 ms: 0.24 and 0.20 s per letter, where this is 0.57.
MOST_TIMES = 2 * 4
LEAST_CAP_SECONDS = 10.0  # a word may be sung, spelled or laughed


def spoken_seconds(text: str) -> float:
    """An estimate, seconds, good to about a third; whitespace at the ends takes no time."""
    return SECONDS_PER_WEIGHT * sum(map(_weight, unicodedata.normalize("NFKC", text.strip())))


def most_spoken_seconds(text: str) -> float:
    """What no reading of the text reaches, seconds: where speech that does not end by itself is to be cut."""
    return LEAST_CAP_SECONDS + MOST_TIMES * spoken_seconds(text)


def _weight(letter: str) -> float:
    of_category = _CATEGORIES.get(unicodedata.category(letter)[0])
    return _SCRIPTS[bisect_left(_ENDS, ord(letter))][1] if of_category is None else of_category


# --- of a speech, by what was asked of it


SPEED = "speed"
DURATION = "duration"  # an engine's own option: seconds of the speech, whatever its speed; 0 where the text decides


def asked_seconds(options: Mapping[str, object], own: Container[str]) -> float | None:
    """How long the speech was asked to be, None where nobody said.

    options: the engine's and `speed`. own: names of the engine's; where speed is none of them, the speech is stretched afterwards.
    """
    seconds = _number(options, DURATION) if DURATION in own else 0.0
    if seconds <= 0:
        return None
    return seconds if SPEED in own else seconds / _speed(options)


def estimated_seconds(text: str, options: Mapping[str, object], own: Container[str], silence_seconds: float = 0.0) -> float:
    """As long as was asked for, else an estimate, good to about a third. silence_seconds: between its words, at any speed."""
    asked = asked_seconds(options, own)
    return spoken_seconds(text) / _speed(options) + silence_seconds if asked is None else asked


def repeated_seconds(seconds: float, options: Mapping[str, object]) -> float:
    """Of recorded speech that lasts so long, said again: no option but its speed changes that."""
    return seconds / _speed(options)


def shared_out(seconds: float, parts: Sequence[str]) -> list[float]:
    """What of so many seconds for all parts is each one's, by its length; nothing of none."""
    lengths = [spoken_seconds(part) for part in parts]
    whole = sum(lengths)
    return [seconds * length / whole if whole else seconds / len(parts) for length in lengths]


def _speed(options: Mapping[str, object]) -> float:
    return _number(options, SPEED) or 1.0


def _number(options: Mapping[str, object], name: str) -> float:
    """0 where it is left out."""
    value = options.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
