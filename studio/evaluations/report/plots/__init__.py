"""Findings of an evaluation as pictures."""
