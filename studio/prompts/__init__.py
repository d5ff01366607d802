"""Prompts of speakers: the cache, the sources of a prompt, and its status."""
