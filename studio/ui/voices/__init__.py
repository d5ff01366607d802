"""Voices: cards, and the acts on them."""
