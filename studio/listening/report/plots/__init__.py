"""Findings as pictures, in SVG and PNG."""
