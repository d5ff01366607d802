"""Many studios that act as one, on one machine or many, served by Ray Serve."""
