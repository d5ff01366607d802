"""Decoding step by step: rows of many streams in one step, frames that become audio, CUDA graphs."""
