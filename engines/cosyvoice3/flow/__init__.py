"""Turns speech tokens into mel frames, chunk by chunk, for many streams at once."""
