"""Kokoro-82M, natural speech on a CPU, in 54 built-in voices or in the voice of a recording. Importing this loads no torch."""
