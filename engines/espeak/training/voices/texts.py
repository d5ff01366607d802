"""The texts of the training voices: sentences of our own that hold every English phone in many neighborhoods. None is used in a test."""

from pathlib import Path

__all__ = ["SENTENCES"]

SENTENCES = tuple(Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines())
