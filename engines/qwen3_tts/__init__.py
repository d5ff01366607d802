"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, and streams from the first 80 ms. Imports neither torch nor weights."""
