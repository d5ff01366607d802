"""Spoken length: about how long a text takes to say, before anything has said it."""

import unicodedata

__all__ = ["spoken_seconds"]

# English is read aloud at about 150 words a minute, 6 characters with the space; other alphabets are near it.
SECONDS_PER_CHARACTER = 60 / (150 * 6)
# One character of Chinese or Japanese is about one syllable, of which 5 to 8 are said in a second (Pellegrino et al. 2011, table 1).
SECONDS_PER_WIDE_CHARACTER = 0.18


def spoken_seconds(text: str) -> float:
    """An estimate, seconds, good to about a third; whitespace at the ends takes no time."""
    text = text.strip()
    n_wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return n_wide * SECONDS_PER_WIDE_CHARACTER + (len(text) - n_wide) * SECONDS_PER_CHARACTER
