"""Qwen3-TTS 12Hz Base: clones a voice in context or from its embedding, streams from the first 80 ms. Importing this loads no torch."""
