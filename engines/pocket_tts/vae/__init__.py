"""The codec of Pocket TTS: sound to latents and back, on one core of a CPU."""
