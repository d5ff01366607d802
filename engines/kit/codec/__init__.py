"""Layers of codecs: convolutions with state, quantizers, mel spectrograms, resampling."""
