"""Turns texts into token ids, by the files that models are released with."""
