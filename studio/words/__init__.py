"""Sentences for people, below all doors: one catalogue per language."""
