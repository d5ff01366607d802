"""Recordings, for any model: the clip, its level, its quality, and where in it somebody speaks."""
