"""One speaker: learned from a clip, with or without its words, and kept as the tensors of a prompt."""
