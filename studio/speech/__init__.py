"""Speech: the meaning of a request, the sound that comes back, refusals, and what is kept."""
