"""Recordings and eSpeak's readings of the same words, side by side in time."""
