"""Kokoro's 54 built-in voices as data: names, tables, blends."""
