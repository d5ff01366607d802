"""One speaker: learned from a clip, with its words or without, and kept as a prompt's tensors."""
