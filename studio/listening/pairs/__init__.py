"""Blind pairs: one text said in two ways, heard without names, one vote each; and what the votes of a workspace come to."""
