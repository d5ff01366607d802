"""What is asked to be said, the sound that comes back, and what is kept of it."""
