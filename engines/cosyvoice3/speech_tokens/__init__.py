"""Turns text into speech tokens, 25 a second: the language model, its sampling, and its limits."""
