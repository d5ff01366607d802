"""The codec of Pocket TTS: turns sound into latents and back, on one core of a CPU."""
