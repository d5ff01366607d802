"""Voices: cards, and what is done with them."""
