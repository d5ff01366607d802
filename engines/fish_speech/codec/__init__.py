"""The codec of Fish Audio S2 Pro: sound to frames of ten codes, and back."""
