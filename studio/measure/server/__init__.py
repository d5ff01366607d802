"""Figures of the server: load, listeners, memory; and servers to measure."""
