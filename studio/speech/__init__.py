"""What is asked to be said and what it means, the sound that comes back, how it is told where there is none, and what is kept."""
