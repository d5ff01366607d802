"""What the history keeps of a speech: its entry, and the sound as it is spoken."""
