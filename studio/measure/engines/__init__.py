"""Figures of engines: steps, launches, memory, rehearsals."""
