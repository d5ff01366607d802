"""Speak: choices, speaking, takes, history."""
