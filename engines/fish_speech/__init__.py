"""Fish Audio S2 Pro: clones a voice from recordings and their words, at 44.1 kHz, a frame of 46 ms at a time."""
