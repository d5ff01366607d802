"""Measurements with networks of the engine: its speaker encoder as a judge of speech that others made."""
