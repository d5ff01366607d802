"""Rebuilds the data of this engine from packages. Not part of the wheel."""
