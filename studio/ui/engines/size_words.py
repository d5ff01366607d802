"""Sizes as words, in the language of the current visit."""

from studio.ui.gradio.words import visited_sentences

__all__ = ["size_words"]


def size_words(n_bytes: int) -> str:
    """Such as "812 kB" or "3.1 GB"; units of 1000."""
    return visited_sentences().bytes(n_bytes)
