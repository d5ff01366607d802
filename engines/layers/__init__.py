"""Blocks that several models are made of: transformer, convolutions with state, quantizers, sampling, reading of checkpoints."""
