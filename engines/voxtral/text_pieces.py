"""text_pieces: cuts a text into the pieces that are spoken in turn, each behind the same voice."""

from engines.text.text_splitter import split_text

__all__ = ["text_pieces"]

MOST_CHARACTERS = 300  # of a piece, some 25 s; the makers read a text whole, and speech decays in long ones


def text_pieces(text: str) -> tuple[str, ...]:
    """Whole sentences, as many as fit; of longer ones clauses or words. () for a blank text."""
    pieces: list[str] = []
    for sentence in split_text(text, "sentence", most_characters=MOST_CHARACTERS):
        if pieces and len(pieces[-1]) + 1 + len(sentence) <= MOST_CHARACTERS:
            pieces[-1] = f"{pieces[-1]} {sentence}"
        else:
            pieces.append(sentence)
    return tuple(pieces)
