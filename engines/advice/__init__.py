"""Advice to a person about a clip, without any model: which part is best, and what to do better."""
