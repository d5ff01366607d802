"""Words in time: what an engine or a sound tells of when the words of a speech are heard, and captions made of that."""
