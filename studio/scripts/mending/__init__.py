"""Mending words of a take: by which changes one text becomes another, and which text a take has."""
