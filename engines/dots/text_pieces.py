"""text_pieces: cuts a text into the pieces that are spoken in turn. babble_patches: what a short one may become at most.

The model's makers never cut a text, and it has room for 41 s. Of a text of a few letters it goes on with babble (studio-dots-ai/dots.tts,
issue 17: 2 to 3 s behind one to five characters), which no rule on silence or repetition notices.
"""

from math import ceil

from engines.text.spoken_length import spoken_seconds
from engines.text.text_splitter import split_text

__all__ = ["MOST_CHARACTERS", "babble_patches", "text_pieces"]

MOST_CHARACTERS = 240  # of a piece, some 17 s
LEAST_CHARACTERS = 12  # of a piece that stands alone, where it has a neighbor
SHORT_SECONDS = 1.0  # of a text that says little: longer ones end where they should
SLOW, SPARE_SECONDS = 2.5, 0.8  # times that a short text may take what it takes to say, and beside it


def text_pieces(text: str) -> tuple[str, ...]:
    """Whole sentences, as many as fit; of longer ones clauses or words. A short one goes with its neighbor. () for a blank text."""
    pieces: list[str] = []
    for sentence in split_text(text, "sentence", most_characters=MOST_CHARACTERS):
        is_short = pieces and min(len(pieces[-1]), len(sentence)) < LEAST_CHARACTERS
        if pieces and (is_short or len(pieces[-1]) + 1 + len(sentence) <= MOST_CHARACTERS):
            pieces[-1] = f"{pieces[-1]} {sentence}"
        else:
            pieces.append(sentence)
    return tuple(pieces)


def babble_patches(text: str, patches_per_second: float) -> int | None:
    """Patches that no reading of a short text reaches; None for a text that is not short."""
    seconds = spoken_seconds(text)
    return None if seconds > SHORT_SECONDS else ceil((SPARE_SECONDS + SLOW * seconds) * patches_per_second)
