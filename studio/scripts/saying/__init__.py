"""Saying lines of scripts: keys, the queue, takes and the best of them, playing."""
