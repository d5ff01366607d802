"""Rendering: how the sounds of a test are made: speeches, comparison, loudness, jobs."""
